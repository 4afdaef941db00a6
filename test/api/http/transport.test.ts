// Malformed HTTP: no body, path, method or header makes the node return 500 or write a row.
import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Route } from '../../../server/http/route.ts';
import { DEMO } from '../../../sandbox/seed.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { untilNoStatementRuns } from '../../support/idle.ts';
import { addMember } from '../../support/members.ts';
import { fill, nameOf } from '../../support/one-of-each.ts';
import { webframe } from '../../support/payments.ts';
import { sendRaw, type RawReply } from '../../support/raw.ts';
import { countRows, leavesNothing } from '../../support/rows.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  // The clock does not move, so no job becomes due after the node's first claim.
  await untilNoStatementRuns(app);
});

const GOOD = JSON.stringify(webframe());
/** Two megabytes of JSON that would be a valid payment if its description were shorter. */
const HUGE = JSON.stringify(webframe({ description: 'x'.repeat(2 * 1_048_576) }));
/** A JSON array of `count` numbers. */
const manyValues = (count: number) => `[${'-0,'.repeat(count - 2)}1]`;
const JSON_TYPE = 'application/json';

async function postRaw(body: string | Buffer, headers: string[] = [`Content-Type: ${JSON_TYPE}`]): Promise<RawReply> {
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  const auth = `Authorization: Bearer ${await app.token()}`;
  return sendRaw(app.url, 'POST /api/payments', [auth, length, ...headers], body);
}

describe('the body of POST /api/payments', () => {
  const lone = Buffer.from(GOOD.replace('AOA', 'AO\xff'), 'latin1');
  test.each<[string, string | Uint8Array, number, string]>([
    ['cut off', GOOD.slice(0, -1), 400, 'malformed_json'],
    ['a comma too many', GOOD.replace('}', ',}'), 400, 'malformed_json'],
    ['a form with the type JSON', 'amount=1500&currency=AOA', 400, 'malformed_json'],
    ['spaces only', '   ', 400, 'malformed_json'],
    ['a raw NUL', `${GOOD}\0`, 400, 'malformed_json'],
    ['bytes that are not UTF-8', lone, 400, 'malformed_json'],
    ['UTF-16', Buffer.from(GOOD, 'utf16le'), 400, 'malformed_json'],
    ['30 000 nested arrays', '['.repeat(30_000) + ']'.repeat(30_000), 400, 'nesting_too_deep'],
    ['a NUL in text', GOOD.replace('AOA', 'A\\u0000A'), 400, 'invalid_text'],
    ['two megabytes', HUGE, 413, 'body_too_large'],
    ['a byte over 64 KiB', ' '.repeat(65_537 - GOOD.length) + GOOD, 413, 'body_too_large'],
    ['10 001 values', manyValues(10_001), 413, 'body_too_large'],
    ['10 000 values that are no payment', manyValues(10_000), 400, 'validation_failed'],
  ])('is refused: %s', async (_name, body, status, code) => {
    const reply = await leavesNothing(app, () => app.call('/api/payments', { body }));
    expect(reply.status).toBe(status);
    expect(reply.json).toMatchObject({ code, status });
  });

  test('may have 64 KiB, most of them spaces', async () => {
    const body = ' '.repeat(65_536 - GOOD.length) + GOOD;
    expect((await app.call('/api/payments', { body })).status).toBe(201);
  });

  test('may have 1 MiB and at most 20,000 values in a bulk request', async () => {
    const path = '/api/references/ppr/bulk';
    const one = { amount: 150.5, description: 'ã'.repeat(900), customMetadata: { order: '1', lines: [1, 2, 3] } };
    const body = JSON.stringify({ references: Array(500).fill(one) });
    const reply = await app.call(path, { body: ' '.repeat(1_048_576 - Buffer.byteLength(body)) + body });
    expect([reply.status, reply.json.data.length]).toEqual([201, 500]);
    const over = [' '.repeat(1_048_577 - Buffer.byteLength(body)) + body, `{"references":${manyValues(20_000)}}`];
    for (const each of over) {
      const refused = await leavesNothing(app, () => app.call(path, { body: each }));
      expect([refused.status, refused.json.code]).toEqual([413, 'body_too_large']);
    }
  });

  test.each(['/oauth/token', '/rails/gpo/notifications'])('is refused by %s if it has 70 kB', async (path) => {
    const body = JSON.stringify({ grant_type: 'x'.repeat(70_000) });
    expect((await app.call(path, { body, token: null })).status).toBe(413);
  });

  test('has a documented size limit for each operation', async () => {
    const { json } = await app.call('/openapi.json', { token: null });
    const answerOf = ({ $ref }: { $ref?: string }) => json.components.responses[$ref?.split('/').at(-1) ?? ''];
    const seen = (path: string, method = 'post') => {
      const answer = json.paths[path][method].responses['413'];
      return (answerOf(answer) ?? answer).description;
    };
    expect(seen('/api/payments')).toBe('The body is larger than 64 KiB, or has more than 10000 values');
    expect(seen('/api/merchants/{merchantId}', 'put')).toBe(
      'The body is larger than 128 KiB, or has more than 20000 values',
    );
    expect(seen('/api/Contactos/CriarListaDeContactos')).toBe(
      'The body is larger than 1024 KiB, or has more than 20000 values',
    );
    expect(seen('/api/auth/register')).toBe('The body is larger than 16 KiB, or has more than 10000 values');
  });

  test('is required', async () => {
    const reply = await leavesNothing(app, () => app.call('/api/payments', { method: 'POST' }));
    expect(reply.status).toBe(400);
    expect(reply.json.errors).toMatchObject([{ pointer: '', code: 'required' }]);
  });
});

describe('the headers Content-Type and Content-Encoding', () => {
  test.each([
    ['none', []],
    ['plain text', ['Content-Type: text/plain']],
    ['a form', ['Content-Type: application/x-www-form-urlencoded']],
    ['several parts', ['Content-Type: multipart/form-data; boundary=x']],
    ['nonsense', ['Content-Type: ;;;']],
    ['JSON in another charset', [`Content-Type: ${JSON_TYPE}; charset=iso-8859-1`]],
    ['two types, the first wrong', ['Content-Type: text/plain', `Content-Type: ${JSON_TYPE}`]],
    ['gzip', [`Content-Type: ${JSON_TYPE}`, 'Content-Encoding: gzip']],
    ['an unknown encoding', [`Content-Type: ${JSON_TYPE}`, 'Content-Encoding: rot13']],
  ])('are refused with 415: %s', async (name, headers) => {
    const body = name === 'gzip' ? gzipSync(GOOD) : GOOD;
    const reply = await leavesNothing(app, () => postRaw(body, headers));
    expect(reply.status).toBe(415);
    expect(JSON.parse(reply.body).code).toBe('unsupported_media_type');
  });

  test('may name JSON with the encoding identity', async () => {
    const headers = [`Content-Type: ${JSON_TYPE}`, 'Content-Encoding: identity'];
    expect((await postRaw(GOOD, headers)).status).toBe(201);
  });
});

describe('a request body', () => {
  test.each([
    ['sent in one piece', () => postRaw(HUGE)],
    [
      'announced and never sent',
      async () =>
        sendRaw(app.url, 'POST /api/payments', [
          `Authorization: Bearer ${await app.token()}`,
          `Content-Type: ${JSON_TYPE}`,
          'Content-Length: 2000000',
        ]),
    ],
    [
      'sent in chunks',
      async () =>
        sendRaw(
          app.url,
          'POST /api/payments',
          [`Authorization: Bearer ${await app.token()}`, `Content-Type: ${JSON_TYPE}`, 'Transfer-Encoding: chunked'],
          `${HUGE.length.toString(16)}\r\n${HUGE}\r\n0\r\n\r\n`,
        ),
    ],
  ])('of two megabytes is refused and ends the connection: %s', async (_name, send) => {
    const reply = await leavesNothing(app, send);
    expect(reply.status).toBe(413);
    expect(reply.headers.get('connection')).toBe('close');
  });

  test('is refused if it has both Content-Length and Transfer-Encoding', async () => {
    const headers = [`Content-Type: ${JSON_TYPE}`, 'Transfer-Encoding: chunked'];
    expect((await leavesNothing(app, () => postRaw(GOOD, headers))).status).toBe(400);
  });
});

describe('a request path', () => {
  test.each([
    '/nowhere',
    '/api/payments/x/y',
    '/%',
    '/%E0%A4%A',
    '/assets/none.js',
    '//api/payments',
    '/problems/__proto__',
    '/problems/%zz',
  ])('returns 404 as problem JSON: %s', async (path) => {
    const reply = await sendRaw(app.url, `GET ${path}`, [`Authorization: Bearer ${await app.token()}`]);
    expect(reply.status).toBe(404);
    expect(reply.headers.get('content-type')).toBe('application/problem+json');
    expect(JSON.parse(reply.body).code).toBe('not_found');
  });

  test.each(['/api/payments/%zz', '/api/payments/%E0%A4%A', '/api/payments/%2e%2e', '/checkout/%zz', '/checkout/%00'])(
    'returns 404 for an invalid id: %s',
    async (path) => {
      expect((await sendRaw(app.url, `GET ${path}`, [`Authorization: Bearer ${await app.token()}`])).status).toBe(404);
    },
  );

  test('returns 404 for every method if no route has it', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'PROPFIND']) {
      expect((await sendRaw(app.url, `${method} /nowhere`)).status, method).toBe(404);
    }
  });
});

describe('a request method', () => {
  test.each([
    ['HEAD', '/api/payments/x/sync', ['POST']],
    ['PROPFIND', '/api/payments', ['GET', 'HEAD', 'POST']],
    ['TRACE', '/healthz', ['GET', 'HEAD']],
  ])('returns 405 with the allowed methods: %s %s', async (method, path, allowed) => {
    const reply = await leavesNothing(app, () => sendRaw(app.url, `${method} ${path}`));
    expect(reply.status).toBe(405);
    expect(reply.headers.get('allow')?.split(', ').toSorted()).toEqual(allowed);
    if (method !== 'HEAD') expect(JSON.parse(reply.body).code).toBe('method_not_allowed');
  });

  test('HEAD returns the headers of GET without a body', async () => {
    const auth = [`Authorization: Bearer ${await app.token()}`];
    const [get, head] = [
      await sendRaw(app.url, 'GET /api/payments', auth),
      await sendRaw(app.url, 'HEAD /api/payments', auth),
    ];
    expect(head.status).toBe(200);
    expect(head.body).toBe('');
    expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
  });
});

describe('HTTP headers', () => {
  test('are refused with 431 if they have 40 kB', async () => {
    expect((await sendRaw(app.url, 'GET /healthz', [`X-Long: ${'x'.repeat(40_000)}`])).status).toBe(431);
  });

  test('are refused with 400 if a name contains a space', async () => {
    expect((await sendRaw(app.url, 'GET /healthz', ['Bad Name: x'])).status).toBe(400);
  });

  test('may repeat Authorization, of which the first counts', async () => {
    const good = `Authorization: Bearer ${await app.token()}`;
    expect((await sendRaw(app.url, 'GET /api/payments', ['Authorization: Bearer forged', good])).status).toBe(401);
    expect((await sendRaw(app.url, 'GET /api/payments', [good, 'Authorization: Bearer forged'])).status).toBe(200);
  });

  test('may not repeat Idempotency-Key', async () => {
    const headers = [`Content-Type: ${JSON_TYPE}`, 'Idempotency-Key: a', 'Idempotency-Key: b'];
    const reply = await leavesNothing(app, () => postRaw(GOOD, headers));
    expect(JSON.parse(reply.body).code).toBe('idempotency_key_invalid');
  });

  test.each([
    ['a valid one', 'order-7:retry.2_A', true],
    ['a long one', 'x'.repeat(128), true],
    ['one too long', 'x'.repeat(129), false],
    ['one with a space', 'a b', false],
    ['one with HTML', '<script>', false],
  ])('have a request id that the node keeps or replaces: %s', async (_name, given, isKept) => {
    const reply = await app.call('/nowhere', { headers: { 'x-request-id': given } });
    const id = reply.headers.get('x-request-id');
    expect(id).toMatch(isKept ? new RegExp(`^${given}$`) : /^[0-9a-f-]{36}$/);
    expect(reply.json.instance).toBe(`urn:request:${id}`);
  });

  test('of every response include security headers and no cookie', async () => {
    for (const path of ['/healthz', '/nowhere', '/api/payments', '/oauth/token', '/openapi.json']) {
      const { headers } = await app.call(path);
      expect(headers.get('content-security-policy'), path).toBe("default-src 'none';frame-ancestors 'none'");
      expect(headers.get('x-content-type-options'), path).toBe('nosniff');
      expect(headers.get('referrer-policy'), path).toBe('no-referrer');
      expect(headers.get('x-powered-by'), path).toBeNull();
      expect(headers.get('set-cookie'), path).toBeNull();
      expect(headers.get('x-request-id'), path).toMatch(/\S/);
    }
  });
});

describe('every route', () => {
  const ids = new Proxy({} as Record<string, string>, {
    get: (_, name) => ({ merchantId: DEMO.merchantId, pprReference: '987654321' })[String(name)] ?? randomUUID(),
  });

  test('returns 405 with the allowed methods for other methods', async () => {
    const { routes } = app.node.app;
    const [seen, expected]: [unknown[], unknown[]] = [[], []];
    for (const pattern of new Set(routes.map(({ path }) => path))) {
      const path = fill(pattern, ids);
      const here = routes.filter((route) => new RegExp(`^${route.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(path));
      const allowed = here.flatMap(({ method, changesState, isStream }) =>
        method === 'GET' && !changesState && !isStream ? ['GET', 'HEAD'] : [method],
      );
      const others = ['GET', 'POST', 'PUT', 'DELETE'].filter((name) => !(allowed as string[]).includes(name));
      for (const method of ['PATCH', others[0]!]) {
        const { status, headers } = await app.call(path, { method });
        seen.push([pattern, method, status, headers.get('allow')?.split(', ').toSorted()]);
        expected.push([pattern, method, 405, [...new Set(allowed)].toSorted()]);
      }
    }
    expect(seen).toEqual(expected);
    expect(seen.length).toBeGreaterThan(200);
  });

  describe('with a JSON body', () => {
    let person: string;
    beforeAll(async () => {
      person = await (await addMember(app, { merchantId: DEMO.merchantId })).token();
    });

    const post = (route: Route, body: string, headers: Record<string, string> = {}) => {
      const token = route.access.kind === 'public' ? null : route.access.kind === 'user' ? person : undefined;
      return app.call(fill(route.path, ids), {
        method: route.method,
        body,
        headers,
        ...(token !== undefined && { token }),
      });
    };
    const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

    test.each<[string, string, number, string, (string | undefined)?, Record<string, string>?]>([
      ['a JSON array', '[1]', 400, 'validation_failed', ' invalid_type'],
      ['a text', '"x"', 400, 'validation_failed', ' invalid_type'],
      ['a number', '7', 400, 'validation_failed', ' invalid_type'],
      ['null', 'null', 400, 'validation_failed', ' invalid_type'],
      ['JSON that is cut off', '{"a":', 400, 'malformed_json'],
      ['JSON with 40 levels', '['.repeat(40) + ']'.repeat(40), 400, 'nesting_too_deep'],
      ['a NUL', '{"a":"x\\u0000"}', 400, 'invalid_text', '/a invalid_text'],
      ['half of a surrogate pair', '{"a":"\\ud800"}', 400, 'invalid_text', '/a invalid_text'],
      ['a form', 'a=1', 415, 'unsupported_media_type', undefined, FORM],
      ['17 kB without a token', `{"x":"${'x'.repeat(17_000)}"}`, 413, 'body_too_large'],
    ])('refuses %s', async (name, body, status, code, fault, headers) => {
      const isRead = ({ path, body: schema }: Route) => /^\/(api|v1)\//.test(path) && schema !== undefined;
      const routes = app.node.app.routes.filter(
        (route) => isRead(route) && (status !== 413 || route.access.kind === 'public'),
      );
      expect(routes.length).toBeGreaterThan(status === 413 ? 5 : 35);
      const before = await countRows(app);
      const [seen, expected]: [unknown[], unknown[]] = [[], []];
      for (const route of routes) {
        const { status: answered, json } = await post(route, body, headers);
        const [first] = json.errors ?? [];
        seen.push([nameOf(route), answered, json.code, first && `${first.pointer} ${first.code}`]);
        expected.push([nameOf(route), status, code, fault]);
      }
      expect(seen, name).toEqual(expected);
      expect(await countRows(app)).toEqual(before);
    });
  });
});
