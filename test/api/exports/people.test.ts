// Files say who paid, who charged, and how much the bank credits. Their sums are those of the movements.
import { beforeAll, describe, expect, test } from 'vitest';
import type { Dialect } from '../../../server/exports/csv.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { addMoney, addRefund } from '../../support/books.ts';
import { readCsv } from '../../support/csv.ts';
import { createLink, useLink, type Link } from '../../support/links.ts';
import { addMember } from '../../support/members.ts';
import { purchase, travelToStatus } from '../../support/payments.ts';
import { PPR } from '../../support/ppr.ts';

let app: TestApp;
let shop: Awaited<ReturnType<TestApp['addMerchant']>>;
let cashier: Awaited<ReturnType<typeof addMember>>;
let link: Link;
const token = { person: '', shop: '' };

beforeAll(async () => {
  app = await startTestApp();
  shop = await app.addMerchant({ entity: '00777' });
  cashier = await addMember(app, { merchantId: shop.merchantId, role: 'Cashier' });
  [token.person, token.shop] = [await cashier.token(), shop.token];
  await app.sql("update users set first_name = 'Rosa', last_name = 'Cassoma' where id = $1", [cashier.userId]);
  const own = { ...app, call: (path: string, options = {}) => app.call(path, { token: token.shop, ...options }) };
  const pushed = await app.call('/api/payments', { token: token.person, body: purchase('900000000') });
  await travelToStatus(own, pushed.json.internalId, 'Paid');
  const metadata = { referenceType: 'Dynamic', customerName: 'Ana Bumba', documentNumber: '006151112LA041' };
  const customerTelephone = '923 456 789';
  const body = { amount: 10, currency: 'AOA', paymentType: 'PPR', metadata: { ...metadata, customerTelephone } };
  expect((await own.call('/api/payments', { body })).status).toBe(201);
  link = await createLink(own as TestApp, { asks: ['name', 'phone', 'nif'], title: 'Curso de inglês' });
  await useLink(own, link, { name: 'Rui Neto', phone: '924000111', nif: '5417999999' });
});

const file = async (path: string, dialect: Dialect = 'rfc4180', language = 'pt') => {
  const headers = { accept: 'text/csv', 'accept-language': language };
  const { text } = await app.call(`${path}${path.includes('?') ? '&' : '?'}dialect=${dialect}`, {
    token: token.shop,
    headers,
  });
  return readCsv(text, dialect === 'excel' ? ';' : ',');
};
const pick = (rows: Record<string, string>[], ...names: string[]) => rows.map((row) => names.map((name) => row[name]));

describe('the file of payments', () => {
  test('names the customer, the phone, the person or client that charged, and the link', async () => {
    const names = ['Customer', 'Tax number', 'Mobile number', 'Charged by', 'Payment link'];
    expect(pick(await file('/api/payments'), ...names)).toEqual([
      ['Rui Neto', '5417999999', '+244924000111', '', 'Curso de inglês'],
      ['Ana Bumba', '006151112LA041', '923 456 789', 'test', ''],
      ['', '', '+244900000000', 'Rosa Cassoma', ''],
    ]);
  });

  test.each([
    ['pt', 'Tipo|Forma de pagamento|Estado|Situação|Telemóvel', 'Multicaixa Express|Pago|Pago'],
    ['en', 'Type|Method|Status|Standing|Mobile number', 'Multicaixa Express|Paid|Paid'],
    ['fr', 'Type|Mode de paiement|État|Situation|Numéro de mobile', 'Multicaixa Express|Payé|Payé'],
  ])('has the words of %s for people', async (language, titles, words) => {
    const rows = pick(await file('/api/payments?status=Paid', 'excel', language), ...titles.split('|'));
    expect(rows).toEqual([['Multicaixa Express', ...words.split('|'), "'+244900000000"]]);
  });

  test('has the fees of a payment’s movements and their net, which is the sum of the movements’ net', async () => {
    const who = await app.addMerchant();
    const money = await addMoney(app, who, { minor: 100_000, feeMinor: 1_250 });
    await app.sql(
      `insert into transactions (id, merchant_id, payment_id, rail, provider_ref, amount_minor, currency, status, late,
        occurred_at, created_at, period, fee_minor, details)
       select gen_random_uuid(), merchant_id, payment_id, rail, 'second', 333, 'AOA', status, late, occurred_at,
        created_at, period, 7, '{}' from transactions where id = $1`,
      [money.id],
    );
    await addRefund(app, who, money, { minor: 30_000 });
    await addRefund(app, who, money, { minor: 5_000, method: 'manual' });
    await addRefund(app, who, money, { minor: 900, status: 'Failed' });
    const unpaid = await addMoney(app, who, { minor: 50_000, feeMinor: null });
    await app.sql('delete from transactions where id = $1', [unpaid.id]);
    const read = async (path: string) => {
      const { text } = await app.call(`${path}?dialect=rfc4180`, { token: who.token, headers: { accept: 'text/csv' } });
      return readCsv(text, ',');
    };
    const payments = pick(await read('/api/payments'), 'Internal id', 'Fee', 'Net');
    expect(payments.toSorted()).toEqual(
      [
        [money.paymentId, '12.57', '690.76'],
        [unpaid.paymentId, '', ''],
      ].toSorted(),
    );
    await app.sql("update refunds set requested_by_kind = 'user', requested_by_id = $1 where payment_id = $2", [
      cashier.userId,
      money.paymentId,
    ]);
    expect(new Set(pick(await read('/api/refunds'), 'Refunded by').flat())).toEqual(new Set(['Rosa Cassoma']));
    const nets = pick(await read('/api/transactions'), 'Net').map(([net]) => Math.round(Number(net) * 100));
    expect(nets.reduce((sum, net) => sum + net, 0)).toBe(69_076);
  });
});

test('the files of references, link payments and movements name the customer and the person who charged', async () => {
  const [reference] = await file(PPR);
  expect(reference).toMatchObject({ Customer: 'Ana Bumba', 'Mobile number': '923 456 789', 'Charged by': 'test' });
  const [used] = await file(`/api/links/${link.id}/payments`);
  expect(used).toMatchObject({ Customer: 'Rui Neto', 'Mobile number': '+244924000111', Refunded: '0.00', Fee: '' });
  const [movement] = await file('/api/transactions');
  expect(movement).toMatchObject({ 'Mobile number': '+244900000000', 'Charged by': 'Rosa Cassoma', Customer: '' });
});
