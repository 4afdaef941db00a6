// GET /checkout/{clientToken} and …/session: what a payer sees in each state and language, and what protects the page.
import { createHash } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Reply, type TestApp } from '../../support/app.ts';
import { approved, declined, notify, NOTIFY_ENV, SOMEBODY, untilSent } from '../../support/notify.ts';
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

/** A payment brought to a state the payer can meet. */
const STATES: Record<string, (token: string, id: string) => Promise<unknown>> = {
  async Pending() {},
  async Processing(token, id) {
    await app.call(`/checkout/${token}/pay`, { body: { phoneNumber: SOMEBODY }, token: null });
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

/** What stands between the tags, without scripts and styles. */
const textOf = (html: string) =>
  html
    .replace(/<(script|style|noscript)\b.*?<\/\1>/gs, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/[ \n]+/g, ' ');

describe('the page', () => {
  test.each([
    ['Pending', 'pay.title', '<form'],
    ['Processing', 'wait.title', 'http-equiv="refresh"'],
    ['refused', 'failure.insufficient_funds', '<form'],
    ['Paid', 'paid.title', '<dl'],
    ['Expired', 'expired.title', '<main'],
  ])('%s is readable before any script', async (state, title, markup) => {
    const { clientToken } = await createIn(state, { description: 'Café de Amboim' });
    const reply = await open(clientToken);
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(reply.headers.get('cache-control')).toBe('no-store');
    const { texts, amountText } = await readSession(clientToken);
    for (const words of [texts[title], amountText, 'Loja da Ilha']) expect(textOf(reply.text)).toContain(words);
    expect(reply.text).toContain(markup);
    // Only who can still pay is asked for a phone.
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
  ])('%s with %j speaks %s', async (query, headers, lang) => {
    const { clientToken } = await createIn('Pending');
    const reply = await open(clientToken, query, headers as Record<string, string>);
    expect(reply.text).toContain(`<html lang="${lang}">`);
    expect(reply.headers.get('vary')).toBe('Accept-Encoding, Accept-Language');
  });

  test.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ])('is the same page in %s', async (encoding, decompress) => {
    const { clientToken } = await createIn('Pending');
    const headers = { 'accept-encoding': encoding };
    const response = await fetchBytes(`${app.url}/checkout/${clientToken}`, headers);
    expect(response.headers['content-encoding']).toBe(encoding);
    expect(decompress(response.body).toString()).toBe(
      (await open(clientToken, '', { 'accept-encoding': 'identity' })).text,
    );
  });

  test('merchant’s text is text, wherever it stands', async () => {
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

describe('what protects it', () => {
  test('its policy allows its own style by hash, its own origin, and nothing inline', async () => {
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
      `frame-ancestors ${app.node.core.publicUrl}`,
    ]);
    expect(headers.get('x-frame-options')).toBeNull();
    expect(text).not.toMatch(/<[^>]+\sstyle=/);
    expect(text).not.toMatch(/<[^>]+\son\w+=/);
    for (const [, attributes = ''] of text.matchAll(/<script([^>]*)>/g)) {
      expect(attributes).toMatch(/^ type="application\/json" |^ type="module" src="\/assets\/[^"]+"$/);
    }
  });

  test('only the merchant’s own origins may frame it', async () => {
    const { merchantId, token } = await app.addMerchant();
    const framed = async () => {
      const { json } = await app.call('/api/payments', { body: webframe(), token });
      return (await open(json.clientToken)).headers.get('content-security-policy');
    };
    expect(await framed()).toContain("frame-ancestors 'none'");
    await app.sql(`update merchants set allowed_origins = '{https://loja.example}' where id = $1`, [merchantId]);
    // The merchant's settings may be some seconds old.
    await app.clock.advance(5_000);
    expect(await framed()).toMatch(/frame-ancestors https:\/\/loja\.example$/);
  });

  test('no answer of a checkout sets a cookie', async () => {
    const { clientToken } = await createIn('Pending');
    for (const path of ['', '/session']) {
      const { headers } = await app.call(`/checkout/${clientToken}${path}`, { token: null });
      expect(headers.get('set-cookie')).toBeNull();
    }
  });

  test('a page no script was built for is never asked to fetch from elsewhere', async () => {
    const { clientToken } = await createIn('Pending');
    const { text } = await open(clientToken);
    const addresses = [...text.matchAll(/(?:src|href|action)="([^"]+)"/g)].map(([, address = '']) => address);
    expect(addresses.filter((address) => !/^(\/|data:|#|\?)/.test(address))).toEqual([]);
  });
});

describe('the session', () => {
  test('has what a payer may know, and no more', async () => {
    const payment = await createIn('Pending', { metadata: { custom: { secret: 'shelf 7' } } });
    const session = await readSession(payment.clientToken, '?lang=en');
    const { texts, ...known } = session;
    expect(known).toEqual({
      revision: 1,
      serverTime: app.clock.now().toISOString(),
      lang: 'en',
      sandbox: true,
      merchant: {
        name: 'Loja da Ilha',
        brand: null,
        hasLogo: false,
        noticePath: expect.stringMatching(/^\/privacidade\/[0-9a-f-]{36}$/),
      },
      reference: payment.reference,
      description: null,
      amount: '1500.00',
      currency: 'AOA',
      amountText: '1\u00a0500,00\u00a0Kz',
      method: 'webframe',
      status: 'Pending',
      isFinal: false,
      phone: null,
      pushSentAt: null,
      pushExpiresAt: null,
      expiresAt: payment.expiresAt,
      untilText: expect.stringMatching(/^\d\d:\d\d$/),
      attemptsLeft: 5,
      failure: null,
      paidAt: null,
      paidAtText: null,
      late: false,
      transaction: null,
      thanks: null,
      refund: null,
      qr: null,
      ppr: null,
      ways: null,
      canUseReference: null,
      replacedByUrl: null,
      returnUrl: null,
      cancelUrl: null,
    });
    expect(texts['failure.timed_out']).toMatch(/\S/);
  });

  test('counts the payer’s time by the server’s clock, and hides the phone', async () => {
    const { clientToken } = await createIn('Processing');
    const session = await readSession(clientToken);
    const sentAt = Date.parse(session.pushSentAt);
    expect(session).toMatchObject({ status: 'Processing', phone: '923 ••• 001', attemptsLeft: 4, revision: 2 });
    expect(Date.parse(session.pushExpiresAt) - sentAt).toBe(90_000);
    expect(JSON.stringify(session)).not.toContain(SOMEBODY);
  });

  test('says why a push failed, in the language it is asked in', async () => {
    const { clientToken } = await createIn('refused');
    const told = await Promise.all(['pt', 'en', 'fr'].map((lang) => readSession(clientToken, `?lang=${lang}`)));
    for (const { status, failure, texts } of told) {
      expect(status).toBe('Pending');
      expect(failure).toEqual({ code: 'insufficient_funds', message: texts['failure.insufficient_funds'] });
    }
    expect(new Set(told.map(({ failure }) => failure.message)).size).toBe(3);
  });

  test('is a receipt once it is paid, in the payer’s own time', async () => {
    const { clientToken, id } = await createIn('Paid');
    const session = await readSession(clientToken, '?lang=pt');
    expect(session).toMatchObject({ status: 'Paid', isFinal: true, late: false, transaction: '7', failure: null });
    const [money] = (await app.call(`/api/payments/${id}`)).json.transactions;
    expect(session.paidAt).toBe(money.occurredAt);
    const hour = String((new Date(money.occurredAt).getUTCHours() + 1) % 24).padStart(2, '0');
    expect(session.paidAtText).toContain(`${hour}:`);
  });
});
