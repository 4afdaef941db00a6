// A PPR rail that fails at every call in every way, or is away: what it must know it learns, what it took is recorded once.
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startAppBehind, until, type TestApp } from '../../../support/app.ts';
import {
  expectCash,
  startProxiedRail,
  sweepUntilReceived,
  travelToRest,
  type ProxiedRail,
} from '../../../support/cashbook.ts';
import { isCalling, travelUntil } from '../../../support/payments.ts';
import {
  cancel,
  createPayable,
  createReference,
  digits,
  PPR,
  readHistory,
  readReference,
  readSteps,
  reference,
} from '../../../support/ppr.ts';
import { referenceOrder } from '../../../support/references.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let app: TestApp;
let rail: ProxiedRail;
beforeAll(async () => {
  ({ app, rail } = await startAppBehind(startProxiedRail));
});
afterEach(async () => {
  await rail.call('/faults', {}, 'DELETE');
  await travelToRest(app, rail);
  await expectCash(app.sql, await rail.books());
});

const readBook = async (digits: string) => (await rail.books(digits)).references.at(-1);
const sync = ({ internalId }: any) => app.call(`/api/payments/${internalId}/sync`, { method: 'POST' });
/** The history names a reason once in a row, however often it is met; a slow line may be another one in between. */
const expectEachOnce = async (reference: string, type: string) => {
  const steps = (await readHistory(app, reference)).filter((step) => step.type === type);
  const reasons = steps.map(({ details }) => details.reason);
  expect(reasons.length).toBeGreaterThan(0);
  expect(reasons.filter((reason, nth) => reason === reasons[nth - 1])).toEqual([]);
};
const readFault = async ({ internalId }: any) =>
  (await app.sql('select rail_fault from payment_references where payment_id = $1', [internalId]))[0].rail_fault;
const tryToPay = async (to: any, paying: object = {}) => {
  const { status, body } = await rail.pay(to, paying);
  return status === 201 ? '201' : body.code;
};

/** Before the effect, after it, or without a word of it. */
const KINDS = ['unavailable', 'reset_before', 'reset_after', 'hang', 'garbage'] as const;

describe.each(KINDS)('a rail whose answer is: %s', (kind) => {
  const spoil = (on: string, about?: string, times = 3) =>
    rail.orderFault({ on, kind, times, ...(about && { reference: about }) });
  /** A rail that says nothing is left after its time, which is leapt over as often as it is asked. */
  const leaveHanging = async (times = 3) => {
    for (let left = times - 1; kind === 'hang' && left >= 0; left--) {
      const isAsked = async () => (await rail.call('/faults')).body.data.length <= left && isCalling(app);
      await travelUntil(app, isAsked, 'the rail being asked');
      app.clock.leap(11_000);
    }
  };

  test('to a registration: the creation is answered at once, and the rail takes it in the end, once', async () => {
    const own = digits();
    await spoil('reference_register', own);
    const made = await createReference(app, { reference: own });
    expect(made).toMatchObject({ status: 'Pending', referenceStatus: 'Pending', registeredAt: null });
    await leaveHanging();
    await travelUntil(
      app,
      async () => (await readReference(app, own)).registeredAt,
      'the rail knowing it',
      2 * MINUTE_MS,
    );
    expect((await rail.books(own)).references).toMatchObject([{ status: 'ACTIVE' }]);
    await expectEachOnce(own, 'reference.registration_failed');
    expect(await readFault(made)).toBeNull();
    expect(await tryToPay(made)).toBe('201');
    await until(async () => (await readReference(app, own)).status === 'Paid', 'Paid');
  });

  test('to a withdrawal: the cancel is answered at once, and machines refuse it in the end', async () => {
    const made = await createPayable(app);
    await spoil('reference_withdraw', made.reference);
    expect((await cancel(app, made.reference)).status).toBe(200);
    await leaveHanging();
    await travelUntil(
      app,
      async () => (await readSteps(app, made.reference)).includes('reference.withdrawn'),
      'the withdrawal',
      2 * MINUTE_MS,
    );
    await expectEachOnce(made.reference, 'reference.withdrawal_failed');
    expect(await readBook(made.reference)).toMatchObject({ status: 'WITHDRAWN' });
    expect(await tryToPay(made)).toBe('REFERENCE_WITHDRAWN');
  });

  test('to a sync: it is told so and changes nothing, the next one finds the money', async () => {
    const made = await createPayable(app);
    expect(await tryToPay(made, { fault: 'lost' })).toBe('201');
    await spoil('reference_query', made.reference, 1);
    const first = sync(made);
    // A rail that says nothing is left after its time.
    if (kind === 'hang') {
      await until(async () => (await rail.call('/faults')).body.data.length === 0, 'the rail being asked');
      app.clock.leap(11_000);
    }
    const reply = await first;
    expect(reply).toMatchObject({ status: 503, json: { code: 'rail_unavailable' } });
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect((await readReference(app, made.reference)).status).toBe('Pending');
    expect((await sync(made)).status).toBe(200);
    expect(await readReference(app, made.reference)).toMatchObject({ status: 'Paid', amountPaid: 1500 });
  });

  test('to its list of payments: what nobody was told is found when it answers again, once', async () => {
    const made = await createPayable(app, { amount: 0, referenceType: 'Charging' });
    await spoil('payments_list', undefined, 2);
    for (const amount of ['10.00', '20.00', '30.00'])
      expect(await tryToPay(made, { amount, fault: 'lost' })).toBe('201');
    await sweepUntilReceived(app, made.reference, 60);
  });
});

describe.each(['drop', 'duplicate', 'reorder', 'delay', 'garbage'])('news that comes to be: %s', (kind) => {
  test('each payment is recorded once', async () => {
    const made = await createPayable(app, { amount: 0, referenceType: 'Charging' });
    await rail.orderFault({ on: 'reference_notification', kind, times: 2, reference: made.reference, delayMs: 30_000 });
    for (const amount of ['10.00', '20.00', '30.00', '40.00']) expect(await tryToPay(made, { amount })).toBe('201');
    await sweepUntilReceived(app, made.reference, 100);
  });
});

test('more than a page of the rail’s list is read to its end', async () => {
  const made = await createPayable(app, { amount: 0, referenceType: 'Charging' });
  for (let nth = 1; nth <= 230; nth++) expect(await tryToPay(made, { amount: '1.00', fault: 'lost' })).toBe('201');
  await sweepUntilReceived(app, made.reference, 230);
}, 90_000);

describe('a rail that nobody can reach', () => {
  let isAway = false;
  const goAway = async () => {
    await rail.calls.stop();
    isAway = true;
  };
  const comeBack = async () => {
    if (isAway) await rail.calls.start();
    isAway = false;
  };
  afterEach(comeBack);

  test('creations and cancels go on; it learns of them all when it is back, of what was both nothing payable', async () => {
    const before = await createPayable(app);
    await goAway();
    const [single, gone] = [await createReference(app), await createReference(app)];
    const { status, json } = await app.call(`${PPR}/bulk`, { body: { references: Array(20).fill(reference()) } });
    expect(status).toBe(201);
    for (const one of [before, gone]) expect((await cancel(app, one.reference)).status).toBe(200);
    expect(await sync(single)).toMatchObject({ status: 503, json: { code: 'rail_unavailable' } });
    for (let second = 0; second < 90; second += 5) {
      await app.clock.advance(5_000);
      await app.sql('select 1');
    }
    expect(await readReference(app, single.reference)).toMatchObject({ status: 'Pending', registeredAt: null });
    await expectEachOnce(single.reference, 'reference.registration_failed');
    // Its machines know nothing of what happened meanwhile.
    expect(await tryToPay(single)).toBe('UNKNOWN_REFERENCE');
    expect(await tryToPay(before)).toBe('201');
    await comeBack();
    await travelToRest(app, rail);
    for (const one of [single, ...json.data]) expect(await tryToPay(one)).toBe('201');
    expect(await tryToPay(gone)).not.toBe('201');
    await travelToRest(app, rail);
    expect(await readReference(app, before.reference)).toMatchObject({ status: 'Paid', amountPaid: 1500 });
    expect(await readReference(app, gone.reference)).toMatchObject({ status: 'Canceled', registeredAt: null });
  });

  test('for hours: minutes after it is back it knows what can be paid, within the hour what came to its end meanwhile', async () => {
    const expiryDate = new Date(app.clock.now().getTime() + HOUR_MS).toISOString();
    const ending = await createPayable(app, { expiryDate });
    await goAway();
    const unknown = await createReference(app, { expiryDate });
    const waiting = await createReference(app);
    for (let hour = 0; hour < 5; hour++) {
      app.clock.leap(HOUR_MS);
      await travelUntil(app, async () => (await readFault(waiting)) !== null, 'the rail being called');
    }
    await travelUntil(app, async () => (await readReference(app, ending.reference)).status === 'Expired', 'expiry');
    await comeBack();
    const isKnown = async () => (await readReference(app, waiting.reference)).registeredAt;
    await travelUntil(app, isKnown, 'the rail knowing it', 6 * MINUTE_MS);
    // Past its time the rail refuses it by itself: there is no hurry.
    app.clock.leap(HOUR_MS);
    await travelToRest(app, rail);
    for (const one of [ending, unknown]) expect(await tryToPay(one)).not.toBe('201');
    expect(await tryToPay(waiting)).toBe('201');
  });
});

test('digits that another system has live at the rail: told in the history, registered when they are free there', async () => {
  const other = referenceOrder(app.clock, { reference: digits() });
  expect((await rail.rail.register(other)).result).toBe('active');
  const made = await createReference(app, { reference: other.reference });
  await until(async () => (await readFault(made)) === 'REFERENCE_TAKEN', 'the refusal');
  expect(await readSteps(app, made.reference)).toEqual(['payment.created', 'reference.registration_failed']);
  expect(await readReference(app, made.reference)).toMatchObject({ status: 'Pending', registeredAt: null });
  await rail.rail.withdraw(other.referenceId);
  await travelUntil(
    app,
    async () => (await readReference(app, made.reference)).registeredAt,
    'the rail taking it',
    MINUTE_MS,
  );
  expect(await tryToPay(made)).toBe('201');
  await until(async () => (await readReference(app, made.reference)).status === 'Paid', 'Paid');
});
