// Another way for the same money, against concurrent requests and money: one new payment, and no money is lost.
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Reply, type TestApp } from '../../support/app.ts';
import { raceForPayment } from '../../support/locks.ts';
import { approved, createPushed, declined, notify, NOTIFY_ENV, readPayment } from '../../support/notify.ts';

let app: TestApp;
let twin: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: { ...NOTIFY_ENV, PPR_KEY: 'one key for both nodes' } });
  twin = await app.startTwin();
});

const WAYS = ['qrcode', 'reference', 'onetimepurchase'] as const;

const replace = (node: TestApp, id: string, paymentMethod: string): Promise<Reply> =>
  node.call(`/api/payments/${id}/replacement`, { body: { paymentMethod } });
const readChain = (id: string) =>
  app.sql(
    `with recursive chain as (select * from payments where id = $1
       union all select p.* from payments p join chain on p.replaces_id = chain.id)
     select id, status, amount_paid_minor::int as paid, flags from chain`,
    [id],
  );

async function createRefusedPush(): Promise<{ id: string; attemptId: string }> {
  const { payment, attemptId } = await createPushed(app);
  await notify(app, attemptId, declined('INSUFFICIENT_FUNDS'));
  return { id: payment.id, attemptId };
}

describe('concurrent presses of "another way" on two nodes', () => {
  test.each([2, 9])('create one payment if %i devices press', async (count) => {
    const first = await createRefusedPush();
    const presses = Array.from({ length: count }, (_, nth) =>
      replace(nth % 2 ? twin : app, first.id, WAYS[nth % WAYS.length] as string),
    );
    const replies = await Promise.all(presses);
    const codes = replies.map(({ status }) => status).toSorted();
    expect(codes).toEqual([...Array.from({ length: count - 1 }, () => 200), 201]);
    expect(new Set(replies.map(({ json }) => json.internalId)).size).toBe(1);
    expect(await readChain(first.id)).toHaveLength(2);
  });

  test('with one Idempotency-Key return one response', async () => {
    const first = await createRefusedPush();
    const headers = { 'idempotency-key': 'one-press' };
    const press = (node: TestApp) =>
      node.call(`/api/payments/${first.id}/replacement`, { body: { paymentMethod: 'reference' }, headers });
    const replies = await Promise.all([app, twin, app, twin].map(press));
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(new Set(replies.map(({ json }) => json.internalId)).size).toBe(1);
  });
});

describe.each(['qrcode', 'reference'])('another way by %s against a late approval of the first push', (way) => {
  test('is refused if the approval wins', async () => {
    const first = await createRefusedPush();
    const [, pressed] = await raceForPayment(
      app,
      first.id,
      () => notify(app, first.attemptId, approved()),
      () => replace(twin, first.id, way),
    );
    expect(pressed).toMatchObject({ status: 409, json: { code: 'payment_not_replaceable' } });
    expect(await readChain(first.id)).toMatchObject([{ status: 'Paid', paid: 150_000 }]);
  });

  test('records the money of the first push and closes the new payment if the press wins', async () => {
    const first = await createRefusedPush();
    const [pressed] = await raceForPayment(
      app,
      first.id,
      () => replace(twin, first.id, way),
      () => notify(app, first.attemptId, approved()),
    );
    expect(pressed.status).toBe(201);
    expect(await readPayment(app, first.id)).toMatchObject({ status: 'Paid', late: true, attention: 'late_money' });
    expect(await readChain(first.id)).toMatchObject([{ paid: 150_000 }, { status: 'Canceled', paid: 0 }]);
  });
});

test('another way against an approval without an order records the money in every round', async () => {
  for (let round = 0; round < 8; round++) {
    const first = await createRefusedPush();
    const acts = [
      () => replace(twin, first.id, WAYS[round % WAYS.length] as string),
      () => notify(app, first.attemptId, approved()),
    ];
    await Promise.all((round % 2 ? acts : acts.toReversed()).map((act) => act()));
    const chain = await readChain(first.id);
    expect(chain[0]).toMatchObject({ status: 'Paid', paid: 150_000 });
    expect(chain.length).toBeLessThanOrEqual(2);
    // A QR code may have been on its way to the rail when the approval arrived. A running push cannot be stopped.
    const isPush = chain[1]?.status === 'Processing';
    if (chain[1] && !isPush) expect(chain[1]).toMatchObject({ status: 'Canceled', paid: 0 });
  }
});
