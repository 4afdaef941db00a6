import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startAppBehind, until, type TestApp } from '../../../support/app.ts';
import { expectCash, isAtRest, startProxiedRail, travelToRest, type ProxiedRail } from '../../../support/cashbook.ts';
import { untilDatabaseRests } from '../../../support/idle.ts';
import { countWaiting, holdLock } from '../../../support/locks.ts';
import { creepUntil } from '../../../support/payments.ts';
import {
  cancel,
  createPayable,
  createReference,
  digits,
  PPR,
  readReference,
  readSteps,
  reference,
} from '../../../support/ppr.ts';
import type { HoldPoint } from '../../../support/proxy.ts';
import { DAY_MS, MINUTE_MS } from '../../../../shared/durations.ts';

let app: TestApp;
let twin: TestApp;
let rail: ProxiedRail;
beforeAll(async () => {
  ({ app, rail } = await startAppBehind(startProxiedRail));
  twin = await app.startTwin();
  await Promise.all([app.token(), twin.token()]);
});
afterEach(async () => {
  rail.calls.holdAt(null);
  rail.calls.release();
  await travelToRest(app, rail);
  await expectCash(app.sql, await rail.books());
});

const readBook = async (digits: string) => (await rail.books(digits)).references.at(-1);
const sync = (node: TestApp, { internalId }: any) => node.call(`/api/payments/${internalId}/sync`, { method: 'POST' });
const untilHeld = (count: number) => until(() => rail.calls.held() === count, 'the rail being called');
const inAMinute = () => ({ expiryDate: new Date(app.clock.now().getTime() + MINUTE_MS).toISOString() });
const countCalls = (method: string, from = 0) =>
  rail.calls.seen.slice(from).filter((call) => call.method === method && call.path.startsWith('/v1/references/'))
    .length;

/** Creates a reference and holds its registration at this point. */
async function createHeld(point: HoldPoint, body: object = {}): Promise<any> {
  rail.calls.holdAt(point);
  const made = await createReference(app, { ...body });
  await untilHeld(1);
  rail.calls.holdAt(null);
  return made;
}

describe.each([
  { point: 'request', name: 'before it reaches the rail' },
  { point: 'answer', name: 'after its effect' },
] as const)('during the registration of a reference, $name,', ({ point }) => {
  test.each([
    ['a cancel', 'Canceled', async (own: string) => expect((await cancel(twin, own)).status).toBe(200)],
    ['an expiry', 'Expired', () => app.clock.leap(MINUTE_MS)],
  ])('%s makes the reference %s and withdraws it at the rail', async (_name, status, end) => {
    const made = await createHeld(point, inAMinute());
    const { entity, reference } = made;
    await end(reference);
    await travelToRest(app, rail);
    rail.calls.release();
    await until(async () => (await readBook(reference))?.calls === 1, 'the registration reaching the rail');
    const refused = await rail.pay({ entity, reference });
    expect(refused.status, JSON.stringify(refused.body)).toBe(409);
    expect((await readBook(reference))?.status).toMatch(/WITHDRAWN|EXPIRED/);
    expect(await readReference(app, reference)).toMatchObject({ status, referenceStatus: status, registeredAt: null });
  });

  test('a payment at the rail makes the reference Paid and not payable again', async () => {
    const made = await createHeld('answer');
    expect((await rail.pay(made)).status).toBe(201);
    await until(async () => (await readReference(app, made.reference)).status === 'Paid', 'Paid');
    rail.calls.release();
    await until(() => isAtRest(app.sql, rail, app.clock.now()), 'the withdrawal');
    expect((await rail.pay(made)).body.code).toBe('REFERENCE_PAID');
  });
});

test('the registration by due work and a concurrent sync write one event', async () => {
  const made = await createHeld('answer');
  const release = await holdLock(app.databaseUrl, 'lock table events in exclusive mode');
  const countWaits = (text: string) => countWaiting(app.databaseUrl, text);
  rail.calls.release();
  await until(async () => (await countWaits('insert into%events')) === 1, 'the first one being written');
  const synced = sync(twin, made);
  // PostgreSQL shows only the beginning of the waiting statement.
  await until(async () => (await countWaits('select payments.id%')) === 1, 'the second waiting for it').finally(
    release,
  );
  expect((await synced).status).toBe(200);
  await until(async () => (await readReference(app, made.reference)).registeredAt, 'it being registered');
  expect((await readSteps(app, made.reference)).filter((type) => type === 'reference.registered')).toHaveLength(1);
});

test('a registration that fails slowly does not reset a later one that succeeded', async () => {
  const made = await createHeld('request');
  expect((await sync(twin, made)).status).toBe(200);
  expect((await readReference(app, made.reference)).registeredAt).not.toBeNull();
  rail.calls.cut();
  await travelToRest(app, rail);
  expect(await readSteps(app, made.reference)).toEqual(['payment.created', 'reference.registered']);
  const [row] = await app.sql('select rail_fault from payment_references where reference = $1', [made.reference]);
  expect(row).toEqual({ rail_fault: null });
});

test('references that are due on both nodes are registered by one node', async () => {
  const from = rail.calls.seen.length;
  const body = { references: Array.from({ length: 60 }, () => reference()) };
  const { json } = await app.call(`${PPR}/bulk`, { body });
  const made = json.data.map((one: any) => one.reference);
  // The test locks the rows until they are due, so that no node may wait for another node's row.
  const release = await holdLock(app.databaseUrl, 'select from payment_references for update');
  const end = app.clock.now().getTime() + 3_200;
  await creepUntil(app, () => app.clock.now().getTime() >= end, 'both nodes having looked').finally(release);
  const waiting = 'select from payment_references where registered_at is null and reference = any($1)';
  const areRegistered = async () => {
    await Promise.all([app, rail].map((one) => untilDatabaseRests(one)));
    return (await app.sql(waiting, [made])).length === 0;
  };
  await creepUntil(app, areRegistered, 'all being registered');
  expect(countCalls('PUT', from)).toBe(60);
  const books = await rail.books();
  for (const one of made) expect(books.references.find((book) => book.reference === one)).toMatchObject({ calls: 1 });
});

describe('digits that an ended reference had before', () => {
  test('become live for a new reference only after the withdrawal of the first one', async () => {
    const other = await app.addMerchant({ entity: '00999' });
    const first = await createPayable(app, { reference: digits(), amount: 1500 });
    await rail.orderFault({ on: 'reference_withdraw', kind: 'unavailable', reference: first.reference, times: 3 });
    const step = () => app.clock.advance(100);
    await step();
    expect((await cancel(app, first.reference)).status).toBe(200);
    await step();
    const again = await app.call(PPR, {
      body: reference({ reference: first.reference, amount: 1500 }),
      token: other.token,
    });
    expect(again.status).toBe(201);
    const refused = `select from payment_references where payment_id = $1 and rail_fault = 'REFERENCE_TAKEN'`;
    const isRefused = async () => (await app.sql(refused, [again.json.internalId])).length === 1;
    await until(isRefused, 'the rail refusing the second');
    await step();
    // The rail does not have the second reference, so the payment machine takes money for the first.
    const paid = await rail.pay(first);
    expect(paid.status).toBe(201);
    await travelToRest(app, rail);
    expect(await readReference(app, first.reference)).toMatchObject({ status: 'Paid', amountPaid: 1500 });
    const { json } = await app.call(`/api/payments/${again.json.internalId}`, { token: other.token });
    expect(json).toMatchObject({ status: 'Pending', amountPaid: 0 });
  });

  test.each([
    {
      name: 'belongs to the first reference if its registration and its withdrawal were not confirmed',
      faults: [
        { on: 'reference_register', kind: 'reset_after', times: 1 },
        { on: 'reference_withdraw', kind: 'unavailable', times: 3 },
      ],
      owner: 0,
    },
    {
      name: 'belongs to the second if neither the withdrawal nor its own registration was confirmed',
      faults: [
        { on: 'reference_withdraw', kind: 'reset_after', times: 1 },
        { on: 'reference_register', kind: 'reset_after', times: 1 },
      ],
      owner: 1,
    },
  ])('bring money that $name', async ({ faults, owner }) => {
    const own = digits();
    const untilTried = ({ internalId }: any, type: string) =>
      until(async () => {
        const tried = 'select from events where payment_id = $1 and type like $2';
        return (await app.sql(tried, [internalId, type])).length > 0;
      }, type);
    const create = async (): Promise<any> => {
      const made = await createReference(app, { reference: own });
      await untilTried(made, 'reference.regist%');
      await app.clock.advance(100);
      return made;
    };
    const spoil = (on: string) =>
      Promise.all(
        faults.filter((fault) => fault.on === on).map((fault) => rail.orderFault({ ...fault, reference: own })),
      );
    if (owner === 0) await spoil('reference_register');
    const first = await create();
    await spoil('reference_withdraw');
    expect((await cancel(app, own)).status).toBe(200);
    await untilTried(first, 'reference.withdraw%');
    await app.clock.advance(100);
    if (owner === 1) await spoil('reference_register');
    const second = await create();
    const paid = await rail.pay(first);
    // The rail's records name the reference to which the money belongs.
    await app.clock.advance(100);
    await travelToRest(app, rail);
    const { references } = await rail.books(own);
    const taken = [first, second].map((_, nth) => references[nth]?.payments.length ?? 0);
    expect(taken.reduce((sum, count) => sum + count, 0)).toBe(paid.status === 201 ? 1 : 0);
    const rows = await app.sql(
      'select amount_paid_minor::int as minor from payments where id = any($1) order by created_at',
      [[first.internalId, second.internalId]],
    );
    expect(rows.map(({ minor }) => minor / 150_000)).toEqual(taken);
  });

  test('do not bring money of an unknown reference to a reference that is created later', async () => {
    const order = { ...reference(), entity: '00999', reference: digits() };
    const foreign = { referenceId: crypto.randomUUID(), entity: order.entity, reference: order.reference };
    const expiresAt = new Date(app.clock.now().getTime() + DAY_MS);
    const terms = { type: 'Dynamic', amountMinor: 150_000, currency: 'AOA', description: null, expiresAt } as const;
    expect((await rail.rail.register({ ...foreign, ...terms })).result).toBe('active');
    const { body } = await rail.pay(foreign);
    await travelToRest(app, rail);
    app.clock.leap(3 * DAY_MS);
    const made = await createPayable(app, { reference: order.reference });
    const again = await rail.call(`/atm/payments/${body.payments[0].transactionId}/repeat`, { newId: true });
    expect(again.status).toBe(201);
    await travelToRest(app, rail);
    expect(await readReference(app, made.reference)).toMatchObject({ status: 'Pending', amountPaid: 0 });
  });

  test('bring money to the ended reference while the rail refuses the two new references with these digits', async () => {
    const own = digits();
    const first = await createPayable(app, { reference: own });
    await rail.orderFault({ on: 'reference_withdraw', kind: 'unavailable', times: 1_000 });
    const made = [first];
    for (let nth = 0; nth < 2; nth++) {
      await app.clock.advance(100);
      expect((await cancel(app, own)).status).toBe(200);
      await app.clock.advance(100);
      made.push(await createReference(app, { reference: own }));
    }
    const refused = `select from events where payment_id = $1 and type = 'reference.registration_failed'`;
    await until(async () => (await app.sql(refused, [made[2].internalId])).length > 0, 'the rail not taking the last');
    await app.clock.advance(100);
    expect((await rail.pay(first)).status).toBe(201);
    await until(
      async () => (await rail.books(own)).referencePayments.every(({ notified }) => notified > 0),
      'the notifications',
    );
    await rail.call('/faults', {}, 'DELETE');
    await travelToRest(app, rail);
    const paid = await app.sql('select id from payments where reference = $1 and amount_paid_minor > 0', [own]);
    expect(paid).toEqual([{ id: first.internalId }]);
    // After both withdrawals the last reference is payable.
    expect((await rail.pay(first)).status).toBe(201);
    await until(async () => (await readReference(app, own)).status === 'Paid', 'Paid');
  });
});
