import { beforeAll, describe, expect, test } from 'vitest';
import { QR_SIZES } from '../../../../shared/methods.ts';
import { drawQrPng, drawQrSvg } from '../../../../server/exports/qr-image.ts';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { readEventTypes, readPayment } from '../../../support/notify.ts';
import { create, webframe } from '../../../support/payments.ts';
import { callForImage, createCode, qrcode, readCodeBook, readPng } from '../../../support/qrcodes.ts';
import { askRail } from '../../../support/lone-rail.ts';
import { HOUR_MS } from '../../../../shared/durations.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const createImage = (metadata: object = {}, changes: object = {}) =>
  callForImage(app, '/api/payments', { body: qrcode({ ...metadata }, { ...changes }) });

describe('POST /api/payments with paymentMethod qrcode', () => {
  test('returns 200 with the image as the body and the ids in headers', async () => {
    const { status, headers, bytes } = await createImage();
    expect([status, headers.get('content-type')]).toEqual([200, 'image/png']);
    const id = headers.get('payment-id') ?? '';
    expect(headers.get('location')).toBe(`/api/payments/${id}`);
    const payment = await readPayment(app, id);
    expect(payment).toMatchObject({ internalId: id, status: 'Pending', paymentMethod: 'qrcode', amountPaid: 0 });
    expect(headers.get('client-token')).toBe(payment.clientToken);
    const book = await readCodeBook(app, payment.reference);
    expect(readPng(bytes)).toEqual({ width: 300, height: 300, content: book.content });
    const session = await app.call(`/checkout/${headers.get('client-token')}/session`, { token: null });
    expect(session.status).toBe(200);
    expect(await readEventTypes(app, id)).toEqual(['payment.created']);
  });

  test.each([...Object.entries(QR_SIZES), ['small', QR_SIZES.SMALL]] as const)(
    'returns an image of the size %s that is %i px wide',
    async (qrSize, sizePx) => {
      const { headers, bytes } = await createImage({ qrSize });
      const { reference } = await readPayment(app, headers.get('payment-id') ?? '');
      const { content } = await readCodeBook(app, reference);
      expect(readPng(bytes)).toEqual({ width: sizePx, height: sizePx, content });
      expect(bytes.equals(drawQrPng(content, sizePx))).toBe(true);
    },
  );

  test('returns 201 with all fields as JSON for Prefer: return=representation', async () => {
    const body = qrcode({ maxTransactions: 3, custom: { table: 4 } });
    const reply = await app.call('/api/payments', { body, headers: { prefer: 'return=representation' } });
    expect(reply.status).toBe(201);
    expect(reply.headers.get('location')).toBe(`/api/payments/${reply.json.id}`);
    const { qrCode, ...payment } = reply.json;
    expect(payment).toEqual(await readPayment(app, payment.id));
    expect(payment).toMatchObject({ customMetadata: { table: 4 }, maxTransactions: 3, acceptedTransactions: 0 });
    const { content } = await readCodeBook(app, payment.reference);
    expect(qrCode).toEqual({ deeplink: null, content, svg: drawQrSvg(content) });
  });

  test('defaults to MEDIUM, STATIC, one payment, 24 hours and its reference as the rail’s description', async () => {
    const nulls = { qrSize: null, qrType: null, maxTransactions: null, endDate: null };
    const { reference, id, content } = await createCode(app, nulls, { description: 'Encomenda' });
    const inADay = new Date(app.clock.now().getTime() + 24 * HOUR_MS).toISOString();
    const payment = await readPayment(app, id);
    expect(payment).toMatchObject({ expiresAt: inADay, maxTransactions: 1, description: 'Encomenda' });
    const { body: json } = await askRail(app, '/codes/read', { content });
    expect(json).toMatchObject({ maxTransactions: 1, endDate: inADay, description: reference });
    const [stored] = await app.sql('select qr_size, qr_type from payments where id = $1', [id]);
    expect(stored).toEqual({ qr_size: 'MEDIUM', qr_type: 'STATIC' });
  });

  test('sends every setting of the code to the rail', async () => {
    const endDate = new Date(app.clock.now().getTime() + 30 * HOUR_MS).toISOString();
    const asked = { qrType: 'DYNAMIC', maxTransactions: 10_000, endDate, description: 'Mesa 4' };
    const { reference, content } = await createCode(app, asked, { amount: 0.01, description: 'not this one' });
    const terms = { amount: '0.01', currency: 'AOA', description: 'Mesa 4', status: 'ACTIVE' };
    const { body: json } = await askRail(app, '/codes/read', { content });
    expect(json).toEqual({
      ...terms,
      merchantId: 'demo-merchant',
      reference,
      accepted: 0,
      maxTransactions: 10_000,
      endDate,
    });
    const [stored] = await app.sql('select qr_type from payments where reference = $1', [reference]);
    expect(stored).toEqual({ qr_type: 'DYNAMIC' });
  });

  test.each(['onetimepurchase', 'webframe'])('ignores QR settings for %s', async (paymentMethod) => {
    const fields = { qrSize: 'HUGE', qrType: 7, maxTransactions: -1, endDate: 'yesterday' };
    const metadata = { paymentMethod, phoneNumber: '923000001', ...fields };
    const payment = await create(app, webframe({ metadata }));
    expect(payment).toMatchObject({ paymentMethod, maxTransactions: null, acceptedTransactions: null });
  });
});

describe('GET /api/payments/{paymentId}/qrcode', () => {
  const PNG = 'image/png';
  const SVG = 'image/svg+xml';
  test.each([
    { accept: undefined, type: PNG },
    { accept: '*/*', type: PNG },
    { accept: PNG, type: PNG },
    { accept: 'image/*', type: PNG },
    { accept: SVG, type: SVG },
    { accept: `${PNG};q=0.5, ${SVG}`, type: SVG },
    { accept: 'text/html', type: PNG },
  ])('returns $type for the header Accept: $accept', async ({ accept, type }) => {
    const { id, content } = await createCode(app, { qrSize: 'SMALL' });
    const headers: Record<string, string> = accept ? { accept } : {};
    const image = await callForImage(app, `/api/payments/${id}/qrcode`, { headers });
    expect([image.status, image.headers.get('vary')]).toEqual([200, expect.stringContaining('Accept')]);
    expect(image.headers.get('content-type')).toContain(type);
    const drawn = type === PNG ? drawQrPng(content, 150) : Buffer.from(drawQrSvg(content));
    expect(image.bytes.equals(drawn)).toBe(true);
  });

  test('returns 404 for a webframe', async () => {
    const { id } = await create(app, webframe());
    expect((await app.call(`/api/payments/${id}/qrcode`)).json).toMatchObject({ status: 404, code: 'not_found' });
  });
});
