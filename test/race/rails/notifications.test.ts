// Concurrent notifications on several connections and two nodes.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { signMessage } from '../../../server/http/signature.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { countWaiting, holdLock } from '../../support/locks.ts';
import { create, purchase, webframe } from '../../support/payments.ts';

const KEY = 'one key for both nodes';
const PATH = '/rails/gpo/notifications';
/** The events of a payment whose push is approved immediately. */
const APPROVED = ['payment.created', 'payment.processing', 'payment.paid'];

let app: TestApp;
let twin: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: { GPO_KEY: KEY } });
  twin = await app.startTwin();
});

type Verdict = { status: 'APPROVED' | 'DECLINED'; reason?: string; transactionId?: string };

/** Returns the body of a rail notification about an attempt. `id` is the id of the notification. */
function writeNotification(attemptId: string, verdict: Verdict, id: string = randomUUID()): string {
  const terms = { amount: '1500.00', currency: 'AOA', terminalId: 'demo-pos', phone: '+244923000001' };
  const decidedAt = app.clock.now().toISOString();
  return JSON.stringify({ id, type: 'purchase', purchase: { id: attemptId, ...terms, ...verdict, decidedAt } });
}

/** Each concurrent call uses a connection of its own. */
async function notify(node: TestApp, body: string): Promise<number> {
  const headers = signMessage(KEY, { method: 'POST', path: PATH, body }, app.clock.now());
  return (await node.call(PATH, { body, token: null, headers })).status;
}

/** Creates a payment whose push waits for the payer's decision. */
async function createPushed(body = purchase('923000001')): Promise<{ id: string; attemptId: string }> {
  const { id, clientToken } = await create(app, body);
  if (!(body['metadata'] as object | undefined)) {
    await app.call(`/checkout/${clientToken}/pay`, { body: { phoneNumber: '923000001' }, token: null });
  }
  const [sent] = await until(async () => {
    const rows = await app.sql(`select id from attempts where payment_id = $1 and status = 'Sent'`, [id]);
    return rows.length > 0 ? rows : null;
  }, 'the push being sent');
  return { id, attemptId: sent.id };
}

const untilApplied = (attemptId: string) =>
  until(async () => {
    const open = await app.sql(`select from inbox where body like $1 and applied_at is null`, [`%${attemptId}%`]);
    return open.length === 0;
  }, 'the notifications');

async function readStory(id: string) {
  const { json } = await app.call(`/api/payments/${id}`);
  const events = await app.sql('select type, status from events where payment_id = $1 order by seq', [id]);
  const [{ revision }] = await app.sql('select revision from payments where id = $1', [id]);
  return { payment: json, types: events.map(({ type }) => type), lastStatus: events.at(-1)?.status, revision };
}

test.each([
  ['one notification that arrives six times', 1, 6],
  ['two notifications of one approval', 2, 1],
])('%s, sent concurrently to two nodes, record one transaction', async (_what, notifications, arrivals) => {
  const payments = await Promise.all(Array.from({ length: 10 }, () => createPushed()));
  const answers = payments.flatMap(({ attemptId }) =>
    Array.from({ length: notifications }, () =>
      writeNotification(attemptId, { status: 'APPROVED', transactionId: `T-${attemptId}` }),
    ).flatMap((body, nth) =>
      Array.from({ length: arrivals }, (_, arrival) => notify((nth + arrival) % 2 ? twin : app, body)),
    ),
  );
  expect(new Set(await Promise.all(answers))).toEqual(new Set([200]));
  for (const { id, attemptId } of payments) {
    await untilApplied(attemptId);
    const { payment, types, revision } = await readStory(id);
    expect(payment).toMatchObject({ status: 'Paid', amountPaid: 1500, flags: [], transactions: [{ amount: 1500 }] });
    expect([types, revision]).toEqual([APPROVED, 2]);
    expect(await app.sql('select from inbox where body like $1', [`%${attemptId}%`])).toHaveLength(notifications);
  }
});

test('three concurrent rail notifications of two transactions of one push record both transactions', async () => {
  const pushed = await createPushed();
  const tell = (attemptId: string, transactionId: string) =>
    notify(app, writeNotification(attemptId, { status: 'APPROVED', transactionId }));
  const release = await holdLock(app.databaseUrl, 'lock table transactions in exclusive mode');
  try {
    await Promise.all(['1', '2', '1'].map((nth) => tell(pushed.attemptId, `T${nth}-${pushed.attemptId}`)));
    await until(async () => (await countWaiting(app.databaseUrl, 'insert into transactions%')) > 0, 'a waiting insert');
  } finally {
    await release();
  }
  await untilApplied(pushed.attemptId);
  const { payment, types } = await readStory(pushed.id);
  expect(payment).toMatchObject({ status: 'Paid', amountPaid: 3000, flags: ['overpaid'] });
  expect(payment.transactions).toHaveLength(2);
  expect(types).toEqual([...APPROVED, 'payment.overpaid']);
});

const REOPENED = ['payment.created', 'payment.processing', 'payment.attempt_failed', 'payment.paid'];
const REFUSED = [...REOPENED.slice(0, 3), 'payment.failed', 'payment.paid'];

describe.each([
  { method: 'onetimepurchase', request: () => purchase('923000001'), refusedFirst: REFUSED, isLate: true },
  { method: 'webframe', request: () => webframe(), refusedFirst: REOPENED, isLate: false },
])('a refusal and a concurrent approval of one push with the method $method', ({ request, refusedFirst, isLate }) => {
  test('leave the payment Paid in both orders', async () => {
    const payments = await Promise.all(Array.from({ length: 12 }, () => createPushed(request())));
    await Promise.all(
      payments.flatMap(({ attemptId }, nth) => {
        const approved = writeNotification(attemptId, { status: 'APPROVED', transactionId: `T-${attemptId}` });
        const declined = writeNotification(attemptId, { status: 'DECLINED', reason: 'CUSTOMER_REFUSED' });
        return (nth % 2 ? [approved, declined] : [declined, approved]).map((body, node) =>
          notify(node ? twin : app, body),
        );
      }),
    );
    for (const { id, attemptId } of payments) {
      await untilApplied(attemptId);
      const { payment, types, lastStatus } = await readStory(id);
      expect(payment).toMatchObject({ status: 'Paid', amountPaid: 1500, failure: null, flags: [] });
      const wasRefusedFirst = types.includes('payment.attempt_failed');
      expect(types).toEqual(wasRefusedFirst ? refusedFirst : APPROVED);
      expect(payment.transactions).toMatchObject([{ amount: 1500, late: wasRefusedFirst && isLate }]);
      expect(lastStatus).toBe('Paid');
    }
  });
});
