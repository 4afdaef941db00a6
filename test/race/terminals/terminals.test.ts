import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { testClock } from '../../support/clock.ts';
import { creepUntil } from '../../support/payments.ts';
import {
  openTerminalFixture,
  startSimulatedTerminals,
  type TerminalRail,
  type TerminalFixture,
} from '../../support/terminals.ts';

let app: TestApp;
let twin: TestApp;
let rail: TerminalRail;
let fixture: TerminalFixture;
beforeAll(async () => {
  const clock = testClock();
  rail = await startSimulatedTerminals(() => app.url, clock);
  app = await startTestApp({ clock, env: rail.env });
  twin = await app.startTwin();
});
beforeEach(async () => {
  fixture = await openTerminalFixture(app);
});
afterEach(() => {
  rail.calls.holdAt(null);
  rail.calls.release();
});

const nodes = () => [app, twin];
const onBoth = (action: string, times: number) =>
  Array.from({ length: times }, (_, nth) => fixture.call(action, { node: nodes()[nth % 2]! }));
const start = async (word: 'OPEN' | 'CLOSED') => {
  await rail.set(fixture.posId, { status: word });
  await fixture.call('');
};
const moves = () => rail.callsTo(fixture.posId).filter((name) => name !== 'query');
const eventTypes = async () => (await fixture.events()).map(({ type }) => type.replace('terminal.', ''));

test.each([
  ['open', 'CLOSED', 'Opening', 'Open'],
  ['close', 'OPEN', 'Closing', 'Closed'],
] as const)(
  '20 concurrent requests to %s a terminal on two nodes send one call to the rail',
  async (action, from, underway, goal) => {
    await start(from);
    rail.calls.holdAt('request');
    const replies = onBoth(action, 20);
    await until(() => rail.calls.held() === 1, 'the one call');
    // The other requests return while the call is in progress.
    const early = new Set<unknown>();
    for (const reply of replies)
      void reply.then(({ status, json }) => early.add(`${status} ${json.status} ${early.size}`));
    await until(() => early.size === 19, 'the others’ answers');
    expect([...early].every((text) => String(text).startsWith(`200 ${underway}`))).toBe(true);
    rail.calls.holdAt(null);
    rail.calls.release();
    const all = await Promise.all(replies);
    expect(all.map(({ status }) => status)).toEqual(all.map(() => 200));
    expect(all.filter(({ json }) => json.status === goal)).toHaveLength(1);
    expect(moves()).toEqual([action]);
    expect(await eventTypes()).toEqual([underway.toLowerCase(), goal.toLowerCase()]);
  },
);

test.each([
  ['open', 'close', 'CLOSED', 'Open'],
  ['close', 'open', 'OPEN', 'Closed'],
] as const)(
  '%s and %s at the same time: one changes the terminal, the other returns the current status or 409',
  async (acting, other, from, goal) => {
    for (let round = 0; round < 5; round++) {
      fixture = await openTerminalFixture(app);
      await start(from);
      rail.calls.holdAt('request');
      const [first, second] = [fixture.call(acting, { node: app }), fixture.call(other, { node: twin })];
      await until(() => rail.calls.held() === 1, 'the one call');
      // Until the first request has the lock, the second finds its requested status. Afterwards the terminal is busy.
      const { status, json } = await second;
      expect([200, 409]).toContain(status);
      expect(status === 200 ? json.status : json.code).toBe(
        status === 200 ? (from === 'OPEN' ? 'Open' : 'Closed') : 'terminal_busy',
      );
      rail.calls.holdAt(null);
      rail.calls.release();
      expect(await first).toMatchObject({ status: 200, json: { status: goal } });
      expect(moves()).toEqual([acting]);
    }
  },
);

test('concurrent first requests about a terminal create one row', async () => {
  const replies = await Promise.all(onBoth('', 10));
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
  expect(await app.sql('select from terminals where pos_id = $1', [fixture.posId])).toHaveLength(1);
  expect(await fixture.events()).toEqual([]);
});

test('a status query that returns the requested status ends the operation before its response', async () => {
  await start('CLOSED');
  rail.calls.holdAt('answer');
  const opening = fixture.call('open');
  await until(() => rail.calls.held() === 1, 'the rail having opened it');
  rail.calls.holdAt(null);
  expect((await fixture.call('', { node: twin })).json).toMatchObject({ status: 'Open', period: '2' });
  rail.calls.release();
  expect(await opening).toMatchObject({ status: 200, json: { status: 'Open', period: '2' } });
  expect(await eventTypes()).toEqual(['opening', 'open']);
});

test('a status query with the old status does not end an operation in progress', async () => {
  await start('CLOSED');
  rail.calls.holdAt('request');
  const opening = fixture.call('open');
  await until(() => rail.calls.held() === 1, 'the call');
  rail.calls.holdAt(null);
  expect((await fixture.call('', { node: twin })).json).toMatchObject({ status: 'Opening' });
  rail.calls.release();
  expect(await opening).toMatchObject({ json: { status: 'Open' } });
  expect(await eventTypes()).toEqual(['opening', 'open']);
});

test('a status that the rail returned before an operation is discarded', async () => {
  await start('OPEN');
  rail.calls.holdAt('answer');
  const late = fixture.call('', { node: twin });
  await until(() => rail.calls.held() === 1, 'the rail having said that it is open');
  rail.calls.holdAt(null);
  expect((await fixture.call('close')).json).toMatchObject({ status: 'Closed' });
  rail.calls.release();
  expect((await late).json).toMatchObject({ status: 'Closed' });
  expect(await eventTypes()).toEqual(['closing', 'closed']);
  // The discarded status causes another query of the rail.
  const asked = rail.callsTo(fixture.posId).length;
  await creepUntil(app, () => rail.callsTo(fixture.posId).length > asked, 'the question');
  await until(async () => (await fixture.row()).due_at === null, 'its answer being recorded');
  expect(await fixture.row()).toMatchObject({ status: 'Closed' });
  expect(await eventTypes()).toEqual(['closing', 'closed']);
});

test('an operation without an outcome is polled by one of two nodes', async () => {
  await start('CLOSED');
  rail.calls.holdAt('answer');
  const opening = fixture.call('open');
  await until(() => rail.calls.held() === 1, 'the rail having opened it');
  rail.calls.holdAt(null);
  rail.calls.cut();
  expect(await opening).toMatchObject({ status: 200, json: { status: 'Opening' } });
  await creepUntil(app, () => rail.callsTo(fixture.posId).length > 2, 'the poll');
  await until(async () => (await fixture.row()).status === 'Open', 'its answer being recorded');
  await app.clock.advance(20_000);
  expect(rail.callsTo(fixture.posId)).toEqual(['query', 'open', 'query']);
  expect(await eventTypes()).toEqual(['opening', 'open']);
});
