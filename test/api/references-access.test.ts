// Whose references, and who may do what: scopes, other merchants, methods and media that are none of theirs.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';
import { byReference, createPayable, PPR, readReference, reference } from '../support/ppr.ts';
import { sendRaw } from '../support/raw.ts';
import { leavesNothing } from '../support/rows.ts';

let app: TestApp;
let made: any;
beforeAll(async () => {
  app = await startTestApp();
  made = await createPayable(app);
});
afterAll(() => app?.stop());

type Call = { method: string; path: () => string; body?: object; scope: string };

const CALLS: Record<string, Call> = {
  create: { method: 'POST', path: () => PPR, body: reference(), scope: 'references:write' },
  legacy: { method: 'POST', path: () => `${PPR}/legacy`, body: reference(), scope: 'references:write' },
  bulk: { method: 'POST', path: () => `${PPR}/bulk`, body: { references: [reference()] }, scope: 'references:write' },
  cancel: { method: 'POST', path: () => `${PPR}/${made.reference}/cancel`, scope: 'references:write' },
  list: { method: 'GET', path: () => PPR, scope: 'references:read' },
  read: { method: 'GET', path: () => `${PPR}/${made.reference}`, scope: 'references:read' },
  history: { method: 'GET', path: () => `${PPR}/${made.reference}/history`, scope: 'references:read' },
  payment: { method: 'POST', path: () => '/api/payments', body: byReference(), scope: 'payments:write' },
};
const SCOPES = [
  'references:read',
  'references:write',
  'payments:read',
  'payments:write',
  'terminals',
  'merchant:write',
];

const send = ({ method, path, body }: Call, token: string) => app.call(path(), { method, body, token });

describe.each(Object.entries(CALLS))('%s', (_name, call) => {
  test.each(SCOPES.filter((scope) => scope !== call.scope))('is not allowed by %s', async (scope) => {
    const token = await app.token('demo', 'demo-secret', scope);
    const reply = await leavesNothing(app, () => send(call, token));
    expect([reply.status, reply.json.code]).toEqual([403, 'insufficient_scope']);
    expect(reply.headers.get('www-authenticate')).toContain(`scope="${call.scope}"`);
  });
});

describe('of another merchant', () => {
  test.each([
    ['on another entity', '00888'],
    ['on the same entity', '00999'],
  ])('%s nothing is found', async (_where, entity) => {
    const { token } = await app.addMerchant({ entity });
    const calls: [method: string, path: string][] = [
      ['GET', `${PPR}/${made.reference}`],
      ['GET', `${PPR}/${made.reference}/history`],
      ['POST', `${PPR}/${made.reference}/cancel`],
      ['GET', `/api/payments/${made.reference}`],
      ['GET', `/api/payments/${made.internalId}`],
      ['GET', `/api/payments/${made.reference}/events`],
      ['POST', `/api/payments/${made.reference}/sync`],
      ['POST', `/api/payments/${made.internalId}/cancel`],
    ];
    for (const [method, path] of calls) {
      const reply = await leavesNothing(app, () => app.call(path, { method, token }));
      expect([path, reply.status, reply.json.code]).toEqual([path, 404, 'not_found']);
    }
    for (const path of [PPR, '/api/payments', `/api/payments?reference=${made.reference}`])
      expect((await app.call(path, { token })).json).toMatchObject({ data: [], totalItems: 0 });
    expect(await readReference(app, made.reference)).toEqual(made);
  });
});

test('the client token opens nothing of the API', async () => {
  for (const path of [PPR, `${PPR}/${made.reference}`])
    expect((await app.call(path, { token: made.clientToken })).status).toBe(401);
});

test.each([
  ['DELETE', PPR, 'GET, POST'],
  ['PUT', PPR, 'GET, POST'],
  ['GET', `${PPR}/123456789/cancel`, 'POST'],
  ['POST', `${PPR}/123456789/history`, 'GET'],
])('%s %s is 405', async (method, path, allowed) => {
  const reply = await sendRaw(app.url, `${method} ${path}`, [`Authorization: Bearer ${await app.token()}`]);
  expect(reply.status).toBe(405);
  const methods = (reply.headers.get('allow') ?? '').split(', ').filter((name) => name !== 'HEAD');
  expect(methods.toSorted().join(', ')).toBe(allowed);
});

test.each(['GET', 'DELETE'])('%s of …/bulk and …/legacy is no creation', async (method) => {
  for (const path of [`${PPR}/bulk`, `${PPR}/legacy`]) {
    const reply = await leavesNothing(app, () => app.call(path, { method }));
    expect([404, 405]).toContain(reply.status);
  }
});

test.each(['', '/legacy', '/bulk'])('a form is no body of …%s', async (path) => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const reply = await leavesNothing(app, () => app.call(PPR + path, { body: 'amount=1', headers }));
  expect([reply.status, reply.json.code]).toEqual([415, 'unsupported_media_type']);
});
