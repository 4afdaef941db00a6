// What anybody may read: health, the interface document, the pages of problems, the keys, the documentation.
import { createHash } from 'node:crypto';
import type { Tour } from './recorder.ts';

export async function walkPublic(tour: Tour): Promise<void> {
  const open = { token: null };
  await tour.call('health', 'GET /healthz', open);
  await tour.call('readiness', 'GET /readyz', open);
  await tour.call('problems', 'GET /problems', open);
  await tour.call('one problem', 'GET /problems/reference_in_use', open);
  await tour.call('one problem in English', 'GET /problems/not_found', {
    ...open,
    headers: { 'accept-language': 'en' },
  });
  const asJson = { ...open, headers: { accept: 'application/json' } };
  await tour.call('problems as JSON', 'GET /problems', asJson);
  await tour.call('one problem as JSON', 'GET /problems/reference_in_use', asJson);
  await tour.call('no such problem', 'GET /problems/nothing', open);
  await tour.call('signing keys', 'GET /.well-known/jwks.json', open);
  await tour.call('the authorization server', 'GET /.well-known/oauth-authorization-server', open);
  await tour.call('an address that is none', 'GET /api/nothing', open);
  await tour.call('a method that is none', 'DELETE /healthz', open);
  await tour.call('HEAD of a GET', 'HEAD /healthz', open);
  await tour.call('a page that is none', 'GET /nothing', { ...open, headers: { accept: 'text/html' } });
  await keepDocuments(tour);
}

const EXAMPLES = new Set(['example', 'examples']);

/** The interface document as the digest of all but its examples, which are made out of this tour, beside its operations; of pages made out of it only that they are there. */
async function keepDocuments({ app, cover, keep, walked }: Tour): Promise<void> {
  const { json, headers } = await app.call('/openapi.json', { token: null });
  walked.add('GET /openapi.json');
  const document = cover(JSON.stringify(json, (name, value) => (EXAMPLES.has(name) ? undefined : value)));
  keep('the interface document', {
    type: headers.get('content-type'),
    cacheControl: headers.get('cache-control'),
    // In groups, or nine digits in a row would be taken for a number of the run's.
    sha256: createHash('sha256')
      .update(document)
      .digest('hex')
      .replaceAll(/.{8}(?=.)/g, '$& '),
    operations: Object.entries(json.paths as Record<string, Record<string, { operationId: string }>>).flatMap(
      ([path, methods]) =>
        Object.entries(methods).map(([method, { operationId }]) => `${method} ${path} ${operationId}`),
    ),
  });
  for (const path of ['/docs', '/docs/payments', '/metrics']) {
    const reply = await app.call(path, { token: null, headers: { accept: 'text/html' } });
    keep(`the page ${path}`, { status: reply.status, type: reply.headers.get('content-type') });
  }
}
