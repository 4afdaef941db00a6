// The simulated rail's terminals: opened and closed once for each id, with a supervisor where one is needed.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { readNotification } from '../../server/providers/gpo/notification.ts';
import type { TerminalOrder } from '../../server/providers/provider.ts';
import { testClock } from '../support/clock.ts';
import { startGpoRail, type GpoStage } from '../support/rail.ts';

const TIMEOUT_MS = 10_000;

const clock = testClock();
let stage: GpoStage;
let books: GpoStage['books'];
let rail: GpoStage['rail'];
let posId: string;

beforeAll(async () => {
  stage = await startGpoRail(clock, TIMEOUT_MS);
  ({ books, rail } = stage);
});
afterAll(() => stage?.stop());
beforeEach(() => {
  posId = `POS-${randomUUID().slice(0, 8)}`;
});

function move(action: 'open' | 'close', supervisorId: string | null = null): TerminalOrder {
  return { operationId: randomUUID(), posId, action, supervisorId };
}

const eventually = (look: () => unknown) => expect.poll(look, { timeout: 5_000, interval: 5 });

test('one never heard of is open; every opening begins a new period', async () => {
  const open = { result: 'told', status: 'Open', period: '1', supervisorRequired: false };
  expect(await rail.queryTerminal(posId)).toMatchObject(open);
  expect(await rail.moveTerminal(move('open'))).toMatchObject(open);
  expect(await rail.moveTerminal(move('close'))).toMatchObject({ status: 'Closed', period: '1' });
  expect(await rail.moveTerminal(move('close'))).toMatchObject({ status: 'Closed', period: '1' });
  expect(await rail.moveTerminal(move('open'))).toMatchObject({ status: 'Open', period: '2' });
  expect(await rail.queryTerminal('no such terminal')).toMatchObject({ result: 'not_found' });
});

test('the same id acts once, and only for the same', async () => {
  const closing = move('close');
  await rail.moveTerminal(closing);
  await rail.moveTerminal(move('open'));
  expect(await rail.moveTerminal(closing)).toMatchObject({ result: 'told', status: 'Open', period: '2' });
  const changed = await rail.moveTerminal({ ...closing, action: 'open' });
  expect(changed).toMatchObject({ result: 'unknown', details: { railCode: 'MOVE_CHANGED' } });
});

test('ten openings at once begin one period', async () => {
  await rail.moveTerminal(move('close'));
  const outcomes = await Promise.all(Array.from({ length: 10 }, () => rail.moveTerminal(move('open'))));
  for (const outcome of outcomes) expect(outcome).toMatchObject({ status: 'Open', period: '2' });
});

test('with supervisors, only one of them moves it', async () => {
  expect(await books.setTerminal(posId, { supervisors: ['S-1', 'S-2'] })).toMatchObject({ supervisorRequired: true });
  const closing = move('close');
  expect(await rail.moveTerminal(closing)).toMatchObject({ result: 'refused', refusal: 'supervisor_required' });
  const wrong = await rail.moveTerminal({ ...closing, supervisorId: 'S-3' });
  expect(wrong).toMatchObject({ result: 'refused', refusal: 'wrong_supervisor' });
  expect(await rail.queryTerminal(posId)).toMatchObject({ status: 'Open', supervisorRequired: true });
  expect(await rail.moveTerminal({ ...closing, supervisorId: 'S-2' })).toMatchObject({ status: 'Closed' });
});

test('the rail closes one by itself, and says so', async () => {
  await books.setTerminal(posId, { status: 'CLOSING' });
  await books.setTerminal(posId, { status: 'CLOSED', notify: true });
  const told = () =>
    stage.gateway.bodies
      .map((body) => readNotification(body))
      .filter((news) => news?.about === 'terminal' && news.posId === posId);
  await eventually(told).toMatchObject([{ outcome: { result: 'told', status: 'Closed', period: '1' } }]);
  expect(await rail.queryTerminal(posId)).toMatchObject({ status: 'Closed' });
});

test.each(['purchase', 'authorization'] as const)(
  'a %s through a closed one is declined in the answer',
  async (kind) => {
    await rail.moveTerminal(move('close'));
    const whose = { attemptId: randomUUID(), gpoMerchantId: 'M-1', gpoPosId: posId, reference: 'PED-1' };
    const money = { amountMinor: 100, currency: 'AOA', description: null };
    const order = { kind, ...whose, phone: '+244923456789', ...money };
    expect(await rail.send(order)).toMatchObject({ result: 'declined', failureCode: 'terminal_closed' });
    await rail.moveTerminal(move('open'));
    expect(await rail.send({ ...order, attemptId: randomUUID() })).toMatchObject({ result: 'pending' });
  },
);

test.each([
  ['unavailable', 'rail_error', false],
  ['reset_before', 'connection', false],
  ['reset_after', 'connection', true],
  ['garbage', 'unreadable', true],
  ['hang', 'timeout', true],
  ['delay', 'timeout', true],
])('terminal/%s: %s, done: %s; asked again with the same id, it is', async (kind, reason, isDone) => {
  await books.orderFault({ on: 'terminal', kind, delayMs: 2 * TIMEOUT_MS });
  const closing = move('close');
  const answer = rail.moveTerminal(closing);
  if (reason === 'timeout') {
    await eventually(async () => (await rail.queryTerminal(posId)).status).toBe('Closed');
    await clock.advance(TIMEOUT_MS);
  }
  expect(await answer).toMatchObject({ result: 'unknown', details: { reason } });
  expect(await rail.queryTerminal(posId)).toMatchObject({ status: isDone ? 'Closed' : 'Open' });
  expect(await rail.moveTerminal(closing)).toMatchObject({ result: 'told', status: 'Closed', period: '1' });
});

test('a query fault makes the state unknown, once', async () => {
  await books.orderFault({ on: 'query', kind: 'unavailable' });
  expect(await rail.queryTerminal(posId)).toMatchObject({ result: 'unknown', details: { httpStatus: '503' } });
  expect(await rail.queryTerminal(posId)).toMatchObject({ result: 'told' });
});
