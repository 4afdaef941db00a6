// What a rail tells of a terminal of its own accord: late, twice, in any order; and the door it comes through.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { applyTerminalNews } from '../../../server/terminals/apply-outcome.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { creepUntil } from '../../support/payments.ts';
import { openTill, startScriptedTerminals, told, type TerminalRail, type Till } from '../../support/terminals.ts';

let app: TestApp;
let rail: TerminalRail;
let till: Till;
beforeAll(async () => {
  rail = await startScriptedTerminals();
  app = await startTestApp({ env: rail.env });
});
beforeEach(async () => {
  till = await openTill(app);
});

const tell = (...news: Parameters<typeof told>) => applyTerminalNews(app.node.core, till.posId, told(...news));
const eventTypes = async () => (await till.events()).map(({ type }) => type);
/** The rail was asked, and its answer recorded. */
async function untilAsked(): Promise<void> {
  const before = rail.asked(till.posId).length;
  await creepUntil(app, () => rail.asked(till.posId).length > before, 'the rail being asked');
  await until(async () => (await till.row()).due_at === null, 'its answer being recorded');
}

test('a terminal that the rail closed is closed here, with one event, however often it is told', async () => {
  await till.call('');
  for (let nth = 0; nth < 3; nth++) expect(await tell('Closed', '1')).toBe(true);
  expect(await till.row()).toMatchObject({ status: 'Closed', period: '1', due_at: null });
  expect(await till.events()).toMatchObject([
    { type: 'terminal.closed', details: { by: 'rail', via: 'notification', posId: till.posId } },
  ]);
});

test('one that was never asked about is written, and is news', async () => {
  expect(await tell('Closed', '4')).toBe(true);
  expect(await till.row()).toMatchObject({ status: 'Closed', period: '4', merchant_id: till.merchantId });
  expect(await till.events()).toMatchObject([{ type: 'terminal.closed', details: { by: 'rail' } }]);
  expect(rail.asked(till.posId)).toEqual([]);
});

test('nobody’s terminal is nobody’s news', async () => {
  expect(await applyTerminalNews(app.node.core, 'nobodys-pos', told('Closed', '1'))).toBe(false);
  expect(await app.sql(`select from terminals where pos_id = 'nobodys-pos'`)).toEqual([]);
});

test('news without a state changes nothing', async () => {
  await till.call('');
  const before = await till.row();
  const nothing = { ...told('Closed', '1'), result: 'unknown', status: null, period: null } as const;
  expect(await applyTerminalNews(app.node.core, till.posId, nothing)).toBe(true);
  expect(await till.row()).toEqual(before);
});

describe('the order of news is told by the period', () => {
  /** From period 5: what is known, what is told, and what is known then. */
  test.each([
    ['Open', 'Closed', '5', 'Closed'],
    ['Open', 'Closing', '5', 'Closing'],
    ['Open', 'Closed', '6', 'Closed'],
    ['Open', 'Closed', '4', 'Open'],
    ['Open', 'Opening', '5', 'Open'],
    ['Closed', 'Open', '6', 'Open'],
    ['Closed', 'Opening', '6', 'Opening'],
    ['Closed', 'Open', '5', 'Closed'],
    ['Closed', 'Closing', '5', 'Closed'],
    ['Closed', 'Open', '10', 'Open'],
    ['Closed', 'Open', 'B-6', 'Closed'],
  ] as const)('%s, told %s of period %s: %s', async (known, word, period, status) => {
    await rail.set(till.posId, { status: known.toUpperCase(), period: 5 });
    await till.call('');
    await tell(word, period);
    expect(await till.row()).toMatchObject({ status });
    expect(await till.events()).toHaveLength(status === known ? 0 : 1);
    // What moved nothing made the rail be asked; its own answer is taken as it is.
    if (status !== known) return;
    await rail.set(till.posId, { status: word.toUpperCase(), period: 7 });
    await creepUntil(app, async () => (await till.row()).status === word, 'the rail’s own answer');
    expect((await till.row()).period).toBe('7');
  });

  test('a stale one about a terminal that is as it was only costs a question', async () => {
    await till.call('close');
    const asked = rail.asked(till.posId).length;
    await tell('Open', '1');
    await untilAsked();
    expect(rail.asked(till.posId).length).toBe(asked + 1);
    expect(await eventTypes()).toEqual(['terminal.closing', 'terminal.closed']);
  });
});

test('a terminal on its way at the rail is followed until it is there', async () => {
  await till.call('');
  await tell('Closing', '1');
  expect(await till.row()).toMatchObject({ status: 'Closing', operation_id: null });
  expect(await till.call('open')).toMatchObject({ status: 409, json: { code: 'terminal_busy' } });
  await rail.set(till.posId, { status: 'CLOSED' });
  await untilAsked();
  expect(await till.row()).toMatchObject({ status: 'Closed' });
  expect(await eventTypes()).toEqual(['terminal.closing', 'terminal.closed']);
});

describe('news while a call is under way', () => {
  /** An opening whose answer nobody has yet; the rail has done its part. */
  async function openWithoutAnswer() {
    await rail.set(till.posId, { status: 'CLOSED' });
    await till.call('');
    rail.calls.holdAt('answer');
    const opening = till.call('open');
    await until(() => rail.calls.held() === 1, 'the rail having opened it');
    rail.calls.holdAt(null);
    return { opening };
  }

  test('of its goal ends it, and the answer that follows changes nothing', async () => {
    const { opening } = await openWithoutAnswer();
    await tell('Open', '2');
    expect(await till.row()).toMatchObject({ status: 'Open', period: '2', operation_id: null, due_at: null });
    rail.calls.release();
    expect(await opening).toMatchObject({ status: 200, json: { status: 'Open', period: '2' } });
    expect(await eventTypes()).toEqual(['terminal.opening', 'terminal.open']);
    const [, open] = await till.events();
    expect(open!.details).toMatchObject({ by: 'merchant', via: 'notification' });
  });

  test.each([
    ['Closed', '1'],
    ['Open', '1'],
    ['Closed', '2'],
  ] as const)('of anything else does not (%s of period %s)', async (status, period) => {
    const { opening } = await openWithoutAnswer();
    await tell(status, period);
    expect(await till.row()).toMatchObject({ status: 'Opening', operation_id: expect.any(String) });
    rail.calls.release();
    expect(await opening).toMatchObject({ status: 200, json: { status: 'Open', period: '2' } });
    expect(await eventTypes()).toEqual(['terminal.opening', 'terminal.open']);
  });
});
