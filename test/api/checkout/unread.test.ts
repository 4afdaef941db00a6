// Checkout forms that the gateway cannot read, and a gateway without its database.
// Browsers receive an HTML page, and scripts receive problem JSON.
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type CallOptions, type TestApp } from '../../support/app.ts';
import { create, webframe } from '../../support/payments.ts';
import { leavesNothing } from '../../support/rows.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const FORM = 'application/x-www-form-urlencoded';

type Sent = Pick<CallOptions, 'method' | 'body'> & { type?: string };

const UNREAD: [string, number, Sent][] = [
  ['a GET request', 405, { method: 'GET' }],
  ['another method', 405, { method: 'DELETE' }],
  ['a body that is too large', 413, { type: FORM, body: `phoneNumber=${'9'.repeat(20_000)}` }],
  ['a form of another kind', 415, { type: 'multipart/form-data; boundary=x', body: '--x--' }],
  ['one field twice', 400, { type: FORM, body: 'phoneNumber=923000001&phoneNumber=923000002' }],
  ['a NUL character', 400, { type: FORM, body: 'phoneNumber=%00' }],
];

function send(token: string, leaf: string, accept: string, { method = 'POST', type, body }: Sent) {
  const headers = { accept, ...(type && { 'content-type': type }) };
  return app.call(`/checkout/${token}/${leaf}?lang=fr&embed=1&theme=dark`, { token: null, method, body, headers });
}

describe.each(['pay', 'reference'])('the checkout form at /%s', (leaf) => {
  test.each(UNREAD)('returns a page with a link to the payment after %s (status %i)', async (_what, status, sent) => {
    const { clientToken } = await create(app, webframe());
    const reply = await leavesNothing(app, () => send(clientToken, leaf, ACCEPT, sent));
    expect([reply.status, reply.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8']);
    expect(reply.text).toContain('Cette demande n’a pas pu être lue');
    expect(reply.text).toMatch(
      new RegExp(`href="/checkout/${clientToken}\\?[^"]*lang=fr[^"]*"[^>]*>Ouvrir le paiement<`),
    );
    expect(reply.headers.get('content-security-policy')).toContain('frame-ancestors *');
    expect(reply.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    expect(reply.headers.get('x-frame-options')).toBeNull();
    expect(reply.headers.get('content-language')).toBeNull();
    if (status === 405) expect(reply.headers.get('allow')).toContain('POST');
  });

  test.each(UNREAD)('returns problem JSON to a script after %s (status %i)', async (_what, status, sent) => {
    const { clientToken } = await create(app, webframe());
    const reply = await send(clientToken, leaf, '*/*', sent);
    expect([reply.status, reply.headers.get('content-type')]).toEqual([status, 'application/problem+json']);
    expect(reply.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });
});

test('a request with a JSON body receives problem JSON even if it accepts HTML', async () => {
  const { clientToken } = await create(app, webframe());
  const reply = await send(clientToken, 'pay', ACCEPT, { type: 'application/json', body: '{' });
  expect([reply.status, reply.json.code]).toEqual([400, 'malformed_json']);
});

test("a form with a wrong phone number returns the payment's page with an error", async () => {
  const { clientToken } = await create(app, webframe());
  const reply = await send(clientToken, 'pay', ACCEPT, { type: FORM, body: 'phoneNumber=12' });
  expect(reply.status).toBe(303);
  const page = await app.call(reply.headers.get('location')!, { token: null, headers: { accept: ACCEPT } });
  expect([page.status, page.text]).toEqual([200, expect.stringContaining('aria-invalid="true"')]);
});

describe('the checkout without its database', () => {
  const withoutPayments = async <T>(act: () => Promise<T>) => {
    await app.sql('alter table payments rename to payments_away');
    return act().finally(() => app.sql('alter table payments_away rename to payments'));
  };

  test('returns a page in the payer’s language, with a link to try again', async () => {
    const { clientToken } = await create(app, webframe());
    const address = `/checkout/${clientToken}?lang=en`;
    const read = await withoutPayments(() => app.call(address, { token: null, headers: { accept: ACCEPT } }));
    expect([read.status, read.headers.get('content-type')]).toEqual([500, 'text/html; charset=utf-8']);
    expect(read.text).toContain('This page could not be opened');
    expect(read.text).toMatch(/<a [^>]*href="[^"]*"[^>]*>Open again</);
    const sent = await withoutPayments(() =>
      send(clientToken, 'pay', ACCEPT, { type: FORM, body: 'phoneNumber=900000000' }),
    );
    expect([sent.status, sent.text]).toEqual([500, expect.stringContaining('Cette page n’a pas pu s’ouvrir')]);
    expect(sent.text).toContain(`href="/checkout/${clientToken}?`);
    expect((await app.call(address, { token: null })).text).toContain('Pay with Multicaixa Express');
  });

  test('returns the problem internal_error to a script', async () => {
    const { clientToken } = await create(app, webframe());
    const pay = { type: 'application/json', body: '{"phoneNumber":"900000000"}' };
    const replies = await withoutPayments(async () => [
      await app.call(`/checkout/${clientToken}/session`, { token: null }),
      await send(clientToken, 'pay', '*/*', pay),
    ]);
    expect(replies.map(({ json }) => json.code)).toEqual(['internal_error', 'internal_error']);
  });
});
