import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { applyTerminalNotification } from '../../../server/terminals/apply-outcome.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { creepUntil } from '../../support/payments.ts';
import { leavesNothing } from '../../support/rows.ts';
import {
  openTerminalFixture,
  startScriptedTerminals,
  terminalOutcome,
  type TerminalRail,
  type TerminalFixture,
} from '../../support/terminals.ts';

let app: TestApp;
let rail: TerminalRail;
let fixture: TerminalFixture;
beforeAll(async () => {
  rail = await startScriptedTerminals();
  app = await startTestApp({ env: rail.env });
});
beforeEach(async () => {
  fixture = await openTerminalFixture(app);
});

const tell = (...news: Parameters<typeof terminalOutcome>) =>
  applyTerminalNotification(app.node.core, fixture.posId, terminalOutcome(...news));
const eventTypes = async () => (await fixture.events()).map(({ type }) => type);
async function untilDecided(): Promise<void> {
  const before = rail.callsTo(fixture.posId).length;
  await creepUntil(app, () => rail.callsTo(fixture.posId).length > before, 'the rail being asked');
  await until(async () => (await fixture.row()).due_at === null, 'its answer being recorded');
}

test('a terminal that the rail closes becomes Closed with one event for repeated notifications', async () => {
  await fixture.call('');
  for (let nth = 0; nth < 3; nth++) expect(await tell('Closed', '1')).toBe(true);
  expect(await fixture.row()).toMatchObject({ status: 'Closed', period: '1', due_at: null });
  expect(await fixture.events()).toMatchObject([
    { type: 'terminal.closed', details: { by: 'rail', via: 'notification', posId: fixture.posId } },
  ]);
});

test('a rail notification about an unknown terminal of a merchant creates the terminal with an event', async () => {
  expect(await tell('Closed', '4')).toBe(true);
  expect(await fixture.row()).toMatchObject({ status: 'Closed', period: '4', merchant_id: fixture.merchantId });
  expect(await fixture.events()).toMatchObject([{ type: 'terminal.closed', details: { by: 'rail' } }]);
  expect(rail.callsTo(fixture.posId)).toEqual([]);
});

test('a rail notification about a terminal of no merchant changes nothing', async () => {
  expect(await applyTerminalNotification(app.node.core, 'nobodys-pos', terminalOutcome('Closed', '1'))).toBe(false);
  expect(await app.sql(`select from terminals where pos_id = 'nobodys-pos'`)).toEqual([]);
});

test('a rail notification without a status changes nothing', async () => {
  await fixture.call('');
  const before = await fixture.row();
  const nothing = { ...terminalOutcome('Closed', '1'), result: 'unknown', status: null, period: null } as const;
  expect(await applyTerminalNotification(app.node.core, fixture.posId, nothing)).toBe(true);
  expect(await fixture.row()).toEqual(before);
});

describe('a rail notification about a terminal', () => {
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
  ] as const)('that is %s with the status %s of period %s sets the status %s', async (known, word, period, status) => {
    await rail.set(fixture.posId, { status: known.toUpperCase(), period: 5 });
    await fixture.call('');
    await tell(word, period);
    expect(await fixture.row()).toMatchObject({ status });
    expect(await fixture.events()).toHaveLength(status === known ? 0 : 1);
    // A status that is ignored causes a query of the rail, whose response is recorded.
    if (status !== known) return;
    await rail.set(fixture.posId, { status: word.toUpperCase(), period: 7 });
    await creepUntil(app, async () => (await fixture.row()).status === word, 'the rail’s own answer');
    expect((await fixture.row()).period).toBe('7');
  });

  test('with an old period causes a single query and no other change', async () => {
    await fixture.call('close');
    const asked = rail.callsTo(fixture.posId).length;
    await tell('Open', '1');
    await untilDecided();
    expect(rail.callsTo(fixture.posId).length).toBe(asked + 1);
    expect(await eventTypes()).toEqual(['terminal.closing', 'terminal.closed']);
  });
});

test('a terminal that is opening or closing at the rail is polled until the rail has finished', async () => {
  await fixture.call('');
  await tell('Closing', '1');
  expect(await fixture.row()).toMatchObject({ status: 'Closing', operation_id: null });
  expect(await fixture.call('open')).toMatchObject({ status: 409, json: { code: 'terminal_busy' } });
  await rail.set(fixture.posId, { status: 'CLOSED' });
  await untilDecided();
  expect(await fixture.row()).toMatchObject({ status: 'Closed' });
  expect(await eventTypes()).toEqual(['terminal.closing', 'terminal.closed']);
});

describe('a rail notification during a call to the rail', () => {
  /** Starts an opening that the rail has already done. The response is still held. */
  async function openWithoutAnswer() {
    await rail.set(fixture.posId, { status: 'CLOSED' });
    await fixture.call('');
    rail.calls.holdAt('answer');
    const opening = fixture.call('open');
    await until(() => rail.calls.held() === 1, 'the rail having opened it');
    rail.calls.holdAt(null);
    return { opening };
  }

  test('with the requested status ends the operation', async () => {
    const { opening } = await openWithoutAnswer();
    await tell('Open', '2');
    expect(await fixture.row()).toMatchObject({ status: 'Open', period: '2', operation_id: null, due_at: null });
    rail.calls.release();
    expect(await opening).toMatchObject({ status: 200, json: { status: 'Open', period: '2' } });
    expect(await eventTypes()).toEqual(['terminal.opening', 'terminal.open']);
    const [, open] = await fixture.events();
    expect(open!.details).toMatchObject({ by: 'merchant', via: 'notification' });
  });

  test.each([
    ['Closed', '1'],
    ['Open', '1'],
    ['Closed', '2'],
  ] as const)('with the status %s of period %s does not end the operation', async (status, period) => {
    const { opening } = await openWithoutAnswer();
    await tell(status, period);
    expect(await fixture.row()).toMatchObject({ status: 'Opening', operation_id: expect.any(String) });
    rail.calls.release();
    expect(await opening).toMatchObject({ status: 200, json: { status: 'Open', period: '2' } });
    expect(await eventTypes()).toEqual(['terminal.opening', 'terminal.open']);
  });
});

test.each(['', 'open', 'close'])(
  'GET /api/terminals/{posId}/%s returns 404 if the rail does not know it',
  async (action) => {
    const missing = await openTerminalFixture(app, `missing-${action}`);
    expect(await missing.call(action)).toMatchObject({ status: 404, json: { code: 'not_found' } });
    expect(await missing.row()).toBeUndefined();
  },
);

describe.each([
  ['open', 'CLOSED', 'Closed'],
  ['close', 'OPEN', 'Open'],
])('GET /api/terminals/{posId}/%s of a terminal with a supervisor', (action, word, status) => {
  let guarded: TerminalFixture;
  beforeAll(async () => {
    guarded = await openTerminalFixture(app);
    await rail.set(guarded.posId, { status: word });
    await guarded.call('');
    await rail.set(guarded.posId, { supervisors: ['sup-1'] });
  });

  test('returns 400 without a supervisorId, and from the second time without a call to the rail', async () => {
    const asked = () => rail.callsTo(guarded.posId).filter((name) => name === action).length;
    for (let nth = 0; nth < 2; nth++) {
      const reply = await guarded.call(action);
      expect(reply).toMatchObject({ status: 400, json: { code: 'supervisor_required' } });
      expect(asked()).toBe(1);
      expect(await guarded.row()).toMatchObject({
        status,
        supervisor_required: true,
        operation_id: null,
        due_at: null,
      });
    }
    const [, undone] = await guarded.events();
    expect(undone).toMatchObject({ status, details: { reason: 'supervisor_required', via: 'answer' } });
  });

  test('returns 403 for a wrong supervisorId and changes nothing', async () => {
    const reply = await guarded.call(`${action}?supervisorId=sup-2`);
    expect(reply).toMatchObject({ status: 403, json: { code: 'supervisor_refused' } });
    expect(await guarded.row()).toMatchObject({ status, operation_id: null, due_at: null });
    expect(await rail.read(guarded.posId)).toBe(`${word} 1`);
    expect((await guarded.call(`${action}?supervisorId=sup-1`)).status).toBe(200);
  });
});

describe('the query parameter supervisorId', () => {
  test.each([
    ['empty', ''],
    ['with a space', 'sup%201'],
    ['65 characters', 'x'.repeat(65)],
    ['not ASCII', 'caf%C3%A9'],
    ['with NUL', 'a%00b'],
    ['given twice', 'a&supervisorId=b'],
  ])('is refused if %s', async (_name, value) => {
    for (const action of ['open', 'close']) {
      const reply = await leavesNothing(app, () => fixture.call(`${action}?supervisorId=${value}`));
      expect(reply.status).toBe(400);
      expect(reply.json.errors[0].pointer).toBe('/query/supervisorId');
      expect(rail.callsTo(fixture.posId)).toEqual([]);
    }
  });

  test('may have up to 64 visible characters', async () => {
    const one = await openTerminalFixture(app);
    expect((await one.call(`close?supervisorId=${'x'.repeat(64)}`)).status).toBe(200);
  });
});
