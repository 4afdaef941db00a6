// The stock of a link: payments take and release units, and late money may oversell.
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { refusePush, switchOver } from '../../support/fallback.ts';
import { createLink, listPayments, readLink, sendForm, useLink, type Link } from '../../support/links.ts';
import {
  approved,
  NOTIFY_ENV,
  notify,
  readAttempts,
  readPayment,
  PENDING_PHONE,
  untilSent,
} from '../../support/notify.ts';
import { travelToStatus } from '../../support/payments.ts';
import { pay as payAtMachine, untilRegistered } from '../../support/ppr.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: NOTIFY_ENV });
});

type Use = { id: string; token: string };

const countsOf = async (link: Link) => {
  const { openPayments, paidPayments, status } = await readLink(app, link);
  return [openPayments, paidPayments, status];
};
const approve = async ({ id }: Use) => notify(app, (await untilSent(app, id)).id, approved());
/** Reports a push as approved although the rail refused it before. */
const approveLate = async ({ id }: Use) => notify(app, (await readAttempts(app, id)).at(-1).id, approved());
async function pay(use: Use): Promise<void> {
  await app.call(`/checkout/${use.token}/pay`, { body: { phoneNumber: PENDING_PHONE }, token: null });
  await approve(use);
  expect(await readPayment(app, use.id)).toMatchObject({ status: 'Paid' });
}
async function expire({ id }: Use): Promise<void> {
  const { expiresAt } = await readPayment(app, id);
  app.clock.leap(Date.parse(expiresAt) - app.clock.now().getTime() - 1_000);
  await travelToStatus(app, id, 'Expired');
}
const told = async (link: Link) => {
  const { json } = await app.call('/api/events?limit=500');
  return json.data.filter(({ details }: any) => details.linkId === link.id).map(({ type }: any) => type);
};
const notices = async () =>
  (await app.call('/v1/notificacoes?pageSize=100')).json.data.filter(({ tipo }: any) => tipo === 'link.oversold');

test('a payment takes one unit of the stock, and the last paid unit sells out the link', async () => {
  const link = await createLink(app, { stock: 2 });
  const first = await useLink(app, link);
  expect(await countsOf(link)).toEqual([1, 0, 'Active']);
  await pay(first);
  expect(await countsOf(link)).toEqual([0, 1, 'Active']);
  const second = await useLink(app, link);
  expect((await sendForm(app, link)).status).toBe(409);
  await pay(second);
  expect(await countsOf(link)).toEqual([0, 2, 'SoldOut']);
  expect(await told(link)).toEqual(['link.created', 'link.sold_out']);
  expect(await notices()).toEqual([]);
});

test('an expired or canceled payment releases its unit of the stock, and a refused push does not', async () => {
  const link = await createLink(app, { stock: 1 });
  const refused = await useLink(app, link);
  await refusePush(app, { id: refused.id, clientToken: refused.token });
  expect(await countsOf(link)).toEqual([1, 0, 'Active']);
  await expire(refused);
  expect(await countsOf(link)).toEqual([0, 0, 'Active']);
  const canceled = await useLink(app, link);
  expect((await app.call(`/api/payments/${canceled.id}/cancel`, { method: 'POST' })).status).toBe(200);
  expect(await countsOf(link)).toEqual([0, 0, 'Active']);
  await pay(await useLink(app, link));
  expect(await countsOf(link)).toEqual([0, 1, 'SoldOut']);
  const listed = await listPayments(app, link);
  expect(listed.map(({ status }) => status)).toEqual(['Paid', 'Canceled', 'Expired']);
  expect(await listPayments(app, link, '?status=paid')).toEqual([listed[0]]);
  expect(await listPayments(app, link, '?status=released')).toEqual(listed.slice(1));
});

test('late money for a link without free stock is recorded, and the merchant is notified', async () => {
  const link = await createLink(app, { stock: 1, title: 'A mesa' });
  const late = await useLink(app, link);
  await refusePush(app, { id: late.id, clientToken: late.token });
  await expire(late);
  const next = await useLink(app, link);
  await approveLate(late);
  expect(await readPayment(app, late.id)).toMatchObject({ status: 'Paid', late: true, amountPaid: 1500 });
  expect(await countsOf(link)).toEqual([1, 1, 'SoldOut']);
  await pay(next);
  expect(await countsOf(link)).toEqual([0, 2, 'SoldOut']);
  expect(await told(link)).toEqual(['link.created', 'link.sold_out', 'link.oversold']);
  expect(await notices()).toMatchObject([
    { mensagem: expect.stringContaining('«A mesa» tinha 1 e já recebeu pagamentos de 2') },
  ]);
});

test('a link without a stock limit counts its payments and never sells out', async () => {
  const link = await createLink(app);
  for (let nth = 0; nth < 3; nth++) await pay(await useLink(app, link));
  expect(await countsOf(link)).toEqual([0, 3, 'Active']);
  expect(await told(link)).toEqual(['link.created']);
});

describe("the switch of a link's payment to a reference", () => {
  const asks = ['name', 'nif'];
  const typed = { name: 'Ana Domingos', nif: '5417 123 456' };
  const kept = { customerName: 'Ana Domingos', documentNumber: '5417123456', customerEmail: null };

  async function takeReference(link: Link): Promise<{ first: Use; second: any }> {
    const first = await useLink(app, link, typed);
    const { json } = await switchOver(app, { clientToken: first.token });
    const [row] = await app.sql('select id from payments where replaces_id = $1', [first.id]);
    return { first, second: { ...(await readPayment(app, row.id)), token: json.clientToken } };
  }

  test("keeps the unit of the stock and the payer's data, and counts as one sale when paid", async () => {
    const link = await createLink(app, { stock: 1, asks, methods: ['push', 'reference'] });
    const { first, second } = await takeReference(link);
    expect(await readPayment(app, first.id)).toMatchObject({ status: 'Canceled', linkId: link.id, ...kept });
    expect(second).toMatchObject({ status: 'Pending', linkId: link.id, ...kept });
    expect(await countsOf(link)).toEqual([1, 0, 'Active']);
    await untilRegistered(app, second.reference);
    await payAtMachine(app, second);
    await until(async () => (await readPayment(app, second.id)).status === 'Paid', 'the reference being paid');
    expect(await countsOf(link)).toEqual([0, 1, 'SoldOut']);
    expect(await listPayments(app, link)).toMatchObject([{ internalId: second.internalId, status: 'Paid', ...kept }]);
  });

  test('releases the unit of the stock after three days without payment', async () => {
    const link = await createLink(app, { stock: 1, asks, methods: ['reference'] });
    const { second } = await takeReference(link);
    expect(Date.parse(second.expiresAt) - Date.parse(second.createdAt)).toBe(3 * 86_400_000);
    await expire({ id: second.internalId, token: '' });
    expect(await countsOf(link)).toEqual([0, 0, 'Active']);
  });

  test('counts as one sale if the replaced push is paid late', async () => {
    const link = await createLink(app, { stock: 1, asks, methods: ['push', 'reference'] });
    const first = await useLink(app, link, typed);
    await refusePush(app, { id: first.id, clientToken: first.token });
    await switchOver(app, { clientToken: first.token });
    expect(await countsOf(link)).toEqual([1, 0, 'Active']);
    await approveLate(first);
    expect(await countsOf(link)).toEqual([0, 1, 'SoldOut']);
    expect(await listPayments(app, link)).toMatchObject([{ internalId: first.id, status: 'Paid' }]);
  });
});

test("the list of payments, the events and the CSV contain the id of the link and the payer's data", async () => {
  const link = await createLink(app, { asks: ['email', 'phone'] });
  const { id } = await useLink(app, link, { email: 'Ana@Exemplo.AO', phone: '923 456 789' });
  const customer = { customerEmail: 'ana@exemplo.ao', customerTelephone: '+244923456789' };
  expect(await readPayment(app, id)).toMatchObject({ linkId: link.id, description: 'Bilhete', ...customer });
  expect(await listPayments(app, link)).toMatchObject([
    { internalId: id, status: 'Pending', amount: 1500, ...customer },
  ]);
  const { json } = await app.call('/api/events?limit=500');
  const { data } = json.data.findLast((event: any) => event.paymentId === id);
  expect(data).toMatchObject({ linkId: link.id, ...customer });
  const csv = await app.call(`/api/links/${link.id}/payments.csv?dialect=rfc4180`);
  expect(csv.text).toContain('ana@exemplo.ao');
});
