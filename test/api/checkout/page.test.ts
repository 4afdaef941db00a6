// GET /checkout/{clientToken} and …/session in each state and language, and the security headers of the page.
import { createHash } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { LOOPBACK_ORIGINS } from '../../../shared/origins.ts';
import { startTestApp, type Reply, type TestApp } from '../../support/app.ts';
import { sessionWith } from '../../support/checkout.ts';
import { approved, declined, notify, NOTIFY_ENV, PENDING_PHONE, untilSent } from '../../support/notify.ts';
import { create, travelToStatus, webframe } from '../../support/payments.ts';
import { fetchBytes } from '../../support/raw.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: NOTIFY_ENV });
});

const open = (token: string, query = '', headers: Record<string, string> = {}): Promise<Reply> =>
  app.call(`/checkout/${token}${query}`, { token: null, headers });
const readSession = async (token: string, query = ''): Promise<any> =>
  (await app.call(`/checkout/${token}/session${query}`, { token: null })).json;

const MERCHANT = {
  name: 'Loja da Ilha',
  brand: null,
  hasLogo: false,
  noticePath: expect.stringMatching(/^\/privacidade\/[0-9a-f-]{36}$/),
};

/** How a test brings a payment into each state. */
const STATES: Record<string, (token: string, id: string) => Promise<unknown>> = {
  async Pending() {},
  async Processing(token, id) {
    await app.call(`/checkout/${token}/pay`, { body: { phoneNumber: PENDING_PHONE }, token: null });
    await untilSent(app, id);
  },
  async refused(token, id) {
    await STATES['Processing']?.(token, id);
    await notify(app, (await untilSent(app, id)).id, declined('INSUFFICIENT_FUNDS'));
  },
  async Paid(token, id) {
    await STATES['Processing']?.(token, id);
    await notify(app, (await untilSent(app, id)).id, approved());
  },
  async Expired(_token, id) {
    await app.clock.pass(30 * 60_000);
    await travelToStatus(app, id, 'Expired');
  },
};

async function createIn(state: string, changes: Record<string, unknown> = {}): Promise<any> {
  const payment = await create(app, webframe(changes));
  await STATES[state]?.(payment.clientToken, payment.id);
  return payment;
}

/** The text of the page, without scripts and styles. */
const textOf = (html: string) =>
  html
    .replace(/<(script|style|noscript)\b.*?<\/\1>/gs, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/[ \n]+/g, ' ');

describe('GET /checkout/{clientToken}', () => {
  test.each([
    ['Pending', 'pay.title', '<form'],
    ['Processing', 'wait.title', 'http-equiv="refresh"'],
    ['refused', 'failure.insufficient_funds', '<form'],
    ['Paid', 'paid.title', '<dl'],
    ['Expired', 'expired.title', '<main'],
  ])('returns a page that is readable without JavaScript (%s)', async (state, title, markup) => {
    const { clientToken } = await createIn(state, { description: 'Café de Amboim' });
    const reply = await open(clientToken);
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(reply.headers.get('cache-control')).toBe('no-store');
    const { texts, amountText } = await readSession(clientToken);
    for (const words of [texts[title], amountText, 'Loja da Ilha']) expect(textOf(reply.text)).toContain(words);
    expect(reply.text).toContain(markup);
    // Only the page of a payable payment asks for a phone number.
    expect(reply.text.includes('name="phoneNumber"')).toBe(state === 'Pending' || state === 'refused');
  });

  test.each([
    ['', {}, 'pt'],
    ['', { 'accept-language': 'en-GB,en;q=0.9' }, 'en'],
    ['', { 'accept-language': 'fr-FR,fr;q=0.9,en;q=0.5' }, 'fr'],
    ['', { 'accept-language': 'de' }, 'pt'],
    ['?lang=fr', { 'accept-language': 'en' }, 'fr'],
    ['?lang=xx', { 'accept-language': 'en' }, 'en'],
    ['?lang=en&lang=fr', {}, 'pt'],
  ])('answers the query "%s" with the headers %j in the language %s', async (query, headers, lang) => {
    const { clientToken } = await createIn('Pending');
    const reply = await open(clientToken, query, headers as Record<string, string>);
    expect(reply.text).toContain(`<html lang="${lang}">`);
    expect(reply.headers.get('vary')).toBe('Accept-Encoding, Accept-Language');
  });

  test('returns 404 in the language of the browser for an unknown token', async () => {
    const { status, text } = await open('x'.repeat(43), '', { 'accept-language': 'fr-CD' });
    expect([status, text]).toEqual([404, expect.stringContaining('Ce lien de paiement n’est pas valable')]);
  });

  test.each([
    ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['br;q=1.0, gzip;q=0.8, *;q=0.1', 'br', brotliDecompressSync],
    ['gzip, deflate', 'gzip', gunzipSync],
    ['br;q=0, gzip', 'gzip', gunzipSync],
    ['deflate', undefined, (body: Buffer) => body],
    ['identity', undefined, (body: Buffer) => body],
  ])(
    'sends the same page and script for Accept-Encoding "%s", with the Content-Encoding %s',
    async (accept, encoding, decompress) => {
      const { clientToken } = await createIn('Pending');
      const plain = (await open(clientToken, '', { 'accept-encoding': 'identity' })).text;
      const page = await fetchBytes(`${app.url}/checkout/${clientToken}`, { 'accept-encoding': accept });
      expect([page.headers['content-encoding'], decompress(page.body).toString()]).toEqual([encoding, plain]);
      const address = /<script type="module" src="([^"]+)"/.exec(plain)?.[1] ?? '';
      const { headers } = await fetchBytes(app.url + address, { 'accept-encoding': accept });
      expect(headers).toMatchObject({ 'cache-control': 'public, max-age=31536000, immutable' });
      expect(headers['content-encoding']).toBe(encoding);
    },
  );

  test('escapes texts that the merchant entered', async () => {
    const evil = `</script><script>alert(1)</script><img src=x onerror=alert(1)>"'`;
    const { clientToken } = await createIn('Pending', { description: evil });
    const { text } = await open(clientToken);
    expect(text).not.toContain('<img');
    expect(text).not.toContain('<script>alert');
    expect(textOf(text)).toContain('&lt;img src=x onerror=alert(1)>');
    const carried = /<script type="application\/json" id="[^"]+">(.*?)<\/script>/s.exec(text)?.[1] ?? '';
    expect(JSON.parse(carried).session.description).toBe(evil);
  });
});

describe('the response of a checkout page', () => {
  test("has a content security policy with the style's hash and the own origin, without inline code", async () => {
    const { clientToken } = await createIn('Pending');
    const { text, headers } = await open(clientToken);
    const styles = [...text.matchAll(/<style>(.*?)<\/style>/gs)].map(([, css = '']) => css);
    expect(styles).toHaveLength(1);
    const hash = createHash('sha256')
      .update(styles[0] ?? '')
      .digest('base64');
    expect(headers.get('content-security-policy')?.split('; ')).toEqual([
      "default-src 'none'",
      `style-src 'sha256-${hash}'`,
      "script-src 'self'",
      "connect-src 'self'",
      "img-src 'self' data:",
      "form-action 'self'",
      "base-uri 'none'",
      `frame-ancestors ${[app.node.core.publicUrl, ...LOOPBACK_ORIGINS].join(' ')}`,
    ]);
    expect(headers.get('x-frame-options')).toBeNull();
    expect(text).not.toMatch(/<[^>]+\sstyle=/);
    expect(text).not.toMatch(/<[^>]+\son\w+=/);
    for (const [, attributes = ''] of text.matchAll(/<script([^>]*)>/g)) {
      expect(attributes).toMatch(/^ type="application\/json" |^ type="module" src="\/assets\/[^"]+"$/);
    }
  });

  test("has a content security policy that lets only the merchant's origins and this machine frame the page", async () => {
    const { merchantId, token } = await app.addMerchant();
    const framed = async () => {
      const { json } = await app.call('/api/payments', { body: webframe(), token });
      return (await open(json.clientToken)).headers.get('content-security-policy');
    };
    const local = LOOPBACK_ORIGINS.join(' ');
    expect(await framed()).toMatch(new RegExp(`frame-ancestors ${RegExp.escape(local)}$`));
    await app.sql(`update merchants set allowed_origins = '{https://loja.example}' where id = $1`, [merchantId]);
    // A node caches a merchant's settings for some seconds.
    await app.clock.advance(5_000);
    expect(await framed()).toMatch(new RegExp(`frame-ancestors https://loja\\.example ${RegExp.escape(local)}$`));
  });

  test('sets no cookie', async () => {
    const { clientToken } = await createIn('Pending');
    for (const path of ['', '/session']) {
      const { headers } = await app.call(`/checkout/${clientToken}${path}`, { token: null });
      expect(headers.get('set-cookie')).toBeNull();
    }
  });

  test('contains no URL of another origin', async () => {
    const { clientToken } = await createIn('Pending');
    const { text } = await open(clientToken);
    const addresses = [...text.matchAll(/(?:src|href|action)="([^"]+)"/g)].map(([, address = '']) => address);
    expect(addresses.filter((address) => !/^(\/|data:|#|\?)/.test(address))).toEqual([]);
  });
});

describe('GET /checkout/{clientToken}/session', () => {
  test('returns exactly the public fields', async () => {
    const payment = await createIn('Pending', { metadata: { custom: { secret: 'shelf 7' } } });
    const session = await readSession(payment.clientToken, '?lang=en');
    const { texts, ...known } = session;
    expect(known).toEqual({
      ...sessionWith({ lang: 'en', sandbox: true, description: null, returnUrl: null, cancelUrl: null }),
      serverTime: app.clock.now().toISOString(),
      merchant: MERCHANT,
      reference: payment.reference,
      amount: '1500.00',
      amountText: '1\u00a0500,00\u00a0Kz',
      expiresAt: payment.expiresAt,
      untilText: expect.stringMatching(/^\d\d:\d\d$/),
    });
    expect(texts['failure.timed_out']).toMatch(/\S/);
  });

  test('returns the time limit of a push and the masked phone number', async () => {
    const { clientToken } = await createIn('Processing');
    const session = await readSession(clientToken);
    const sentAt = Date.parse(session.pushSentAt);
    expect(session).toMatchObject({ status: 'Processing', phone: '923 ••• 001', attemptsLeft: 4, revision: 2 });
    expect(Date.parse(session.pushExpiresAt) - sentAt).toBe(90_000);
    expect(JSON.stringify(session)).not.toContain(PENDING_PHONE);
  });

  test('returns the failure of a push in the requested language', async () => {
    const { clientToken } = await createIn('refused');
    const sessions = await Promise.all(['pt', 'en', 'fr'].map((lang) => readSession(clientToken, `?lang=${lang}`)));
    for (const { status, failure, texts } of sessions) {
      expect(status).toBe('Pending');
      expect(failure).toMatchObject({ code: 'insufficient_funds', message: texts['failure.insufficient_funds'] });
    }
    expect(new Set(sessions.map(({ failure }) => failure.message)).size).toBe(3);
  });

  test('returns a receipt with times of Luanda', async () => {
    const { clientToken, id } = await createIn('Paid');
    const session = await readSession(clientToken, '?lang=pt');
    expect(session).toMatchObject({ status: 'Paid', isFinal: true, late: false, transaction: '7', failure: null });
    const [money] = (await app.call(`/api/payments/${id}`)).json.transactions;
    expect(session.paidAt).toBe(money.occurredAt);
    const hour = String((new Date(money.occurredAt).getUTCHours() + 1) % 24).padStart(2, '0');
    expect(session.paidAtText).toContain(`${hour}:`);
  });
});
