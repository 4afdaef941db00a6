// Creating a QR code: the image and its headers, the JSON form, sizes, defaults, and reading the image again.
import { beforeAll, describe, expect, test } from 'vitest';
import { QR_SIZES } from '../../../../shared/methods.ts';
import { drawQrPng, drawQrSvg } from '../../../../server/payments/qr/image.ts';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { readEventTypes, readPayment } from '../../../support/notify.ts';
import { create, purchase, webframe } from '../../../support/payments.ts';
import { askRail, callForImage, createCode, qrcode, readCodeBook, readPng } from '../../../support/qrcodes.ts';

const HOUR_MS = 3_600_000;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const createImage = (metadata: object = {}, changes: object = {}) =>
  callForImage(app, '/api/payments', { body: qrcode({ ...metadata }, { ...changes }) });

describe('creating one', () => {
  test('answers 200 with the image, and its headers lead on', async () => {
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
    'in %s is %i px wide, and reads back',
    async (qrSize, sizePx) => {
      const { headers, bytes } = await createImage({ qrSize });
      const { reference } = await readPayment(app, headers.get('payment-id') ?? '');
      const { content } = await readCodeBook(app, reference);
      expect(readPng(bytes)).toEqual({ width: sizePx, height: sizePx, content });
      expect(bytes.equals(drawQrPng(content, sizePx))).toBe(true);
    },
  );

  test('with Prefer: return=representation answers 201 with everything as JSON', async () => {
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

  test('without wishes is MEDIUM, STATIC, for one payment, for 24 hours, described at the rail by its reference', async () => {
    const { reference, id, content } = await createCode(app, {
      qrSize: null,
      qrType: null,
      maxTransactions: null,
      endDate: null,
    });
    const inADay = new Date(app.clock.now().getTime() + 24 * HOUR_MS).toISOString();
    const payment = await readPayment(app, id);
    expect(payment).toMatchObject({ expiresAt: inADay, maxTransactions: 1, description: null });
    const { json } = await askRail(app, '/codes/read', { content });
    expect(json).toMatchObject({ maxTransactions: 1, endDate: inADay, description: reference });
    const [stored] = await app.sql('select qr_size, qr_type from payments where id = $1', [id]);
    expect(stored).toEqual({ qr_size: 'MEDIUM', qr_type: 'STATIC' });
  });

  test('tells the rail everything that was asked for', async () => {
    const endDate = new Date(app.clock.now().getTime() + 30 * HOUR_MS).toISOString();
    const asked = { qrType: 'DYNAMIC', maxTransactions: 10_000, endDate, description: 'Mesa 4' };
    const { reference, content } = await createCode(app, asked, { amount: 0.01, description: 'not this one' });
    const terms = { amount: '0.01', currency: 'AOA', description: 'Mesa 4', status: 'ACTIVE' };
    const { json } = await askRail(app, '/codes/read', { content });
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

  test('described by the top-level text alone is described at the rail by its reference (decisions §3)', async () => {
    const { id, reference, content } = await createCode(app, {}, { description: 'Encomenda' });
    expect((await readPayment(app, id)).description).toBe('Encomenda');
    const { json } = await askRail(app, '/codes/read', { content });
    expect(json.description).toBe(reference);
  });

  test.each(['onetimepurchase', 'webframe'])('is not what %s does with such fields', async (paymentMethod) => {
    const fields = { qrSize: 'HUGE', qrType: 7, maxTransactions: -1, endDate: 'yesterday' };
    const metadata = { paymentMethod, phoneNumber: '923000001', ...fields };
    const payment = await create(app, webframe({ metadata }));
    expect(payment).toMatchObject({ paymentMethod, maxTransactions: null, acceptedTransactions: null });
  });

  test('twice without a key makes two codes', async () => {
    const body = qrcode();
    const contents = await Promise.all(
      [1, 2].map(async () => readPng((await callForImage(app, '/api/payments', { body })).bytes).content),
    );
    expect(new Set(contents).size).toBe(2);
  });
});

describe('its image again', () => {
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
  ])('accepting $accept is $type', async ({ accept, type }) => {
    const { id, content } = await createCode(app, { qrSize: 'SMALL' });
    const headers: Record<string, string> = accept ? { accept } : {};
    const image = await callForImage(app, `/api/payments/${id}/qrcode`, { headers });
    expect([image.status, image.headers.get('vary')]).toEqual([200, expect.stringContaining('Accept')]);
    expect(image.headers.get('content-type')).toContain(type);
    const drawn = type === PNG ? drawQrPng(content, 150) : Buffer.from(drawQrSvg(content));
    expect(image.bytes.equals(drawn)).toBe(true);
  });

  test.each([
    ['webframe', () => webframe()],
    ['onetimepurchase', () => purchase('923000002')],
  ])('of a %s does not exist', async (_name, write) => {
    const { id } = await create(app, write());
    expect((await app.call(`/api/payments/${id}/qrcode`)).json).toMatchObject({ status: 404, code: 'not_found' });
  });

  test.each([
    ['nothing', '00000000-0000-7000-8000-000000000000'],
    ['no id', 'x'],
  ])('of %s does not exist', async (_, id) => {
    expect((await app.call(`/api/payments/${id}/qrcode`)).json).toMatchObject({ status: 404, code: 'not_found' });
  });

  test('of another merchant does not exist either', async () => {
    const { id } = await createCode(app);
    const { token } = await app.addMerchant();
    expect((await app.call(`/api/payments/${id}/qrcode`, { token })).status).toBe(404);
    expect((await app.call(`/api/payments/${id}/qrcode`)).status).toBe(200);
  });
});
