import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { openCallbackFixture } from '../../support/callbacks.ts';
import { switchOver } from '../../support/fallback.ts';
import { createLink, useLink } from '../../support/links.ts';
import { create, purchase, travelToStatus, webframe } from '../../support/payments.ts';
import { createPayable, pay } from '../../support/ppr.ts';
import { createCode, scanCode } from '../../support/qrcodes.ts';
import { readCsv } from '../../support/csv.ts';
import { RECEIVER_ENV, startReceiver, type Receiver } from '../../support/receiver.ts';

let app: TestApp;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
  app = await startTestApp({ env: RECEIVER_ENV });
});

const file = async (path: string) => {
  const { text } = await app.call(path, { headers: { accept: 'text/csv', 'accept-language': 'en' } });
  return readCsv(text, ';');
};

describe("the payer's tax number of a push", () => {
  test('is in the payment, the events, the transactions and both CSV files', async () => {
    const documentNumber = '5417123456';
    const asked = purchase('900000000', {
      metadata: { paymentMethod: 'onetimepurchase', phoneNumber: '900000000', documentNumber: ' 5417 123-456 ' },
    });
    const { id } = await create(app, asked);
    const { transactions, reference, ...payment } = await travelToStatus(app, id, 'Paid');
    expect(payment).toMatchObject({ documentNumber, paymentMethod: 'onetimepurchase' });
    const { occurredAt, transactionNumber } = transactions[0];
    expect(transactionNumber).toMatch(/^\d+$/);

    const { data: events } = (await app.call('/api/events?limit=500')).json;
    const paid = events.find((event: any) => event.paymentId === id && event.type === 'payment.paid');
    expect(paid.data).toMatchObject({ documentNumber, paymentMethod: 'onetimepurchase', transactions });

    const told = { documentNumber, paymentMethod: 'onetimepurchase', occurredAt, transactionNumber };
    expect((await app.call(`/api/transactions?reference=${reference}`)).json.data).toMatchObject([told]);
    const line = { 'Tax number': documentNumber, Method: 'Multicaixa Express', 'Transaction no.': transactionNumber };
    expect(await file(`/api/payments?reference=${reference}`)).toMatchObject([line]);
    expect(await file(`/api/transactions?reference=${reference}`)).toMatchObject([line]);
  });

  test('may be the number of an identity card, and is null if absent', async () => {
    const withCard = webframe({ metadata: { documentNumber: '006151112la041' } });
    expect((await create(app, withCard)).documentNumber).toBe('006151112LA041');
    expect((await create(app, webframe({ metadata: { documentNumber: null } }))).documentNumber).toBeNull();
  });
});

test('is kept by the reference that replaces the push', async () => {
  const asked = webframe({ metadata: { documentNumber: '5417123456', methods: ['push', 'reference'] } });
  const { id, clientToken } = await create(app, asked);
  expect((await switchOver(app, { clientToken })).status).toBe(201);
  const [row] = await app.sql('select id from payments where replaces_id = $1', [id]);
  expect((await app.call(`/api/payments/${row.id}`)).json.documentNumber).toBe('5417123456');
  expect((await app.call(`/api/payments/${id}`)).json.documentNumber).toBe('5417123456');
});

test('of references and links is in the CSV files too', async () => {
  const { token } = await app.addMerchant({ entity: '00777' });
  const own = { ...app, call: (path: string, options = {}) => app.call(path, { token, ...options }) };
  const metadata = { referenceType: 'Dynamic', documentNumber: 'N 0042' };
  const body = { amount: 10, currency: 'AOA', paymentType: 'PPR', metadata };
  expect((await own.call('/api/payments', { body })).status).toBe(201);
  const link = await createLink(app, { asks: ['nif'] });
  await useLink(app, link, { nif: '5417 999 999' });
  const listed = await own.call('/api/payments', { headers: { accept: 'text/csv', 'accept-language': 'en' } });
  expect(readCsv(listed.text, ';')).toMatchObject([{ 'Tax number': 'N 0042', 'Transaction no.': '' }]);
  expect((await file('/api/payments')).map((line) => line['Tax number'])).toContain('5417999999');
});

describe('a callback', () => {
  test("contains the payer's tax number of a reference and of a QR code", async () => {
    const shop = await openCallbackFixture(app, `${receiver.url}/hook`);
    const own = { ...app, call: shop.call };
    await pay(own, await createPayable(own, { documentNumber: '5417123456' }));
    const code = await createCode(own, { documentNumber: '006151112LA041' });
    await scanCode(own, code.content);
    const bodies = (await receiver.received(2)).map(({ json }) => json);
    expect(bodies.find(({ paymentMethod }) => paymentMethod === 'reference')).toMatchObject({
      documentNumber: '5417123456',
    });
    expect(bodies.find(({ paymentMethod }) => paymentMethod === 'qrcode')).toMatchObject({
      documentNumber: '006151112LA041',
    });
  });
});
