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
import { HOUR_MS, MINUTE_MS } from '../../../../shared/durations.ts';

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
/** Removes repeated reasons from the history. A slow machine may add another reason between two equal ones. */
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

const KINDS = ['unavailable', 'reset_before', 'reset_after', 'hang', 'garbage'] as const;

describe.each(KINDS)('the rail fault %s', (kind) => {
  const spoil = (on: string, about?: string, times = 3) =>
    rail.orderFault({ on, kind, times, ...(about && { reference: about }) });
  /** Leaps over the timeout of each rail call without a response. */
  const leaveHanging = async (times = 3) => {
    for (let left = times - 1; kind === 'hang' && left >= 0; left--) {
      const isAsked = async () => (await rail.call('/faults')).body.data.length <= left && isCalling(app);
      await travelUntil(app, isAsked, 'the call of the rail');
      app.clock.leap(11_000);
    }
  };

  test('in a registration and a withdrawal delays both, and no response to a creation or cancel', async () => {
    const own = digits();
    const travelToStep = (type: string) =>
      travelUntil(app, async () => (await readSteps(app, own)).includes(type), type, 2 * MINUTE_MS);
    await spoil('reference_register', own);
    const made = await createReference(app, { reference: own });
    expect(made).toMatchObject({ status: 'Pending', referenceStatus: 'Pending', registeredAt: null });
    await leaveHanging();
    await travelToStep('reference.registered');
    expect((await rail.books(own)).references).toMatchObject([{ status: 'ACTIVE' }]);
    await expectEachOnce(own, 'reference.registration_failed');
    expect(await readFault(made)).toBeNull();
    await spoil('reference_withdraw', own);
    expect((await cancel(app, own)).status).toBe(200);
    await leaveHanging();
    await travelToStep('reference.withdrawn');
    await expectEachOnce(own, 'reference.withdrawal_failed');
    expect(await readBook(own)).toMatchObject({ status: 'WITHDRAWN' });
    expect(await tryToPay(made)).toBe('REFERENCE_WITHDRAWN');
  });

  test('in a sync returns 503 and changes nothing; the next sync finds the money', async () => {
    const made = await createPayable(app);
    expect(await tryToPay(made, { fault: 'lost' })).toBe('201');
    await spoil('reference_query', made.reference, 1);
    const first = sync(made);
    if (kind === 'hang') {
      await until(async () => (await rail.call('/faults')).body.data.length === 0, 'the call of the rail');
      app.clock.leap(11_000);
    }
    const reply = await first;
    expect(reply).toMatchObject({ status: 503, json: { code: 'rail_unavailable' } });
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect((await readReference(app, made.reference)).status).toBe('Pending');
    expect((await sync(made)).status).toBe(200);
    expect(await readReference(app, made.reference)).toMatchObject({ status: 'Paid', amountPaid: 1500 });
  });

  test('in the payment list delays the read of the list, and each missing payment is recorded once', async () => {
    const made = await createPayable(app, { amount: 0, referenceType: 'Charging' });
    await spoil('payments_list', undefined, 2);
    for (const amount of ['10.00', '20.00', '30.00'])
      expect(await tryToPay(made, { amount, fault: 'lost' })).toBe('201');
    await sweepUntilReceived(app, made.reference, 60);
  });
});

describe.each(['drop', 'duplicate', 'reorder', 'delay', 'garbage'])('the notification fault %s', (kind) => {
  test('records each payment once', async () => {
    const made = await createPayable(app, { amount: 0, referenceType: 'Charging' });
    await rail.orderFault({ on: 'reference_notification', kind, times: 2, reference: made.reference, delayMs: 30_000 });
    for (const amount of ['10.00', '20.00', '30.00', '40.00']) expect(await tryToPay(made, { amount })).toBe('201');
    await sweepUntilReceived(app, made.reference, 100);
  });
});

test('the gateway reads the rail’s payment list beyond its first page', async () => {
  const made = await createPayable(app, { amount: 0, referenceType: 'Charging' });
  for (let nth = 1; nth <= 230; nth++) expect(await tryToPay(made, { amount: '1.00', fault: 'lost' })).toBe('201');
  await sweepUntilReceived(app, made.reference, 230);
});

describe('an unreachable rail', () => {
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

  test('does not stop creations and cancels, and knows all of them afterwards', async () => {
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
    // The rail's cash machines still know the old state.
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

  test('knows every payable reference minutes after an outage of hours', async () => {
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
    // The rail refuses an expired reference by its own clock, so the withdrawal is not urgent.
    app.clock.leap(HOUR_MS);
    await travelToRest(app, rail);
    for (const one of [ending, unknown]) expect(await tryToPay(one)).not.toBe('201');
    expect(await tryToPay(waiting)).toBe('201');
  });
});

test('a reference is registered as soon as another system frees its digits at the rail', async () => {
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
