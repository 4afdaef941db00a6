// Concurrent submissions of one page from two tabs, two phones and two nodes send one push.
import { beforeAll, expect, test } from 'vitest';
import { startTestApp, until, type Reply, type TestApp } from '../../support/app.ts';
import { create, readBooks, webframe } from '../../support/payments.ts';

let app: TestApp;
let twin: TestApp;
beforeAll(async () => {
  const env = { GPO_KEY: 'one key for both nodes' };
  app = await startTestApp({ env });
  twin = await app.startTwin();
});

const [ANA, RUI] = ['923000001', '923000002'];

const pay = (node: TestApp, { clientToken }: { clientToken: string }, phoneNumber: string): Promise<Reply> =>
  node.call(`/checkout/${clientToken}/pay`, { body: { phoneNumber }, token: null });

const statuses = (replies: Reply[]) => replies.map(({ status }) => status).sort();

/** Waits until the rail has the push. Returns the rail's records. */
const booksOf = async ({ reference }: { reference: string }) => {
  await until(async () => (await readBooks(app, reference)).length > 0, 'the push reaching the rail');
  return readBooks(app, reference);
};

test.each([2, 20])('%i concurrent submissions of one phone on two nodes send one push', async (count) => {
  const payment = await create(app, webframe());
  const tabs = Array.from({ length: count }, (_, nth) => pay(nth % 2 ? twin : app, payment, ANA));
  const replies = await Promise.all(tabs);
  expect(new Set(statuses(replies))).toEqual(new Set([202]));
  for (const { json } of replies) expect(json).toMatchObject({ status: 'Processing', attemptsLeft: 4 });
  expect(await app.sql('select count(*)::int as attempts from attempts where payment_id = $1', [payment.id])).toEqual([
    { attempts: 1 },
  ]);
  expect(await booksOf(payment)).toMatchObject([{ calls: 1, phone: `+244${ANA}` }]);
});

test('submissions of two phones at the same time send one push, and the other submission is refused', async () => {
  for (let round = 0; round < 5; round++) {
    const payment = await create(app, webframe());
    const replies = await Promise.all([pay(app, payment, ANA), pay(twin, payment, RUI)]);
    expect(statuses(replies)).toEqual([202, 409]);
    expect(replies.find(({ status }) => status === 409)?.json).toMatchObject({ code: 'payment_in_progress' });
    const winner = replies[0]?.status === 202 ? ANA : RUI;
    expect(await booksOf(payment)).toMatchObject([{ calls: 1, phone: `+244${winner}` }]);
  }
});

test('two equal payments of one phone send one push, and the other submission is refused', async () => {
  const request = webframe();
  for (let round = 0; round < 5; round++) {
    const body = { ...request, amount: 2000 + round };
    const twins = [await create(app, body), await create(app, body)] as const;
    const replies = await Promise.all([pay(app, twins[0], ANA), pay(twin, twins[1], ANA)]);
    expect(statuses(replies)).toEqual([202, 409]);
    expect(replies.find(({ status }) => status === 409)?.json).toMatchObject({ code: 'reference_in_flight' });
    const refused = twins[replies.findIndex(({ status }) => status === 409)];
    // The refused payment did not change and can still be paid.
    const [row] = await app.sql('select status, attempts_made, revision from payments where id = $1', [refused?.id]);
    expect(row).toEqual({ status: 'Pending', attempts_made: 0, revision: 1 });
  }
});
