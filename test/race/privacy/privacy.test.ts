import { beforeAll, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { openCallbackFixture, type CallbackFixture } from '../../support/callbacks.ts';
import { countWaiting, holdLock } from '../../support/locks.ts';
import { purchase } from '../../support/payments.ts';

/** The simulator approves pushes to this phone after one second. */
const PHONE = '900000000';

let app: TestApp;
let shop: CallbackFixture;
beforeAll(async () => {
  app = await startTestApp();
  shop = await openCallbackFixture(app);
});

const order = async (phone: string) => {
  const reply = await shop.call('/api/privacy/erase', { body: { phone } });
  expect(reply.status, reply.text).toBe(202);
  return reply.json.id as string;
};

async function untilDone(id: string): Promise<any> {
  return until(async () => {
    await app.clock.advance(5_000);
    const { json } = await shop.call(`/api/privacy/erasures/${id}`);
    return json.status === 'Done' && json;
  }, 'the erasure being done');
}

test('money that arrives during an erasure is recorded before the erasure removes its payer', async () => {
  const made = await shop.call('/api/payments', { body: purchase(PHONE) });
  expect(made.status, made.text).toBe(201);
  const { id: paymentId, amount } = made.json;
  const release = await holdLock(app.databaseUrl, `select from payments where id = '${paymentId}' for update`);
  const id = await order(PHONE);
  const isWaiting = async () => {
    await app.clock.advance(5_000);
    return (await countWaiting(app.databaseUrl, 'from payments where')) > 0;
  };
  await until(isWaiting, 'the erasure waiting for the payment');
  await release();
  const done = await untilDone(id);
  expect(done.erased.payments).toBe(1);
  const read = (await shop.call(`/api/payments/${paymentId}`)).json;
  expect(read).toMatchObject({ status: 'Paid', amount, amountPaid: amount });
  expect(await app.sql('select phone from payments where id = $1', [paymentId])).toEqual([{ phone: null }]);
  expect(await app.sql('select amount_minor from transactions where payment_id = $1', [paymentId])).toHaveLength(1);
});

test('concurrent requests for one erasure create one erasure', async () => {
  const ids = await Promise.all(Array.from({ length: 6 }, () => order('911000001')));
  expect(new Set(ids).size).toBe(1);
  await untilDone(ids[0]!);
  expect(await order('911000001')).not.toBe(ids[0]);
});

test('SMS that are sent during an erasure are sent and charged once, and then have no phone number', async () => {
  const phone = '911000002';
  await app.sql(
    `insert into sms_accounts (merchant_id, balance, updated_at) values ($1, 0, now()) on conflict do nothing`,
    [shop.merchantId],
  );
  await app.sql('update sms_accounts set balance = 50 where merchant_id = $1', [shop.merchantId]);
  const send = () => shop.call('/api/Envio/enviarSms', { body: { numerosDestino: [phone], conteudo: 'Bom dia' } });
  const [first, id, second] = await Promise.all([send(), order(phone), send()]);
  expect([first.status, second.status]).toEqual([200, 200]);
  await untilDone(id);
  // An SMS that is created after the erasure has read the table needs a second erasure.
  await untilDone(await order(phone));
  const rows = await app.sql('select phone, status from sms_messages where merchant_id = $1', [shop.merchantId]);
  expect(rows).toHaveLength(2);
  for (const row of rows) expect(row).toMatchObject({ phone: 'erased' });
  expect(rows.filter(({ status }) => status === 'Pending')).toEqual([]);
  const [{ balance }] = await app.sql('select balance from sms_accounts where merchant_id = $1', [shop.merchantId]);
  const failed = rows.filter(({ status }) => status === 'Failed').length;
  expect(balance).toBe(50 - 2 + failed);
});

test('an export during an erasure contains each row either completely or not at all', async () => {
  const phone = '+244911000003';
  await app.sql(
    `insert into payments (id, merchant_id, reference, amount_minor, amount_paid_minor, currency, payment_type, payment_method, status,
       revision, description, phone, created_at, completed_at)
     select uuidv7(), $1, 'E-' || n, 100, 0, 'AOA', 'GPO', 'push', 'Failed', 1, 'dele', $2, now(), now()
     from generate_series(1, 1500) n`,
    [shop.merchantId, phone],
  );
  const id = await order(phone);
  const ended = untilDone(id);
  const told = await shop.call('/api/privacy/export', { body: { phone } });
  expect(told.status).toBe(200);
  for (const { table, row } of told.json.held)
    if (table === 'payments') expect([row.phone, row.description]).toSatisfy(isWhole);
  expect((await ended).erased.payments).toBe(1_500);
  expect((await shop.call('/api/privacy/export', { body: { phone } })).json.held).toEqual([]);
});

const isWhole = ([phone, description]: unknown[]) =>
  (phone === '+244911000003' && description === 'dele') || (phone === null && description === null);
