import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until, type Reply } from '../../support/app.ts';
import { connectMerchant, killChildren, startChild, type Child, type MerchantClient } from '../../support/child.ts';
import { querySql } from '../../support/database.ts';
import { startOwnPostgres, type OwnPostgres } from '../../support/own-postgres.ts';
import { purchase, webframe } from '../../support/payments.ts';
import { startRail, type Rail } from '../../support/rail.ts';
import { madeIdsOf } from '../../support/repeats.ts';
import { areAllResolved, expectTruth, type Sql } from '../../support/truth.ts';

const MERCHANTS_AT_ONCE = 8;
const KILLS = 2;

let postgres: OwnPostgres;
let rail: Rail;
let child: Child;
let merchant: MerchantClient;
const sql: Sql = (text, values) => querySql(postgres.url, text, values);
beforeAll(async () => {
  postgres = await startOwnPostgres();
  rail = await startRail({ gatewayUrl: () => child.url });
  child = await startChild({
    env: { ...rail.env, DATABASE_URL: postgres.url, LOG_LEVEL: 'error', GPO_TIMEOUT_S: '1' },
  });
  merchant = connectMerchant(() => child.url);
});
afterAll(async () => {
  await killChildren();
  await rail?.stop();
  await postgres?.remove();
});

type Try = { key: string; body: Record<string, unknown>; reply: Reply };
/** The next request of the load, with the status that it has while the database is available. */
type Other = { reply: Reply; expected: number };

const isPush = (body: any) => body.metadata?.paymentMethod === 'onetimepurchase';

/** Creates, reads and pays until `isOver`, each request once. Rejects if a response is missing. */
async function createMany(tries: Try[], others: Other[], isOver: () => boolean): Promise<void> {
  for (let nth = 0; !isOver(); nth++) {
    const key = randomUUID();
    const body = nth % 2 ? webframe() : purchase('900000000');
    const reply = await merchant.call('/api/payments', { body, headers: { 'idempotency-key': key } });
    tries.push({ key, body, reply });
    if (reply.status !== 201) continue;
    others.push({ expected: 200, reply: await merchant.call(`/api/payments/${reply.json.internalId}`) });
    if (nth % 2 === 0) continue;
    const pay = { body: { phoneNumber: '900000001' } };
    others.push({ expected: 202, reply: await merchant.call(`/checkout/${reply.json.clientToken}/pay`, pay) });
  }
}

/** Accepts the expected status or a 503. A push whose creation may be committed may also end with 500. */
function expectAnswered({ reply, expected }: Other, mayBeUnknown = false): void {
  if (reply.status === expected) return;
  if (mayBeUnknown && reply.status === 500) return void expect(reply.json).toMatchObject({ code: 'internal_error' });
  const requestId = String(reply.headers.get('x-request-id'));
  const log = child.output().split('\n');
  const about = log.find((line) => line.includes(requestId)) ?? reply.text;
  expect(reply.status, about).toBe(503);
  expect(reply.json, about).toMatchObject({ code: 'service_unavailable' });
  expect(reply.headers.get('content-type')).toMatch('application/problem+json');
  expect(Number(reply.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
}

test('a kill of the database under load loses no payment, and refused requests return 503', async () => {
  const tries: Try[] = [];
  const others: Other[] = [];
  let isOver = false;
  const load = Promise.all(Array.from({ length: MERCHANTS_AT_ONCE }, () => createMany(tries, others, () => isOver)));
  const counted = (status: number) => tries.filter(({ reply }) => reply.status === status).length;
  for (let kills = 1; kills <= KILLS; kills++) {
    const created = counted(201);
    await until(() => counted(201) > created + 10, 'payments being created');
    postgres.kill();
    await until(() => postgres.restarts() === kills, 'the database being back');
  }
  const created = counted(201);
  await until(() => counted(201) > created + 10, 'payments being created again');
  isOver = true;
  await load;
  expect(child.process.exitCode, child.output()).toBeNull();
  expect(counted(503)).toBeGreaterThan(0);
  // The pushes that payers requested may be committed too.
  for (const other of others) expectAnswered(other, other.expected === 202);
  for (const { reply, body } of tries) expectAnswered({ reply, expected: 201 }, isPush(body));

  // No payment with a 201 is lost. Each other request becomes one payment when it is repeated with its key.
  for (const { key, body, reply } of tries) {
    const again = await merchant.insist('/api/payments', { body, headers: { 'idempotency-key': key } });
    expect(again.status).toBe(201);
    if (reply.status === 201) expect(madeIdsOf(again)).toEqual(madeIdsOf(reply));
  }
  await until(() => areAllResolved(sql), 'every attempt being resolved');
  const [counts] = await sql(`
    select (select count(*)::int from payments) as payments, (select count(*)::int from idempotency_keys) as keys,
      (select count(*)::int from payments p where not exists (
        select from events e where e.payment_id = p.id and e.type = 'payment.created')) as untold,
      (select count(*)::int from payments p where payment_method = 'onetimepurchase' and not exists (
        select from attempts a where a.payment_id = p.id)) as unasked`);
  expect(counts).toEqual({ payments: tries.length, keys: tries.length, untold: 0, unasked: 0 });
  await expectTruth(sql, await rail.books());
});
