import { afterEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { addPlan, choose, endMonth, refund, untilInvoices, untilIssued, use } from '../../support/billing.ts';
import { openCallbackFixture, sell, type CallbackFixture } from '../../support/callbacks.ts';
import { testClock } from '../../support/clock.ts';

let app: TestApp;
let fixture: CallbackFixture;
const start = async (env: Record<string, string> = {}) => {
  app = await startTestApp({ clock: testClock('2026-11-10T12:00:00.000Z'), env });
  fixture = await openCallbackFixture(app);
};
afterEach(() => app?.stop());

const invoice = async (id: string, headers: Record<string, string> = {}) =>
  fixture.call(`/api/billing/invoices/${id}`, { headers });
const list = async (query = '') => (await fixture.call(`/api/billing/invoices${query}`)).json;
const lines = async (id: string) =>
  (await invoice(id)).json.lines.map(({ kind, quantity, amount }: any) => [kind, quantity, amount]);

test('an invoice is issued to subscribers only, at the end of the month, with event and notification', async () => {
  await start();
  const without = await openCallbackFixture(app);
  await use(app, without, app.clock.now().toISOString(), { count: 3 });
  await choose(fixture, await addPlan(app, { name: 'Loja' }));
  for (let nth = 0; nth < 3; nth++) await sell(app, fixture);
  endMonth(app, -2_000);
  await app.clock.advance(1_999);
  expect((await list()).data).toEqual([]);
  const [listed] = await untilInvoices(app, fixture, 1);
  // The demo merchant gets the second invoice.
  await untilIssued(app, 2);
  expect((await without.call('/api/billing/invoices')).json.totalItems).toBe(0);
  expect(listed).toEqual({
    id: expect.any(String),
    // The demo merchant's invoice of this month takes the other number.
    number: expect.stringMatching(/^EC 2026\/00000[12]$/),
    title: 'Extracto mensal · documento sem valor fiscal',
    fiscal: null,
    credited: 0,
    month: '2026-11',
    issuedAt: expect.stringMatching(/^2026-11-30T23:0/),
    currency: 'AOA',
    subtotal: 15_050,
    tax: 2_107,
    total: 17_157,
  });
  const details = (await invoice(listed.id)).json;
  expect(details).toEqual({
    ...listed,
    issuer: { name: 'Balcão', taxId: null, address: null },
    payment: { iban: null, holder: null, dueOn: null, note: null, contact: null, reference: listed.number },
    amountDue: 17_157,
    merchantName: 'Outra Loja',
    merchantTaxId: null,
    plan: 'Loja',
    taxPercent: 14,
    payments: 3,
    refunds: 0,
    creditNotes: [],
    lines: [
      { kind: 'subscription', description: 'Plano Loja, mensalidade', quantity: 1, unitPrice: 15_000, amount: 15_000 },
      { kind: 'payments', description: 'Pagamentos além dos 2 incluídos', quantity: 1, unitPrice: 50, amount: 50 },
    ],
  });
  const events = (await fixture.call('/api/events?limit=500')).json.data;
  const issuedEvents = events.filter(({ type }: any) => type === 'invoice.issued');
  expect(issuedEvents.map(({ details: of }: any) => of)).toEqual([
    { invoiceId: listed.id, number: listed.number, month: '2026-11', total: 17_157, currency: 'AOA' },
  ]);
  const { data: notes } = (await fixture.call('/v1/notificacoes')).json;
  expect(notes).toMatchObject([{ tipo: 'invoice.issued', titulo: `Extracto mensal ${listed.number}`, estado: 0 }]);
  expect(notes[0].mensagem.replaceAll('\u00a0', ' ')).toContain('Novembro de 2026 está pronto: 17 157,00 Kz');
});

describe('the invoice of a month', () => {
  test('has the payments before midnight in Luanda, and the next invoice has those recorded later', async () => {
    await start();
    await use(app, fixture, '2026-10-31T22:59:59.999Z', { count: 100 });
    await choose(fixture, await addPlan(app));
    await use(app, fixture, '2026-10-31T23:00:00.000Z');
    await use(app, fixture, '2026-11-30T22:59:59.999Z', { count: 3 });
    await use(app, fixture, '2026-11-30T23:30:00.000Z', { count: 4 });
    endMonth(app);
    const [november] = await untilInvoices(app, fixture, 1);
    // The hundred earlier payments are older than the subscription.
    expect((await invoice(november.id)).json.payments).toBe(4);
    await use(app, fixture, '2026-11-30T22:59:59.999Z', { count: 2 });
    endMonth(app);
    const [december] = await untilInvoices(app, fixture, 2);
    expect(december.month).toBe('2026-12');
    expect((await invoice(december.id)).json.payments).toBe(6);
    expect((await invoice(november.id)).json.payments).toBe(4);
    endMonth(app);
    const [january] = await untilInvoices(app, fixture, 3);
    expect(await lines(january.id)).toEqual([['subscription', 1, 15_000]]);
    const [open] = await app.sql('select count(*) from usage_entries where invoice_id is null and merchant_id = $1', [
      fixture.merchantId,
    ]);
    expect(open.count).toBe('100');
  });

  test('has a number that restarts at 1 each year', async () => {
    await start();
    await choose(fixture, await addPlan(app));
    endMonth(app);
    // The demo merchant also gets an invoice each month. Its number has the year in which the gateway issues it.
    await untilIssued(app, 2);
    endMonth(app);
    await untilIssued(app, 4);
    endMonth(app);
    const rows = await untilIssued(app, 6);
    // The invoice of December is issued in January.
    expect(rows.map(({ year, serial }) => `${year}/${serial}`)).toEqual([
      '2026/1',
      '2026/2',
      '2027/1',
      '2027/2',
      '2027/3',
      '2027/4',
    ]);
    expect(rows[2].month).toBe('2026-12');
    expect((await list('?pageSize=2')).data.map(({ month }: any) => month)).toEqual(['2027-01', '2026-12']);
    expect(await list('?pageSize=2&page=2')).toMatchObject({
      totalItems: 3,
      totalPages: 2,
      data: [{ month: '2026-11' }],
    });
  });
});

test('an invoice counts the refunds of its month, which do not change the total', async () => {
  await start();
  await choose(fixture, await addPlan(app));
  for (let nth = 0; nth < 3; nth++) await sell(app, fixture);
  await refund(app, fixture, '2026-10-31T22:59:59.999Z', { count: 10 });
  await refund(app, fixture, '2026-10-31T23:00:00.000Z');
  await refund(app, fixture, '2026-11-30T22:59:59.999Z', { count: 2, method: 'manual' });
  await refund(app, fixture, '2026-11-30T12:00:00.000Z', { status: 'Failed' });
  await refund(app, fixture, '2026-11-30T23:00:00.000Z', { count: 4 });
  endMonth(app);
  const [november] = await untilInvoices(app, fixture, 1);
  expect((await invoice(november.id)).json).toMatchObject({ payments: 3, refunds: 3, subtotal: 15_050 });
  endMonth(app);
  const [december] = await untilInvoices(app, fixture, 2);
  expect((await invoice(december.id)).json).toMatchObject({ payments: 0, refunds: 4, subtotal: 15_000 });
});

test('overdue invoices are issued one per month, each with the plan of that month', async () => {
  await start();
  const [first, second] = [await addPlan(app, { name: 'Um' }), await addPlan(app, { name: 'Dois', monthlyFee: '0' })];
  await choose(fixture, first);
  await choose(fixture, second);
  await use(app, fixture, '2026-11-20T12:00:00.000Z', { count: 3 });
  await use(app, fixture, '2027-01-31T22:59:59.999Z', { count: 5 });
  app.clock.leap(Date.parse('2027-03-15T12:00:00.000Z') - app.clock.now().getTime());
  const all = await untilInvoices(app, fixture, 4);
  expect(all.map(({ month, subtotal, issuedAt }) => [month, subtotal, issuedAt.slice(0, 10)])).toEqual([
    ['2027-02', 0, '2027-03-15'],
    ['2027-01', 150, '2027-03-15'],
    ['2026-12', 0, '2027-03-15'],
    ['2026-11', 15_050, '2027-03-15'],
  ]);
  const plans = await Promise.all(all.map(async ({ id }) => (await invoice(id)).json.plan));
  expect(plans).toEqual(['Dois', 'Dois', 'Dois', 'Um']);
  const subscription = (await fixture.call('/api/billing/subscription')).json;
  expect(subscription).toMatchObject({ plan: { id: second }, since: '2026-12', next: null });
});

test('the PDF of an issued invoice stays the same after a configuration change', async () => {
  await start({
    BILLING_ISSUER: 'Balcão, Lda.',
    BILLING_TAX_ID: '5417',
    BILLING_TAX_BPS: '700',
    BILLING_ADDRESS: 'Rua da Missão, 12, Luanda',
    BILLING_IBAN: 'AO83 0040 0000 1234 5678 1011 4',
    BILLING_DUE_DAYS: '10',
    BILLING_PAYMENT_NOTE: 'Envie o comprovativo.',
    OPERATOR_CONTACT: '923 000 111',
  });
  await choose(fixture, await addPlan(app));
  endMonth(app);
  const [{ id, number, tax }] = await untilInvoices(app, fixture, 1);
  expect(tax).toBe(1_050);
  const ask = async (accept: string) => {
    const response = await fetch(`${app.url}/api/billing/invoices/${id}`, {
      headers: { authorization: `Bearer ${await fixture.tokenFor({})}`, accept },
    });
    return { response, bytes: Buffer.from(await response.arrayBuffer()) };
  };
  const { response, bytes } = await ask('application/pdf');
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/pdf');
  expect(response.headers.get('content-disposition')).toBe(`inline; filename="${number.replace(/[ /]/g, '-')}.pdf"`);
  expect(response.headers.get('vary')).toContain('Accept');
  expect(bytes.subarray(0, 5).toString()).toBe('%PDF-');
  const { json } = await invoice(id);
  expect(json.issuer).toEqual({ name: 'Balcão, Lda.', taxId: '5417', address: 'Rua da Missão, 12, Luanda' });
  expect(json.payment).toEqual({
    iban: 'AO83004000001234567810114',
    holder: 'Balcão, Lda.',
    reference: number,
    dueOn: '2026-12-11',
    note: 'Envie o comprovativo.',
    contact: '923 000 111',
  });
  const later = { BILLING_ISSUER: 'Outra', BILLING_TAX_ID: '', BILLING_TAX_BPS: 0, BILLING_ADDRESS: '' };
  Object.assign(app.node.core.config, later, { BILLING_IBAN: undefined, OPERATOR_CONTACT: '' });
  expect((await ask('application/pdf')).bytes.equals(bytes)).toBe(true);
  expect((await invoice(id)).json).toEqual(json);
  for (const accept of ['*/*', 'application/json', 'text/html'])
    expect((await ask(accept)).response.headers.get('content-type')).toMatch(/^application\/json/);
});
