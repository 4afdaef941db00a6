// Forms of a checkout that cannot be read, from a browser: a page in the payer's words that any frame may show; scripts keep their problem.
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
  ['an address that takes forms only, opened', 405, { method: 'GET' }],
  ['another method', 405, { method: 'DELETE' }],
  ['more than a form of ours holds', 413, { type: FORM, body: `phoneNumber=${'9'.repeat(20_000)}` }],
  ['a form of another kind', 415, { type: 'multipart/form-data; boundary=x', body: '--x--' }],
  ['one field twice', 400, { type: FORM, body: 'phoneNumber=923000001&phoneNumber=923000002' }],
  ['text that is none', 400, { type: FORM, body: 'phoneNumber=%00' }],
];

function send(token: string, leaf: string, accept: string, { method = 'POST', type, body }: Sent) {
  const headers = { accept, ...(type && { 'content-type': type }) };
  return app.call(`/checkout/${token}/${leaf}?lang=fr&embed=1&theme=dark`, { token: null, method, body, headers });
}

describe.each(['pay', 'reference'])('/%s', (leaf) => {
  test.each(UNREAD)('%s is answered %i with a page, and the way back', async (_what, status, sent) => {
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

  test.each(UNREAD)('%s is answered %i with a problem to a script', async (_what, status, sent) => {
    const { clientToken } = await create(app, webframe());
    const reply = await send(clientToken, leaf, '*/*', sent);
    expect([reply.status, reply.headers.get('content-type')]).toEqual([status, 'application/problem+json']);
    expect(reply.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });
});

test('JSON comes from a script, whatever it says that it accepts', async () => {
  const { clientToken } = await create(app, webframe());
  const reply = await send(clientToken, 'pay', ACCEPT, { type: 'application/json', body: '{' });
  expect([reply.status, reply.json.code]).toEqual([400, 'malformed_json']);
});

test('what the page itself tells at its field stays told there', async () => {
  const { clientToken } = await create(app, webframe());
  const reply = await send(clientToken, 'pay', ACCEPT, { type: FORM, body: 'phoneNumber=12' });
  expect(reply.status).toBe(303);
  const page = await app.call(reply.headers.get('location')!, { token: null, headers: { accept: ACCEPT } });
  expect([page.status, page.text]).toEqual([200, expect.stringContaining('aria-invalid="true"')]);
});
