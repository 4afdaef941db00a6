// Concurrent repeats of one creation that wait for its outcome, on two nodes.
import { beforeAll, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { approved, notify, NOTIFY_ENV, PENDING_PHONE, untilSent } from '../../support/notify.ts';
import { purchase, travelUntil } from '../../support/payments.ts';

let app: TestApp;
let twin: TestApp;
beforeAll(async () => {
  const env = { ...NOTIFY_ENV, GPO_PUSH_WINDOW_S: '86400', PUBLIC_URL: 'http://localhost:8080' };
  app = await startTestApp({ env });
  twin = await startTestApp({ env, databaseUrl: app.databaseUrl, clock: app.clock });
});

test('20 concurrent creations with one key and Prefer: wait send one push and all return Paid', async () => {
  await Promise.all([app.token(), twin.token()]);
  const body = purchase(PENDING_PHONE);
  const headers = { 'idempotency-key': 'waiting-repeats', prefer: 'wait=60' };
  const replies = Array.from({ length: 20 }, (_, nth) =>
    (nth % 2 ? twin : app).call('/api/payments', { body, headers }),
  );
  const find = async () =>
    (await app.sql('select id from payments where reference = $1', [body['reference']])) as { id: string }[];
  const [first] = await until(async () => {
    const found = await find();
    return found.length > 0 ? found : null;
  }, 'the payment being committed');
  const attempt = await untilSent(app, first!.id);
  await notify(app, attempt.id, approved());
  let isOver = false;
  const answered = Promise.all(replies).finally(() => (isOver = true));
  // The second node reads the events of the first once a second of the clock.
  await travelUntil(app, async () => isOver, 'every answer');
  const all = await answered;
  expect(all.map(({ status, json }) => [status, json.status, json.internalId])).toEqual(
    all.map(() => [201, 'Paid', first!.id]),
  );
  expect(all.filter((reply) => reply.headers.get('idempotency-replayed') === null)).toHaveLength(1);
  expect(await find()).toHaveLength(1);
  expect(await app.sql('select id from attempts where payment_id = $1', [first!.id])).toHaveLength(1);
});
