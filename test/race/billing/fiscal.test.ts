// Credit notes and certificates of one invoice that many ask for at once, on two nodes.
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { certifyDocument } from '../../../server/billing/certify.ts';
import { creditInvoice } from '../../../server/billing/credit.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { addPlan, choose, endMonth, untilInvoices } from '../../support/billing.ts';
import { openShop } from '../../support/callbacks.ts';
import { testClock } from '../../support/clock.ts';

const actor = { kind: 'operator', id: 'ana', address: null } as const;

let nodes: [TestApp, TestApp];
let invoiceId: string;
beforeAll(async () => {
  const app = await startTestApp({ clock: testClock() });
  nodes = [app, await app.startTwin()];
});
beforeEach(async () => {
  const [app] = nodes;
  const shop = await openShop(app);
  await choose(shop, await addPlan(app));
  endMonth(app);
  [{ id: invoiceId }] = (await untilInvoices(app, shop, 1)) as [{ id: string }];
});

const coreOf = (nth: number) => (nodes[nth % 2] as TestApp).node.core;

test('together they never credit more than the invoice, and their numbers have no gap', async () => {
  // Of 15 000 Kz: seven of them fit.
  const credit = (nth: number) =>
    creditInvoice(coreOf(nth), { invoiceId, asked: { amount: '2000', reason: `Vez ${nth}` }, actor });
  const results = (await Promise.all(Array.from({ length: 12 }, (_, nth) => credit(nth)))).map(({ result }) => result);
  expect(results.filter((result) => result === 'new')).toHaveLength(7);
  expect(results.filter((result) => result === 'too_much')).toHaveLength(5);
  const notes = await nodes[0].sql('select serial, subtotal_minor, tax_minor from credit_notes order by serial');
  expect(notes.map(({ serial }) => serial)).toEqual(notes.map((_, nth) => nth + 1));
  const own = await nodes[0].sql(
    'select sum(subtotal_minor)::int as net, sum(tax_minor)::int as tax from credit_notes where invoice_id = $1',
    [invoiceId],
  );
  expect(own).toEqual([{ net: 1_400_000, tax: 196_000 }]);
});

test('for one reason there is one note, however often it is asked for', async () => {
  const asked = { amount: 'all', reason: 'Anulado' };
  const results = await Promise.all(
    Array.from({ length: 8 }, (_, nth) => creditInvoice(coreOf(nth), { invoiceId, asked, actor })),
  );
  expect(results.map(({ result }) => result).toSorted()).toEqual([...Array(7).fill('credited'), 'new']);
  expect(await nodes[0].sql('select from credit_notes where invoice_id = $1', [invoiceId])).toHaveLength(1);
});

test('of different certificates the first one stays, and is told of once', async () => {
  const certify = (nth: number) =>
    certifyDocument(coreOf(nth), {
      documentId: invoiceId,
      asked: {
        number: `${invoiceId} ${nth}`,
        series: 'FT',
        url: null,
        hash: 'x',
        issuedAt: null,
        file: Buffer.from('%PDF-'),
      },
      actor,
    });
  const results = await Promise.all(Array.from({ length: 8 }, (_, nth) => certify(nth)));
  expect(results.map(({ result }) => result).toSorted()).toEqual([...Array(7).fill('different'), 'new']);
  const told = `select from events where type = 'invoice.certified' and details ->> 'invoiceId' = $1`;
  expect(await nodes[0].sql(told, [invoiceId])).toHaveLength(1);
});
