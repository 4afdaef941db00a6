// Terminals while the rail is away, slow, or acts without saying so: no state is guessed, and the truth is found.
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { creepUntil } from '../../support/payments.ts';
import { openTill, startScriptedTerminals, type TerminalRail, type Till } from '../../support/terminals.ts';

const HOUR_MS = 3_600_000;

let app: TestApp;
let rail: TerminalRail;
let till: Till;
let isAway = false;
beforeAll(async () => {
  rail = await startScriptedTerminals();
  app = await startTestApp({ env: rail.env });
});
beforeEach(async () => {
  till = await openTill(app);
});
afterEach(async () => {
  rail.calls.holdAt(null);
  rail.calls.cut();
  if (isAway) await comeBack();
});

async function goAway(): Promise<void> {
  await rail.calls.stop();
  isAway = true;
}

async function comeBack(): Promise<void> {
  await rail.calls.start();
  isAway = false;
}

const MOVES = [
  ['open', 'CLOSED', 'Closed', 'Opening', 'Open'],
  ['close', 'OPEN', 'Open', 'Closing', 'Closed'],
] as const;

const start = async (word: string) => {
  await rail.set(till.posId, { status: word });
  await till.call('');
};
const events = async () =>
  (await till.events()).map(({ type, details }) => [type.replace('terminal.', ''), details.reason]);
const untilStatus = (status: string) =>
  creepUntil(app, async () => (await till.row()).status === status, `the terminal being ${status}`);
const moves = () => rail.asked(till.posId).filter((name) => name !== 'query');
/** The clock runs on to that long after the call began, with room for the polls between. */
async function passUntil(ageMs: number): Promise<void> {
  const { sent_at } = await till.row();
  const end = new Date(sent_at).getTime() + ageMs;
  await creepUntil(app, () => app.clock.now().getTime() >= end, `${ageMs} ms`);
}

describe('the rail is away', () => {
  test.each(MOVES)('%s: 503, and the terminal is as it was', async (action, word, origin, underway) => {
    await start(word);
    await goAway();
    // A kept connection dies with the rail; from now on none can be made.
    await until(async () => (await till.call('')).status === 503, 'the rail being unreachable');
    const reply = await till.call(action);
    expect(reply).toMatchObject({ status: 503, json: { code: 'rail_unavailable' } });
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    const atRest = { status: origin, operation_id: null, sent_at: null, due_at: null };
    expect(await till.row()).toMatchObject(atRest);
    expect(await events()).toEqual([
      [underway.toLowerCase(), undefined],
      [origin.toLowerCase(), 'unreached'],
    ]);
    await comeBack();
    expect((await till.call(action)).status).toBe(200);
    expect(moves()).toEqual([action]);
  });

  test('one that was never met cannot be moved or told of, and leaves no row', async () => {
    await goAway();
    for (const action of ['', 'open', 'close'])
      expect(await till.call(action)).toMatchObject({ status: 503, json: { code: 'rail_unavailable' } });
    expect(await till.row()).toBeUndefined();
  });
});

describe('the rail acts and does not say so', () => {
  test.each(MOVES)('%s, no answer in time: 200 on its way, and found by the first poll after', async (...move) => {
    const [action, word, , underway, goal] = move;
    await start(word);
    rail.calls.holdAt('answer');
    const moving = till.call(action);
    await until(() => rail.calls.held() === 1, 'the rail having acted');
    rail.calls.holdAt(null);
    await app.clock.advance(10_000);
    expect(await moving).toMatchObject({ status: 200, json: { status: underway } });
    // Asked for again it is no second call, and the other way is not open.
    expect(await till.call(action)).toMatchObject({ status: 200, json: { status: underway } });
    expect((await till.call(action === 'open' ? 'close' : 'open')).status).toBe(409);
    await untilStatus(goal);
    expect(moves()).toEqual([action]);
    expect(await events()).toEqual([
      [underway.toLowerCase(), undefined],
      [goal.toLowerCase(), undefined],
    ]);
    expect(await till.row()).toMatchObject({ operation_id: null, sent_at: null, due_at: null });
  });
});

describe('the call is lost on its way', () => {
  test.each(MOVES)('%s: on its way until the call can surely act no more', async (...move) => {
    const [action, word, origin, underway] = move;
    await start(word);
    rail.calls.holdAt('request');
    const moving = till.call(action);
    await until(() => rail.calls.held() === 1, 'the call');
    rail.calls.holdAt(null);
    rail.calls.cut();
    expect(await moving).toMatchObject({ status: 200, json: { status: underway } });
    // The rail says from 2 s on that nothing happened; it may still happen.
    await creepUntil(app, () => rail.asked(till.posId).at(-1) === 'query', 'the first poll');
    await passUntil(14_000);
    expect(await till.row()).toMatchObject({ status: underway });
    await untilStatus(origin);
    expect(await events()).toEqual([
      [underway.toLowerCase(), undefined],
      [origin.toLowerCase(), 'not_done'],
    ]);
    expect((await till.call(action)).status).toBe(200);
    expect(moves()).toEqual([action, action]);
  });

  test('one that was only late is found to have acted', async () => {
    await start('CLOSED');
    rail.calls.holdAt('request');
    const opening = till.call('open');
    await until(() => rail.calls.held() === 1, 'the call');
    rail.calls.holdAt(null);
    await app.clock.advance(10_000);
    expect(await opening).toMatchObject({ json: { status: 'Opening' } });
    rail.calls.release();
    await until(async () => (await rail.read(till.posId)).startsWith('OPEN'), 'the call’s arrival');
    await untilStatus('Open');
    expect(await events()).toEqual([
      ['opening', undefined],
      ['open', undefined],
    ]);
  });
});

test('a question without a clear answer tells what was last known, and says so', async () => {
  await start('CLOSED');
  await rail.set(till.posId, { status: 'HALF OPEN' });
  const reply = await till.call('');
  expect(reply).toMatchObject({ status: 200, json: { status: 'Closed' } });
  expect(reply.json.message).toMatch(/no clear answer.+closed/);
  const fresh = await openTill(app);
  await rail.set(fresh.posId, { status: 'HALF OPEN' });
  expect(await fresh.call('')).toMatchObject({ status: 503, json: { code: 'rail_unavailable' } });
  expect(await fresh.row()).toBeUndefined();
});

test('a rail that says for three days that it is opening: one terminal.stuck, and late truth is still taken', async () => {
  await start('CLOSED');
  rail.calls.holdAt('answer');
  const opening = till.call('open');
  await until(() => rail.calls.held() === 1, 'the call');
  await rail.set(till.posId, { status: 'OPENING' });
  rail.calls.holdAt(null);
  rail.calls.cut();
  expect((await opening).status).toBe(200);
  /** The node wakes up that much later, and asks once for all it missed. */
  const pollAfter = async (ms: number) => {
    const before = rail.asked(till.posId).length;
    app.clock.leap(ms);
    await creepUntil(app, () => rail.asked(till.posId).length > before, 'the next poll');
    const isRecorded = `select from terminals where pos_id = $1 and (due_at is null or due_at > $2::timestamptz + interval '20 seconds')`;
    const values = [till.posId, app.clock.now()];
    await until(async () => (await app.sql(isRecorded, values)).length === 1, 'the poll being recorded');
  };
  const countStuck = async () => (await events()).filter(([type]) => type === 'stuck').length;
  for (const hours of [1, 22, 24, 24]) await pollAfter(hours * HOUR_MS);
  expect(await countStuck()).toBe(0);
  await pollAfter(2 * HOUR_MS);
  expect(await countStuck()).toBe(1);
  expect(await till.row()).toMatchObject({ status: 'Opening', due_at: null });
  // A person asks: no second alarm, and at last the truth.
  expect((await till.call('')).json).toMatchObject({ status: 'Opening' });
  expect(await countStuck()).toBe(1);
  await rail.set(till.posId, { status: 'OPEN' });
  expect((await till.call('')).json).toMatchObject({ status: 'Open' });
  expect(await till.row()).toMatchObject({ operation_id: null, due_at: null });
});
