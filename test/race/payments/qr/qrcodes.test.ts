import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { startTwinsBehind, until, type TestApp } from '../../../support/app.ts';
import { countWaiting, holdLock } from '../../../support/locks.ts';
import { readPayment, sendNotification } from '../../../support/notify.ts';
import { travelToStatus, travelUntil } from '../../../support/payments.ts';
import { createCode, scanOf, SCANNER, writeScanNews, type Code } from '../../../support/qrcodes.ts';
import { RAIL_KEY, startRail, type Rail } from '../../../support/rail.ts';
import { expectTakingsAgree } from '../../../support/lists.ts';
import { MINUTE_MS } from '../../../../shared/durations.ts';

let app: TestApp;
let twin: TestApp;
let rail: Rail;
beforeAll(async () => {
  ({ app, twin, rail } = await startTwinsBehind(startRail));
});

const scanTimes = (content: string, count: number) =>
  Promise.all(Array.from({ length: count }, () => rail.scan(content, SCANNER)));
const readBook = async ({ reference }: Code) => {
  const [book] = (await rail.allBooks(reference)).qrcodes;
  if (!book) throw new Error(`no code for ${reference}`);
  return book;
};
const countEvents = async (id: string, type: string) =>
  (await app.sql('select from events where payment_id = $1 and type = $2', [id, type])).length;

/** Waits until each accepted scan is recorded, and compares the transactions with the rail's records. */
async function expectBooks(code: Code): Promise<any> {
  const book = await readBook(code);
  const accepted = book.payments.filter(({ status }) => status === 'ACCEPTED');
  expect(book.accepted).toBe(accepted.length);
  const recorded = 'select provider_ref from transactions where payment_id = $1 order by provider_ref';
  const isThere = async () => (await app.sql(recorded, [code.id])).length >= accepted.length;
  await travelUntil(app, isThere, 'all scans being recorded');
  const refs = (await app.sql(recorded, [code.id])).map((row) => row.provider_ref);
  expect(refs).toEqual(accepted.map(({ transactionId }) => transactionId).toSorted());
  const payment = await readPayment(app, code.id);
  expect(payment).toMatchObject({
    acceptedTransactions: accepted.length,
    amountPaid: 1500 * accepted.length,
    flags: [],
  });
  expect(payment.transactions).toHaveLength(accepted.length);
  await expectTakingsAgree(app);
  return payment;
}

test('100 concurrent scans of a code for 10 payments record exactly 10 and make it Paid once', async () => {
  const code = await createCode(app, { maxTransactions: 10 });
  const replies = await scanTimes(code.content, 100);
  const outcomes = Object.groupBy(replies, ({ status, body }) => `${status} ${body.code ?? ''}`.trim());
  expect(Object.fromEntries(Object.entries(outcomes).map(([name, group]) => [name, group?.length]))).toEqual({
    '201': 10,
    '409 USED_UP': 90,
  });
  await travelToStatus(app, code.id, 'Paid');
  expect(await expectBooks(code)).toMatchObject({ status: 'Paid', late: false, acceptedTransactions: 10 });
  expect(await countEvents(code.id, 'payment.paid')).toBe(1);
  expect(await countEvents(code.id, 'payment.transaction_accepted')).toBe(9);
});

test('scans that notification, sync and poll report at the same time on two nodes are recorded once', async () => {
  const code = await createCode(app, { maxTransactions: 20 });
  rail.notifications.holdAt('request');
  await scanTimes(code.content, 20);
  await until(() => rail.notifications.held() >= 20, 'the notifications being on their way');
  rail.notifications.holdAt(null);
  rail.notifications.release();
  await Promise.all([
    app.clock.advance(3_000),
    ...[app, twin, app, twin].map((node) => node.call(`/api/payments/${code.id}/sync`, { method: 'POST' })),
  ]);
  await travelToStatus(app, code.id, 'Paid');
  await expectBooks(code);
  expect(await countEvents(code.id, 'payment.paid')).toBe(1);
  expect(await countEvents(code.id, 'payment.transaction_accepted')).toBe(19);
});

test('equal and different notifications of one scan on two nodes record one transaction', async () => {
  const code = await createCode(app, { maxTransactions: 5 });
  const now = app.clock.now();
  const scan = scanOf(code, now);
  const same = writeScanNews(scan, now, randomUUID());
  const texts = Array.from({ length: 20 }, (_, nth) => (nth < 10 ? same : writeScanNews(scan, now)));
  const release = await holdLock(app.databaseUrl, 'lock table inbox in exclusive mode');
  const sent = texts.map((text, nth) => sendNotification(nth % 2 ? twin : app, text, { key: RAIL_KEY }));
  await release();
  for (const { status } of await Promise.all(sent)) expect(status).toBe(200);
  const stored = 'select outcome from inbox where body like $1 and applied_at is not null';
  const about = `%${scan.transactionId}%`;
  await until(async () => (await app.sql(stored, [about])).length === 11, 'all being applied');
  expect(await readPayment(app, code.id)).toMatchObject({
    acceptedTransactions: 1,
    amountPaid: 1500,
    status: 'Pending',
  });
  expect(await countEvents(code.id, 'payment.transaction_accepted')).toBe(1);
});

test('ten concurrent scans are counted, each with its own event', async () => {
  const code = await createCode(app, { maxTransactions: 10 });
  const now = app.clock.now();
  const release = await holdLock(app.databaseUrl, `select from payments where id = '${code.id}' for update`);
  const send = () => sendNotification(app, writeScanNews(scanOf(code, now), now), { key: RAIL_KEY });
  const sent = Array.from({ length: 10 }, send);
  await until(async () => (await countWaiting(app.databaseUrl, 'select payments.id%')) > 1, 'scans that wait');
  await release();
  for (const { status } of await Promise.all(sent)) expect(status).toBe(200);
  await until(async () => (await countEvents(code.id, 'payment.paid')) === 1, 'the last scan');
  expect(await readPayment(app, code.id)).toMatchObject({
    status: 'Paid',
    acceptedTransactions: 10,
    amountPaid: 15_000,
  });
  expect(await countEvents(code.id, 'payment.transaction_accepted')).toBe(9);
  const counted = await app.sql(
    `select (state ->> 'acceptedCount')::int as count, (state ->> 'amountPaidMinor')::int as minor from events
     where payment_id = $1 and type in ('payment.transaction_accepted', 'payment.paid') order by seq`,
    [code.id],
  );
  expect(counted).toEqual(Array.from({ length: 10 }, (_, nth) => ({ count: nth + 1, minor: 150_000 * (nth + 1) })));
});

test('concurrent scans of one code are all recorded, also a repeated and a too small one', async () => {
  const code = await createCode(app, { maxTransactions: 20 });
  const now = app.clock.now();
  const [first, second, third] = [scanOf(code, now), scanOf(code, now), scanOf(code, now)];
  const little = scanOf(code, now, { amount: '100.00' });
  const release = await holdLock(app.databaseUrl, `select from payments where id = '${code.id}' for update`);
  const sent = [first, second, first, little, third].map((scan) =>
    sendNotification(app, writeScanNews(scan, now), { key: RAIL_KEY }),
  );
  for (const { status } of await Promise.all(sent)) expect(status).toBe(200);
  await release();
  const isOver = async () =>
    (await app.sql(`select from inbox where body like $1 and applied_at is not null`, [`%${code.attemptId}%`]))
      .length === 5;
  await until(isOver, 'all of them being applied');
  expect(await readPayment(app, code.id)).toMatchObject({
    status: 'Pending',
    acceptedTransactions: 3,
    amountPaid: 4_600,
    flags: ['amount_mismatch'],
  });
  expect(await countEvents(code.id, 'payment.transaction_accepted')).toBe(4);
  expect(await countEvents(code.id, 'payment.amount_mismatch')).toBe(1);
});

test('a scan that cannot be recorded does not prevent other scans', async () => {
  const code = await createCode(app, { maxTransactions: 20 });
  const now = app.clock.now();
  const scans = Array.from({ length: 6 }, () => scanOf(code, now));
  const refused = scans[3]!.transactionId;
  await app.sql(`alter table transactions add constraint refused check (provider_ref <> '${refused}') not valid`);
  const release = await holdLock(app.databaseUrl, `select from payments where id = '${code.id}' for update`);
  const sent = scans.map((scan) => sendNotification(app, writeScanNews(scan, now), { key: RAIL_KEY }));
  await Promise.all(sent);
  await release();
  const recorded = 'select provider_ref from transactions where payment_id = $1';
  await until(async () => (await app.sql(recorded, [code.id])).length === 5, 'the others being recorded');
  const others = scans.map(({ transactionId }) => transactionId).filter((id) => id !== refused);
  expect((await app.sql(recorded, [code.id])).map((row) => row.provider_ref).toSorted()).toEqual(others.toSorted());
  await app.sql('alter table transactions drop constraint refused');
  await travelUntil(
    app,
    async () => (await app.sql(recorded, [code.id])).length === 6,
    'the last being recorded again',
  );
  expect(await readPayment(app, code.id)).toMatchObject({ acceptedTransactions: 6, amountPaid: 9_000 });
});

describe('scans at the same time as the end of a QR code', () => {
  test('are recorded and decide the status if the rail accepted them before the cancel', async () => {
    const codes = await Promise.all(Array.from({ length: 8 }, () => createCode(app, { maxTransactions: 10 })));
    const cancels = codes.map(({ id }, nth) =>
      (nth % 2 ? twin : app).call(`/api/payments/${id}/cancel`, { method: 'POST' }),
    );
    const scans = codes.map(({ content }) => scanTimes(content, 3));
    for (const { status } of await Promise.all(cancels)) expect(status).toBe(200);
    await Promise.all(scans);
    for (const code of codes) {
      await travelUntil(app, async () => (await readBook(code)).status === 'WITHDRAWN', 'the withdrawal');
      const { status, acceptedTransactions } = await expectBooks(code);
      expect(status).toBe(acceptedTransactions > 0 ? 'Paid' : 'Canceled');
      expect(await countEvents(code.id, 'payment.paid')).toBe(acceptedTransactions > 0 ? 1 : 0);
      expect((await rail.scan(code.content, SCANNER)).status).toBe(409);
    }
  });

  test('are recorded and decide the status if the rail accepted them before endDate', async () => {
    const endDate = new Date(app.clock.now().getTime() + 5 * MINUTE_MS).toISOString();
    const codes = await Promise.all(Array.from({ length: 8 }, () => createCode(app, { maxTransactions: 10, endDate })));
    await app.clock.pass(5 * MINUTE_MS - 1_000);
    const scans = codes.map(({ content }, nth) => scanTimes(content, nth % 4));
    await Promise.all([app.clock.advance(3_000), ...scans]);
    for (const code of codes) {
      const isClosed = async () => (await readPayment(app, code.id)).completedAt;
      await travelUntil(app, isClosed, 'the payment being closed');
      const { status, acceptedTransactions } = await expectBooks(code);
      expect(status).toBe(acceptedTransactions > 0 ? 'Paid' : 'Expired');
      expect(await countEvents(code.id, 'payment.paid')).toBe(acceptedTransactions > 0 ? 1 : 0);
    }
  });

  test('make a code for one payment Paid or leave it Canceled', async () => {
    const codes = await Promise.all(Array.from({ length: 12 }, () => createCode(app)));
    const replies = await Promise.all(
      codes.map(async ({ id, content }) => {
        const scan = rail.scan(content, SCANNER);
        const cancel = app.call(`/api/payments/${id}/cancel`, { method: 'POST' });
        return [await scan, await cancel] as const;
      }),
    );
    for (const [nth, code] of codes.entries()) {
      const [scan, cancel] = replies[nth] ?? [];
      if (cancel?.status !== 200) expect(cancel?.json.code).toBe('payment_not_cancelable');
      const { status } = await expectBooks(code);
      expect(status).toBe(scan?.status === 201 ? 'Paid' : 'Canceled');
    }
  });
});
