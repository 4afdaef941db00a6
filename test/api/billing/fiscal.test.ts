import { createServer } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { requestCertification } from '../../../server/billing/handover.ts';
import { inTransaction } from '../../../server/database/orm.ts';
import { creditInvoice } from '../../../server/billing/credit.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { addPlan, choose, endMonth, untilInvoices } from '../../support/billing.ts';
import { openCallbackFixture, type CallbackFixture } from '../../support/callbacks.ts';
import { creepUntil } from '../../support/payments.ts';
import { expectEnd, expectRefusal, NO_TERMINAL, operate, operateJson, readAudit } from '../../support/cli.ts';
import { SCRATCH } from '../../support/scratch.ts';

const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;

let app: TestApp;
let fixture: CallbackFixture;
/** The number of subscribed merchants. Each test uses one of them. Their month ends once, before the tests. */
const TESTS = 10;
const subscribers: CallbackFixture[] = [];
let invoiceId: string;
let env: Record<string, string>;
let folder: string;
let pdf: string;
/** The requests that the certifying program received. `answer` is the status of its response. */
const certifierRequests: { headers: Record<string, string>; body: string }[] = [];
let answer = 200;
const certifier = createServer((req, res) => {
  let body = '';
  req.on('data', (chunk) => (body += chunk));
  req.on('end', () => {
    certifierRequests.push({ headers: req.headers as Record<string, string>, body });
    res.writeHead(answer).end();
  });
});

beforeAll(async () => {
  await new Promise<void>((resolve) => certifier.listen(0, '127.0.0.1', resolve));
  const { port } = certifier.address() as { port: number };
  env = {
    BILLING_CERTIFIER_URL: `http://127.0.0.1:${port}/certify`,
    BILLING_CERTIFIER_SECRET: SECRET,
  };
  app = await startTestApp({ env });
  folder = await mkdtemp(`${SCRATCH}/fiscal-`);
  pdf = `${folder}/certified.pdf`;
  await writeFile(pdf, '%PDF-1.4 certified');
  const planId = await addPlan(app);
  for (let count = 0; count < TESTS; count++) {
    const subscriber = await openCallbackFixture(app);
    await choose(subscriber, planId);
    const body = { taxId: '5417123456' };
    await subscriber.call(`/api/merchants/${subscriber.merchantId}`, { method: 'PUT', body });
    subscribers.push(subscriber);
  }
  endMonth(app);
});
afterAll(async () => {
  certifier.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  answer = 200;
  fixture = subscribers.pop()!;
  [{ id: invoiceId }] = (await untilInvoices(app, fixture, 1)) as [{ id: string }];
});

const read = async () => (await fixture.call(`/api/billing/invoices/${invoiceId}`)).json;
const download = async (path: string) => {
  const headers = { authorization: `Bearer ${await fixture.tokenFor({})}`, accept: 'application/pdf' };
  const response = await fetch(`${app.url}/api/billing/${path}`, { headers });
  return { name: response.headers.get('content-disposition'), text: await response.text() };
};
const events = async (type: string) =>
  (await fixture.call('/api/events?limit=500')).json.data.filter((event: any) => event.type === type);

let nth = 0;
/** The arguments of `invoice certify`. Each document gets the next number. */
const certified = (id: string, changes: Record<string, string> = {}) => {
  const given = { number: String(++nth), series: 'FT LOJA2026', hash: 'aB3x', file: pdf, ...changes };
  return ['invoice', 'certify', id, ...Object.entries(given).flatMap(([name, value]) => [`--${name}`, value])];
};

describe('the command `invoice certify`', () => {
  test('replaces the PDF of the invoice by the certified document', async () => {
    expect(await read()).toMatchObject({ fiscal: null, title: 'Extracto mensal · documento sem valor fiscal' });
    expect((await download(`invoices/${invoiceId}`)).name).toContain('EC-2026');
    const url = 'https://factura.example/1';
    const args = certified(invoiceId, { url, 'issued-at': '2026-04-01T09:00:00Z' });
    expect(await operateJson(app, ...args)).toMatchObject({ documentId: invoiceId, isNew: true });
    const fiscal = {
      number: String(nth),
      series: 'FT LOJA2026',
      url,
      hash: 'aB3x',
      issuedAt: '2026-04-01T09:00:00.000Z',
    };
    expect(await read()).toMatchObject({ fiscal, title: 'Extracto mensal', number: expect.stringMatching(/^EC /) });
    const { data } = (await fixture.call('/api/billing/invoices')).json;
    expect(data[0].fiscal).toEqual(fiscal);
    expect(await download(`invoices/${invoiceId}`)).toEqual({
      name: `inline; filename="FT-LOJA2026-${nth}.pdf"`,
      text: '%PDF-1.4 certified',
    });
    expect(await events('invoice.certified')).toMatchObject([
      { details: { invoiceId, creditNoteId: null, fiscalSeries: 'FT LOJA2026', fiscalNumber: String(nth) } },
    ]);
  });

  test('changes nothing if repeated, and refuses another certificate or a used number', async () => {
    const args = certified(invoiceId);
    await operateJson(app, ...args);
    const first = await read();
    app.clock.leap(1_000);
    expect(await operateJson(app, ...args)).toMatchObject({ isNew: false });
    const number = args[args.indexOf('--number') + 1] as string;
    const other = { number: `${number}b`, series: 'FT B', hash: 'zzzz', url: 'https://factura.example/2' };
    for (const [name, value] of Object.entries(other))
      await expectRefusal(app, certified(invoiceId, { number, [name]: value }), 1, 'already. Only a credit note');
    expect(await read()).toEqual(first);
    expect(await readAudit(app, 'invoice.certified', fixture.merchantId)).toHaveLength(1);
    expect(await events('invoice.certified')).toHaveLength(1);
    const { result, note } = (await creditInvoice(app.node.core, {
      invoiceId,
      input: { amount: '1', reason: 'x' },
      actor: { kind: 'operator', id: 'x', address: null },
    })) as { result: string; note: { id: string } };
    expect(result).toBe('new');
    await expectRefusal(app, certified(note.id, { number }), 1, 'certifies another document already');
    expect(await operateJson(app, ...certified(note.id))).toMatchObject({ isNew: true });
    expect((await download(`credit-notes/${note.id}`)).text).toBe('%PDF-1.4 certified');
  });

  test('refuses invalid values and stores nothing', async () => {
    const cases: [changes: Record<string, string>, message: string][] = [
      [{ number: ' ' }, 'It must be a text'],
      [{ url: 'http://factura.example' }, 'url'],
      [{ hash: 'x'.repeat(513) }, 'hash'],
      [{ file: import.meta.filename }, 'file'],
      [{ file: '/nowhere.pdf' }, 'cannot be read'],
      [{ 'issued-at': 'yesterday' }, 'It must be a time such as'],
    ];
    for (const [changes, message] of cases) await expectRefusal(app, certified(invoiceId, changes), 2, message);
    expect((await read()).fiscal).toBeNull();
  });

  test('refuses an unknown document', async () => {
    await expectRefusal(app, certified(fixture.merchantId), 1, 'There is no document');
  });
});

describe('the certifying program', () => {
  const requestsFor = (id: string) => certifierRequests.filter(({ body }) => JSON.parse(body).id === id);

  test('receives a signed webhook for each invoice', async () => {
    const [message] = await creepUntil(
      app,
      async () => (requestsFor(invoiceId).length > 0 ? requestsFor(invoiceId) : null),
      'the request of the certifying program',
    );
    const { headers, body: text } = message!;
    const sentAt = new Date(Number(headers['webhook-timestamp']) * 1_000);
    const signature = (of: string) => new Webhook(SECRET).sign(String(headers['webhook-id']), sentAt, of);
    expect(headers).toMatchObject({ 'webhook-id': invoiceId, 'webhook-signature': signature(text) });
    expect(signature(`${text} `)).not.toBe(headers['webhook-signature']);
    const body = JSON.parse(text);
    expect(body).toMatchObject({ id: invoiceId, type: 'invoice.to_certify' });
    expect(body.data).toEqual({ kind: 'invoice', merchantId: fixture.merchantId, ...(await read()) });
    const settled = () =>
      app.sql('select told_at from certification_requests where id = $1 and told_at is not null', [invoiceId]);
    await creepUntil(app, async () => (await settled())[0], 'the recorded confirmation');
    expect(await events('invoice.to_certify')).toEqual([]);
  });

  test('receives the webhook again until it confirms, for up to 72 hours, and after `invoice request`', async () => {
    const request = async () => (await app.sql('select * from certification_requests where id = $1', [invoiceId]))[0];
    await creepUntil(app, async () => (await request()).told_at, 'the first');
    const { core } = app.node;
    const ask = () => inTransaction(core, (db) => requestCertification(core, db, invoiceId));
    answer = 503;
    await ask();
    await creepUntil(app, async () => (await request()).fault === 'HTTP 503', 'the refusal');
    expect(await request()).toMatchObject({ told_at: null, tries: 1, due_at: expect.any(String) });
    app.clock.leap(73 * 3_600_000);
    await creepUntil(app, async () => (await request()).due_at === null, 'the end of the retries');
    answer = 200;
    await ask();
    await creepUntil(app, async () => (await request()).told_at, 'the confirmation');
    const { stdout } = await operate(app, ['invoice', 'request', invoiceId, '--json'], env);
    expect(JSON.parse(stdout)).toEqual({ documentIds: [invoiceId] });
    await operateJson(app, ...certified(invoiceId));
    const late = await operate(app, ['invoice', 'request', invoiceId], env);
    expectEnd(late, 1, 'is already certified, or unknown');
    await expectRefusal(app, ['invoice', 'request'], 1, 'BILLING_CERTIFIER_URL: required');
  });
});

describe('the command `invoice credit`', () => {
  const credit = (amount: string, reason: string) => [
    'invoice',
    'credit',
    invoiceId,
    '--amount',
    amount,
    '--reason',
    reason,
  ];

  test('creates a credit note and keeps the invoice', async () => {
    const before = await read();
    await expectRefusal(app, credit('100', 'Cobrado duas vezes'), 2, NO_TERMINAL);
    const made = await operateJson(app, ...credit('100', 'Cobrado duas vezes'), '--yes');
    expect(made).toMatchObject({
      number: expect.stringMatching(/^CE 2026\/\d{6}$/),
      title: 'Correcção de extracto mensal · documento sem valor fiscal',
      invoiceId,
      reason: 'Cobrado duas vezes',
      merchantTaxId: '5417123456',
      subtotal: 100,
      tax: 14,
      total: 114,
      fiscal: null,
      isNew: true,
    });
    const { isNew: _, ...note } = made;
    expect((await fixture.call(`/api/billing/credit-notes/${made.id}`)).json).toEqual(note);
    const amountDue = before.amountDue - 114;
    expect(await read()).toEqual({ ...before, credited: 114, amountDue, creditNotes: [note] });
    expect((await download(`credit-notes/${made.id}`)).text).toMatch(/^%PDF-/);
    expect(await operateJson(app, ...credit('100', 'Cobrado duas vezes'), '--yes')).toMatchObject({
      id: made.id,
      isNew: false,
    });
    await expectRefusal(app, [...credit('1', 'Cobrado duas vezes'), '--yes'], 1, 'needs another reason');
    expect(await events('invoice.credited')).toMatchObject([
      { details: { invoiceId, creditNoteId: made.id, number: made.number, total: 114, currency: 'AOA' } },
    ]);
    expect(await readAudit(app, 'invoice.credited', fixture.merchantId)).toHaveLength(1);
    const { stdout } = await operate(app, ['invoice', 'list', fixture.merchantId]);
    expect(stdout).toContain(' 114 ');
  });

  test('does not credit more than the amount of the invoice', async () => {
    const { subtotal, total } = await read();
    await operateJson(app, ...credit('0.05', 'Um'), '--yes');
    await expectRefusal(app, [...credit(String(subtotal), 'Dois'), '--yes'], 1, 'Only 14999.95 AOA are left of it');
    await operateJson(app, ...credit('all', 'Tudo'), '--yes');
    expect(await read()).toMatchObject({ credited: total, amountDue: 0 });
    await expectRefusal(app, [...credit('all', 'Mais'), '--yes'], 1, 'Only 0.00 AOA are left');
    await expectRefusal(app, [...credit('0.01', 'Mais'), '--yes'], 1, 'Only 0.00 AOA are left');
  });

  test('refuses invalid amounts', async () => {
    for (const amount of ['0', '-1', '0.001', 'x', ''])
      await expectRefusal(app, [...credit(amount, 'x'), '--yes'], 2, 'amount');
    expect((await read()).creditNotes).toEqual([]);
  });
});

test('certificates and credit notes are append-only', async () => {
  await operateJson(app, ...certified(invoiceId));
  await operateJson(app, 'invoice', 'credit', invoiceId, '--amount', '1', '--reason', 'x', '--yes');
  for (const [table, column] of [
    ['fiscal_documents', 'number'],
    ['credit_notes', 'reason'],
  ])
    for (const text of [`update ${table} set ${column} = 'y'`, `delete from ${table}`])
      await expect(app.sql(text)).rejects.toThrow('append-only');
});
