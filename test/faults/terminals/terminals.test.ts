import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { creepUntil } from '../../support/payments.ts';
import {
  openTerminalFixture,
  startScriptedTerminals,
  type TerminalRail,
  type TerminalFixture,
} from '../../support/terminals.ts';
import { HOUR_MS } from '../../../shared/durations.ts';

let app: TestApp;
let rail: TerminalRail;
let fixture: TerminalFixture;
let isAway = false;
beforeAll(async () => {
  rail = await startScriptedTerminals();
  app = await startTestApp({ env: rail.env });
});
beforeEach(async () => {
  fixture = await openTerminalFixture(app);
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
  await rail.set(fixture.posId, { status: word });
  await fixture.call('');
};
const events = async () =>
  (await fixture.events()).map(({ type, details }) => [type.replace('terminal.', ''), details.reason]);
const untilStatus = (status: string) =>
  creepUntil(app, async () => (await fixture.row()).status === status, `the terminal being ${status}`);
const moves = () => rail.callsTo(fixture.posId).filter((name) => name !== 'query');
/** Advances the clock in small steps, so that polls run between. */
async function passUntil(ageMs: number): Promise<void> {
  const { sent_at } = await fixture.row();
  const end = new Date(sent_at).getTime() + ageMs;
  await creepUntil(app, () => app.clock.now().getTime() >= end, `${ageMs} ms`);
}

describe('a terminal operation at an unreachable rail', () => {
  test.each(MOVES)('returns 503 for %s and changes nothing', async (action, word, origin, underway) => {
    await start(word);
    await goAway();
    // The restart of the rail breaks idle connections.
    await until(async () => (await fixture.call('')).status === 503, 'the rail being unreachable');
    const reply = await fixture.call(action);
    expect(reply).toMatchObject({ status: 503, json: { code: 'rail_unavailable' } });
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    const atRest = { status: origin, operation_id: null, sent_at: null, due_at: null };
    expect(await fixture.row()).toMatchObject(atRest);
    expect(await events()).toEqual([
      [underway.toLowerCase(), undefined],
      [origin.toLowerCase(), 'unreached'],
    ]);
    await comeBack();
    expect((await fixture.call(action)).status).toBe(200);
    expect(moves()).toEqual([action]);
  });

  test('returns 503 for an unknown terminal and creates no row', async () => {
    await goAway();
    for (const action of ['', 'open', 'close'])
      expect(await fixture.call(action)).toMatchObject({ status: 503, json: { code: 'rail_unavailable' } });
    expect(await fixture.row()).toBeUndefined();
  });
});

describe('a lost response of the rail', () => {
  test.each(MOVES)(
    'to %s makes the API return 200 with the status in transition, and a poll finds the final status',
    async (...move) => {
      const [action, word, , underway, goal] = move;
      await start(word);
      rail.calls.holdAt('answer');
      const moving = fixture.call(action);
      await until(() => rail.calls.held() === 1, 'the rail having acted');
      rail.calls.holdAt(null);
      await app.clock.advance(10_000);
      expect(await moving).toMatchObject({ status: 200, json: { status: underway } });
      // A repeat causes no second call.
      expect(await fixture.call(action)).toMatchObject({ status: 200, json: { status: underway } });
      expect((await fixture.call(action === 'open' ? 'close' : 'open')).status).toBe(409);
      await untilStatus(goal);
      expect(moves()).toEqual([action]);
      expect(await events()).toEqual([
        [underway.toLowerCase(), undefined],
        [goal.toLowerCase(), undefined],
      ]);
      expect(await fixture.row()).toMatchObject({ operation_id: null, sent_at: null, due_at: null });
    },
  );
});

describe('a lost call to the rail', () => {
  test.each(MOVES)(
    'for the action %s ends with the former status of the terminal after the lease of the call',
    async (...move) => {
      const [action, word, origin, underway] = move;
      await start(word);
      rail.calls.holdAt('request');
      const moving = fixture.call(action);
      await until(() => rail.calls.held() === 1, 'the call');
      rail.calls.holdAt(null);
      rail.calls.cut();
      expect(await moving).toMatchObject({ status: 200, json: { status: underway } });
      // The rail denies the change from 2 s on, but the call may still arrive.
      // Small steps: the clock must not reach the end of the lease while the poll is on its way.
      await creepUntil(app, () => rail.callsTo(fixture.posId).at(-1) === 'query', 'the first poll', 10);
      await passUntil(14_000);
      expect(await fixture.row()).toMatchObject({ status: underway });
      await untilStatus(origin);
      expect(await events()).toEqual([
        [underway.toLowerCase(), undefined],
        [origin.toLowerCase(), 'not_done'],
      ]);
      expect((await fixture.call(action)).status).toBe(200);
      expect(moves()).toEqual([action, action]);
    },
  );

  test('changes the terminal if it arrives late', async () => {
    await start('CLOSED');
    rail.calls.holdAt('request');
    const opening = fixture.call('open');
    await until(() => rail.calls.held() === 1, 'the call');
    rail.calls.holdAt(null);
    await app.clock.advance(10_000);
    expect(await opening).toMatchObject({ json: { status: 'Opening' } });
    rail.calls.release();
    await until(async () => (await rail.read(fixture.posId)).startsWith('OPEN'), 'the call’s arrival');
    await untilStatus('Open');
    expect(await events()).toEqual([
      ['opening', undefined],
      ['open', undefined],
    ]);
  });
});

test('GET terminal returns the last known status if the rail’s response is unclear', async () => {
  await start('CLOSED');
  await rail.set(fixture.posId, { status: 'HALF OPEN' });
  const reply = await fixture.call('');
  expect(reply).toMatchObject({ status: 200, json: { status: 'Closed' } });
  expect(reply.json.message).toMatch(/no clear answer.+closed/);
  const fresh = await openTerminalFixture(app);
  await rail.set(fresh.posId, { status: 'HALF OPEN' });
  expect(await fresh.call('')).toMatchObject({ status: 503, json: { code: 'rail_unavailable' } });
  expect(await fresh.row()).toBeUndefined();
});

test('a terminal in transition for three days raises one terminal.stuck, and a later status is recorded', async () => {
  await start('CLOSED');
  rail.calls.holdAt('answer');
  const opening = fixture.call('open');
  await until(() => rail.calls.held() === 1, 'the call');
  await rail.set(fixture.posId, { status: 'OPENING' });
  rail.calls.holdAt(null);
  rail.calls.cut();
  expect((await opening).status).toBe(200);
  /** The node polls once instead of repeating every missed poll. */
  const pollAfter = async (ms: number) => {
    const before = rail.callsTo(fixture.posId).length;
    app.clock.leap(ms);
    await creepUntil(app, () => rail.callsTo(fixture.posId).length > before, 'the next poll');
    const isRecorded = `select from terminals where pos_id = $1 and (due_at is null or due_at > $2::timestamptz + interval '20 seconds')`;
    const values = [fixture.posId, app.clock.now()];
    await until(async () => (await app.sql(isRecorded, values)).length === 1, 'the poll being recorded');
  };
  const countStuck = async () => (await events()).filter(([type]) => type === 'stuck').length;
  for (const hours of [1, 22, 24, 24]) await pollAfter(hours * HOUR_MS);
  expect(await countStuck()).toBe(0);
  await pollAfter(2 * HOUR_MS);
  expect(await countStuck()).toBe(1);
  expect(await fixture.row()).toMatchObject({ status: 'Opening', due_at: null });
  // A manual query raises no second alarm.
  expect((await fixture.call('')).json).toMatchObject({ status: 'Opening' });
  expect(await countStuck()).toBe(1);
  await rail.set(fixture.posId, { status: 'OPEN' });
  expect((await fixture.call('')).json).toMatchObject({ status: 'Open' });
  expect(await fixture.row()).toMatchObject({ operation_id: null, due_at: null });
});
