// Public pages: health, the interface document, problems, signing keys, documentation.
import { pickHeaders, type Tour } from './recorder.ts';

export async function walkPublic(tour: Tour): Promise<void> {
  const open = { token: null };
  await tour.call('GET /healthz', 200, open);
  await tour.call('GET /readyz', 200, open);
  await tour.call('GET /problems', 200, open);
  await tour.call('GET /problems/reference_in_use', 200, open);
  await tour.call('GET /problems/not_found', 200, { ...open, headers: { 'accept-language': 'en' } });
  const asJson = { ...open, accept: 'application/json' };
  await tour.call('GET /problems', 200, asJson);
  await tour.call('GET /problems/reference_in_use', 200, asJson);
  await tour.call('GET /problems/nothing', 404, open);
  await tour.call('GET /.well-known/jwks.json', 200, open);
  await tour.call('GET /.well-known/oauth-authorization-server', 200, open);
  await tour.call('GET /api/nothing', 404, open);
  await tour.call('DELETE /healthz', 405, open);
  await tour.call('HEAD /healthz', 200, open);
  await tour.call('GET /nothing', 404, { ...open, accept: 'text/html' });
  const html = { ...open, accept: 'text/html' };
  for (const path of ['/docs', '/docs/payments', '/metrics']) await tour.call(`GET ${path}`, 200, html);
  // The examples in the interface document come from the tour, so the tour does not record the document.
  const { status, headers } = await tour.app.call('/openapi.json', open);
  tour.record({ method: 'GET', path: '/openapi.json', status, headers: pickHeaders(headers), body: undefined });
}
