// GET /checkout/{clientToken}/qrcode.svg, and the session of a QR code.
import decodeQR from 'qr/decode.js';
import { beforeAll, describe, expect, test } from 'vitest';
import { capitalizeMonth } from '../../../shared/luanda.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { create, webframe } from '../../support/payments.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const open = (token: string, leaf = 'qrcode.svg', headers: Record<string, string> = {}) =>
  app.call(`/checkout/${token}/${leaf}`, { token: null, headers });
const readSession = async (token: string, query = '') => (await open(token, `session${query}`)).json;

async function createCode(metadata: Record<string, unknown> = {}): Promise<any> {
  const body = webframe({ metadata: { paymentMethod: 'qrcode', ...metadata } });
  const reply = await app.call('/api/payments', { body, headers: { prefer: 'return=representation' } });
  expect(reply.status).toBe(201);
  return reply.json;
}

const scan = (content: string, phone = '923456789') =>
  app.call('/sandbox/scan', { body: { content, phone }, token: null });

/** Reads the modules of a QR code back from an SVG that draws them in rows of height 1. */
function readSvg(svg: string): string {
  const edge = Number(/viewBox="0 0 (\d+) /.exec(svg)?.[1]);
  const scale = 6;
  const width = edge * scale;
  const data = new Uint8Array(width * width * 4).fill(255);
  for (const [, x, y, run] of svg.matchAll(/M(\d+) (\d+)h(\d+)v1h-\3z/g))
    for (let row = Number(y) * scale; row < (Number(y) + 1) * scale; row++)
      data.fill(0, (row * width + Number(x) * scale) * 4, (row * width + (Number(x) + Number(run)) * scale) * 4);
  return decodeQR({ width, height: width, data });
}

describe('GET /checkout/{clientToken}/qrcode.svg', () => {
  test('returns the QR code as an image without scripts that any page may show', async () => {
    const { clientToken, qrCode } = await createCode();
    const reply = await open(clientToken, 'qrcode.svg', { origin: 'https://loja.example' });
    expect(reply.status).toBe(200);
    expect(readSvg(reply.text)).toBe(qrCode.content);
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      'content-type': expect.stringMatching(/^image\/svg\+xml/),
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
      'cache-control': 'private, max-age=60',
      'x-content-type-options': 'nosniff',
    });
    expect(reply.headers.get('set-cookie')).toBeNull();
  });

  test('returns 404 without a QR code and for a wrong token', async () => {
    const { clientToken } = await create(app, webframe());
    const early = await createCode();
    await app.sql('update payments set qr_content = null where id = $1', [early.internalId]);
    for (const token of [clientToken, early.clientToken, `${early.clientToken.slice(0, -2)}xx`, 'x']) {
      const reply = await open(token);
      expect([reply.status, reply.json.code]).toEqual([404, 'not_found']);
      expect(reply.headers.get('access-control-allow-origin')).toBe('*');
    }
    expect(await readSession(early.clientToken)).toMatchObject({ qr: null, status: 'Pending' });
  });
});

describe('the checkout of a QR code', () => {
  test('counts the payments, and has the link that opens the payer’s app', async () => {
    const { clientToken, qrCode } = await createCode({ maxTransactions: 2 });
    const before = await readSession(clientToken);
    const link = `${app.node.core.publicUrl}/sandbox/scan?content=${encodeURIComponent(qrCode.content)}`;
    expect(before).toMatchObject({ method: 'qrcode', attemptsLeft: 0, qr: { accepted: 0, max: 2, link } });
    expect((await scan(qrCode.content)).status).toBe(201);
    const after = await until(async () => {
      const session = await readSession(clientToken);
      return session.qr.accepted === 1 && session;
    }, 'one payment');
    expect(after.status).toBe('Pending');
    expect(after.revision).toBeGreaterThan(before.revision);
    await scan(qrCode.content);
    const last = await until(async () => {
      const session = await readSession(clientToken);
      return session.isFinal && session;
    }, 'two payments');
    expect(last).toMatchObject({ status: 'Paid', qr: { accepted: 2, max: 2 } });
    expect(last.paidAtText).not.toBeNull();
    const third = await scan(qrCode.content);
    expect([third.status, third.json.reason]).toEqual([409, 'used_up']);
  });

  test.each([
    ['today', 'T13:35:00Z', ['até às 14:35.', 'until 14:35.', 'jusqu’à 14:35.']],
    ['tomorrow', 'T23:00:00Z', ['até DAY às 00:00.', 'until DAY at 00:00.', 'jusqu’au DAY à 00:00.']],
  ])('says in each language until when the QR code is payable (%s in Luanda)', async (_, time, ends) => {
    const today = app.clock.now();
    const { clientToken } = await createCode({ endDate: `${today.toISOString().slice(0, 10)}${time}` });
    const tomorrow = new Date(today.getTime() + 86_400_000);
    for (const [at, lang] of (['pt', 'en', 'fr'] as const).entries()) {
      const { texts, untilText } = await readSession(clientToken, `?lang=${lang}`);
      const date = tomorrow.toLocaleDateString(lang === 'en' ? 'en-GB' : lang, { dateStyle: 'long', timeZone: 'UTC' });
      const day = lang === 'pt' ? capitalizeMonth(date) : date;
      const sentence = texts['pay.until'].replace('{time}', untilText);
      expect(sentence.endsWith(` ${ends[at]!.replace('DAY', day)}`), sentence).toBe(true);
    }
  });

  test('returns the description from the metadata or the body, or null', async () => {
    const ask = async (body: object) => {
      const headers = { prefer: 'return=representation' };
      const { json } = await app.call('/api/payments', { body, headers });
      return [json.description, (await readSession(json.clientToken)).description];
    };
    const metadata = { paymentMethod: 'qrcode' };
    expect(await ask(webframe({ metadata, description: 'Café da Gabela' }))).toEqual([
      'Café da Gabela',
      'Café da Gabela',
    ]);
    const both = webframe({ metadata: { ...metadata, description: 'Mesa 4' }, description: 'Café da Gabela' });
    expect(await ask(both)).toEqual(['Mesa 4', 'Mesa 4']);
    expect(await ask(webframe({ metadata }))).toEqual([null, null]);
  });

  test('returns 409 to POST …/pay', async () => {
    const { clientToken } = await createCode();
    const reply = await app.call(`/checkout/${clientToken}/pay`, { body: { phoneNumber: '923456789' }, token: null });
    expect([reply.status, reply.json.code]).toEqual([409, 'payment_not_payable']);
  });

  test('returns no QR code for other methods', async () => {
    const { clientToken } = await create(app, webframe());
    expect((await readSession(clientToken)).qr).toBeNull();
  });
});
