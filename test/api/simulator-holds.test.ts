// The simulated rail's authorizations, captures and voids: one step wins, and the books always balance.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readNotification } from '../../server/providers/gpo/notification.ts';
import type { CaptureOrder, PushOrder, VoidOrder } from '../../server/providers/provider.ts';
import { testClock } from '../support/clock.ts';
import { startGpoRail, type GpoStage } from '../support/rail.ts';

const TIMEOUT_MS = 10_000;
const SOMEBODY = '+244923456789';
const WHOSE = { gpoMerchantId: 'M-1', gpoPosId: 'POS-1', reference: 'PED-1' };

const clock = testClock();
let stage: GpoStage;
let books: GpoStage['books'];
let rail: GpoStage['rail'];

beforeAll(async () => {
  stage = await startGpoRail(clock, TIMEOUT_MS);
  ({ books, rail } = stage);
});
afterAll(() => stage?.stop());

function authorization(phone = SOMEBODY): PushOrder {
  const money = { amountMinor: 150_000, currency: 'AOA', description: 'Café' };
  return { kind: 'authorization', attemptId: randomUUID(), ...WHOSE, phone, ...money };
}

function capture(authorizationId: string, amountMinor = 150_000): CaptureOrder {
  const money = { amountMinor, currency: 'AOA', description: null };
  return { kind: 'capture', attemptId: randomUUID(), ...WHOSE, authorizationId, ...money };
}

function voiding(targetId: string, target: VoidOrder['target'] = 'authorization'): VoidOrder {
  return { kind: 'void', attemptId: randomUUID(), gpoMerchantId: 'M-1', target, targetId };
}

async function push(id: string, verdict: 'approve' | 'decline') {
  const { status } = await fetch(`${books.env.GPO_URL}/pushes/${id}/${verdict}`, { method: 'POST' });
  return status;
}

/** An authorization that its payer has approved. */
async function authorize(): Promise<string> {
  const asked = authorization();
  await rail.send(asked);
  expect(await push(asked.attemptId, 'approve')).toBe(200);
  return asked.attemptId;
}

async function holdOf(id: string) {
  const { authorizations } = await books.allBooks();
  return authorizations.find((row) => row.id === id);
}

async function tellingsOf(id: string) {
  const told = stage.gateway.bodies.map((body) => readNotification(body));
  return told.filter((news) => news?.about === 'order' && news.attemptId === id);
}

const eventually = (look: () => unknown) => expect.poll(look, { timeout: 5_000, interval: 5 });

describe('an authorization', () => {
  test('reserves, is captured whole, and every step is told', async () => {
    const asked = authorization();
    expect(await rail.send(asked)).toMatchObject({ result: 'pending' });
    expect(await push(asked.attemptId, 'approve')).toBe(200);
    const held = await rail.query('authorization', asked.attemptId);
    expect(held).toMatchObject({ result: 'approved', amountMinor: 150_000, currency: 'AOA' });
    expect(await holdOf(asked.attemptId)).toMatchObject({ captured: '0.00', voided: '0.00', held: '1500.00' });
    const taking = capture(asked.attemptId);
    const taken = await rail.send(taking);
    expect(taken).toMatchObject({ result: 'approved', amountMinor: 150_000, occurredAt: clock.now() });
    expect(taken.providerRef).not.toBe(held.providerRef);
    expect(await rail.query('capture', taking.attemptId)).toEqual(taken);
    expect(await holdOf(asked.attemptId)).toMatchObject({ captured: '1500.00', voided: '0.00', held: '0.00' });
    await eventually(() => tellingsOf(taking.attemptId)).toMatchObject([{ kind: 'capture', outcome: taken }]);
    await eventually(() => tellingsOf(asked.attemptId)).toMatchObject([{ kind: 'authorization', outcome: held }]);
  });

  test('is on its phone with its kind, and a capture never is', async () => {
    const asked = authorization('+244911000001');
    await rail.send(asked);
    const pushes = async () => (await (await fetch(`${books.env.GPO_URL}/phones/911000001/pushes`)).json()).data;
    expect(await pushes()).toMatchObject([{ id: asked.attemptId, kind: 'authorization', status: 'PENDING' }]);
    await push(asked.attemptId, 'approve');
    const taking = capture(asked.attemptId);
    await rail.send(taking);
    expect(await pushes()).toHaveLength(1);
    expect(await push(taking.attemptId, 'decline')).toBe(404);
  });

  test('captured in part: the rest is released', async () => {
    const id = await authorize();
    expect(await rail.send(capture(id, 40_001))).toMatchObject({ result: 'approved', amountMinor: 40_001 });
    expect(await holdOf(id)).toMatchObject({ captured: '400.01', voided: '1099.99', held: '0.00' });
  });

  test('an id means one order of one kind, with one content', async () => {
    const asked = authorization();
    await rail.send(asked);
    expect(await rail.query('purchase', asked.attemptId)).toMatchObject({ result: 'not_found' });
    for (const changed of [
      { ...asked, kind: 'purchase' as const },
      { ...asked, amountMinor: 1 },
      { ...capture(randomUUID()), attemptId: asked.attemptId },
      { ...voiding(randomUUID()), attemptId: asked.attemptId },
    ]) {
      const code = `${changed.kind.toUpperCase()}_CHANGED`;
      expect(await rail.send(changed)).toMatchObject({ result: 'unknown', details: { railCode: code } });
    }
    const taking = capture(await authorize());
    const taken = await rail.send(taking);
    expect(await rail.send(taking)).toEqual(taken);
    const elsewhere = { ...taking, authorizationId: randomUUID() };
    expect(await rail.send(elsewhere)).toMatchObject({ details: { railCode: 'CAPTURE_CHANGED' } });
  });

  test.each(['authorization', 'capture', 'void'] as const)('an unknown %s is not found', async (kind) => {
    expect(await rail.query(kind, randomUUID())).toMatchObject({ result: 'not_found' });
  });
});

describe('a capture is refused', () => {
  const refused = (railReason: string) => ({
    result: 'declined',
    failureCode: 'issuer_refused',
    details: { railReason },
  });

  test('of what the rail does not know, has not approved, or would not cover it', async () => {
    expect(await rail.send(capture(randomUUID()))).toMatchObject(refused('UNKNOWN_AUTHORIZATION'));
    const pending = authorization();
    await rail.send(pending);
    expect(await rail.send(capture(pending.attemptId))).toMatchObject(refused('AUTHORIZATION_NOT_APPROVED'));
    const id = await authorize();
    expect(await rail.send(capture(id, 150_001))).toMatchObject(refused('AMOUNT_TOO_HIGH'));
    expect(await rail.send({ ...capture(id, 1_00), currency: 'USD' })).toMatchObject(refused('AMOUNT_TOO_HIGH'));
    expect(await rail.send({ ...capture(id), gpoMerchantId: 'M-2' })).toMatchObject(refused('UNKNOWN_AUTHORIZATION'));
    expect(await rail.send(capture(id))).toMatchObject({ result: 'approved' });
  });

  test('after another, or after a void', async () => {
    const id = await authorize();
    await rail.send(capture(id));
    expect(await rail.send(capture(id, 1))).toMatchObject(refused('AUTHORIZATION_CLOSED'));
    expect(await rail.send(voiding(id))).toMatchObject(refused('ALREADY_CAPTURED'));
    const released = await authorize();
    expect(await rail.send(voiding(released))).toMatchObject({ result: 'approved', providerRef: null });
    expect(await rail.send(capture(released))).toMatchObject(refused('AUTHORIZATION_CLOSED'));
    expect(await rail.send(voiding(released))).toMatchObject({ result: 'approved' });
    expect(await holdOf(released)).toMatchObject({ voided: '1500.00', held: '0.00' });
  });

  test('while another step is pending', async () => {
    const asked = authorization('+244900000000');
    await rail.send(asked);
    await clock.advance(1_000);
    const first = capture(asked.attemptId);
    expect(await rail.send(first)).toMatchObject({ result: 'pending' });
    expect(await rail.send(capture(asked.attemptId))).toMatchObject(refused('AUTHORIZATION_BUSY'));
    expect(await rail.send(voiding(asked.attemptId))).toMatchObject(refused('AUTHORIZATION_BUSY'));
    await clock.advance(1_000);
    expect(await rail.query('capture', first.attemptId)).toMatchObject({ result: 'approved' });
  });
});

describe('a void', () => {
  test('of a pending authorization declines it, and it is told', async () => {
    const asked = authorization();
    await rail.send(asked);
    expect(await rail.send(voiding(asked.attemptId))).toMatchObject({ result: 'approved', occurredAt: clock.now() });
    const outcome = await rail.query('authorization', asked.attemptId);
    expect(outcome).toMatchObject({
      result: 'declined',
      failureCode: 'issuer_refused',
      details: { railReason: 'VOIDED' },
    });
    expect(await push(asked.attemptId, 'approve')).toBe(409);
    await eventually(() => tellingsOf(asked.attemptId)).toMatchObject([{ outcome: { result: 'declined' } }]);
  });

  test('of one that comes later is remembered', async () => {
    const asked = authorization('+244900000000');
    expect(await rail.send(voiding(asked.attemptId))).toMatchObject({ result: 'approved' });
    expect(await rail.send(asked)).toMatchObject({ result: 'declined', details: { railReason: 'VOIDED' } });
    const other = authorization('+244900000000');
    await rail.send(voiding(other.attemptId, 'qrcode'));
    expect(await rail.send(other)).toMatchObject({ result: 'pending' });
  });

  test('and its target at once: whichever comes first, nothing stays held', async () => {
    const orders = Array.from({ length: 10 }, () => authorization());
    await Promise.all(orders.flatMap((asked) => [rail.send(asked), rail.send(voiding(asked.attemptId))]));
    for (const { attemptId } of orders) {
      expect(await rail.query('authorization', attemptId)).toMatchObject({ result: 'declined' });
    }
  });
});

test('capture and void of one authorization at once: exactly one wins, and the books balance', async () => {
  const ids = await Promise.all(Array.from({ length: 12 }, authorize));
  const wins: string[] = [];
  await Promise.all(
    ids.map(async (id) => {
      const steps = [capture(id, 100_000), voiding(id), capture(id, 50_000)];
      const outcomes = await Promise.all(steps.map((step) => rail.send(step)));
      const won = steps.filter((_step, index) => outcomes[index]?.result === 'approved');
      expect(won).toHaveLength(1);
      expect(outcomes.filter(({ result }) => result === 'declined')).toHaveLength(2);
      wins.push(won[0]?.kind ?? '');
    }),
  );
  expect(wins).toHaveLength(12);
  const { totals, authorizations } = await books.allBooks();
  const minor = (text: string) => Number(text.replace('.', ''));
  for (const row of [...totals.holds, ...authorizations]) {
    expect(minor(row.captured) + minor(row.voided) + minor(row.held)).toBe(minor(row.authorized));
  }
  for (const id of ids) expect(await holdOf(id)).toMatchObject({ held: '0.00', authorized: '1500.00' });
});

describe('magic phones', () => {
  test.each([
    ['900000000', 1_000, 1],
    ['900000005', 10_000, 1],
    ['900000006', 1_000, 3],
    ['900000007', 1_000, 0],
  ])('%s: each step is approved after %i ms and told %i times', async (number, afterMs, copies) => {
    for (const makeStep of [capture, voiding]) {
      const asked = authorization(`+244${number}`);
      await rail.send(asked);
      await clock.advance(afterMs - 1);
      expect(await rail.query('authorization', asked.attemptId)).toMatchObject({ result: 'pending' });
      await clock.advance(1);
      expect(await rail.query('authorization', asked.attemptId)).toMatchObject({ result: 'approved' });
      const step = makeStep(asked.attemptId);
      expect(await rail.send(step)).toMatchObject({ result: 'pending' });
      await clock.advance(afterMs - 1);
      expect(await rail.query(step.kind, step.attemptId)).toMatchObject({ result: 'pending' });
      await clock.advance(1);
      expect(await rail.query(step.kind, step.attemptId)).toMatchObject({
        result: 'approved',
        occurredAt: clock.now(),
      });
      // A later notification arrives last: by then all of this one's are here.
      const last = voiding(randomUUID());
      await rail.send(last);
      await eventually(async () => (await tellingsOf(last.attemptId)).length).toBe(1);
      await eventually(async () => (await tellingsOf(step.attemptId)).length).toBe(copies);
    }
  });

  test.each([
    ['900000001', 1_000, 'customer_refused'],
    ['900000002', 1_000, 'insufficient_funds'],
    ['900000003', 90_000, 'timed_out'],
    ['900000008', 0, 'number_not_active'],
  ])('%s: the authorization is declined after %i ms: %s', async (number, afterMs, failureCode) => {
    const asked = authorization(`+244${number}`);
    await rail.send(asked);
    await clock.advance(afterMs);
    expect(await rail.query('authorization', asked.attemptId)).toMatchObject({ result: 'declined', failureCode });
  });

  test('900000004: 503, and never heard of', async () => {
    const asked = authorization('+244900000004');
    expect(await rail.send(asked)).toMatchObject({ result: 'unknown', details: { httpStatus: '503' } });
    expect(await rail.query('authorization', asked.attemptId)).toMatchObject({ result: 'not_found' });
  });
});

describe('faults', () => {
  const STEPS = { authorization: () => authorization(), capture, void: voiding };

  test.each(
    (['authorization', 'capture', 'void'] as const).flatMap((kind) => [
      [kind, 'unavailable', 'rail_error', false] as const,
      [kind, 'reset_before', 'connection', false] as const,
      [kind, 'reset_after', 'connection', true] as const,
      [kind, 'garbage', 'unreadable', true] as const,
      [kind, 'hang', 'timeout', true] as const,
      [kind, 'delay', 'timeout', true] as const,
    ]),
  )('%s/%s: %s, recorded: %s, once', async (kind, fault, reason, isRecorded) => {
    const order = STEPS[kind](await authorize());
    await books.orderFault({ on: kind, kind: fault, phone: SOMEBODY, delayMs: 2 * TIMEOUT_MS });
    const answer = rail.send(order);
    if (reason === 'timeout') {
      await eventually(async () => (await rail.query(kind, order.attemptId)).result).not.toBe('not_found');
      await clock.advance(TIMEOUT_MS);
    }
    expect(await answer).toMatchObject({ result: 'unknown', details: { reason } });
    const expected = kind === 'authorization' ? 'pending' : 'approved';
    const asked = await rail.query(kind, order.attemptId);
    expect(asked).toMatchObject({ result: isRecorded ? expected : 'not_found' });
    expect(await rail.send(order)).toMatchObject({ result: expected });
  });

  test.each(['authorization', 'capture', 'void'] as const)('a query of a %s, once', async (kind) => {
    const order = STEPS[kind](await authorize());
    const sent = await rail.send(order);
    await books.orderFault({ on: 'query', kind: 'unavailable', phone: SOMEBODY });
    expect(await rail.query(kind, order.attemptId)).toMatchObject({ result: 'unknown' });
    expect(await rail.query(kind, order.attemptId)).toEqual(sent);
  });

  test('a capture’s notification is dropped for its phone', async () => {
    const taking = capture(await authorize());
    await eventually(async () => (await holdOf(taking.authorizationId))?.notified).toBe(1);
    await books.orderFault({ on: 'notification', kind: 'drop', phone: SOMEBODY });
    await rail.send(taking);
    const last = voiding(randomUUID());
    await rail.send(last);
    await eventually(async () => (await tellingsOf(last.attemptId)).length).toBe(1);
    expect(await tellingsOf(taking.attemptId)).toEqual([]);
  });
});
