import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { testClock } from '../../support/clock.ts';
import { creepUntil } from '../../support/payments.ts';
import { openTill, startSimulatedTerminals, type TerminalRail } from '../../support/terminals.ts';

let app: TestApp;
let rail: TerminalRail;
beforeAll(async () => {
  const clock = testClock();
  rail = await startSimulatedTerminals(() => app.url, clock);
  app = await startTestApp({ clock, env: rail.env });
});

test('a terminal is closed, opened with a new period, and closed again', async () => {
  const till = await openTill(app);
  await rail.set(till.posId, { status: 'CLOSED' });
  const about = { posId: till.posId, supervisorRequired: false };
  const steps = [
    ['', { message: 'The terminal is closed.', status: 'Closed', period: '1' }],
    ['open', { message: 'The terminal is open.', status: 'Open', period: '2' }],
    ['', { message: 'The terminal is open.', status: 'Open', period: '2' }],
    ['close', { message: 'The terminal is closed.', status: 'Closed', period: '2' }],
    ['open', { message: 'The terminal is open.', status: 'Open', period: '3' }],
  ] as const;
  for (const [action, expected] of steps) {
    const { status, json } = await till.call(action);
    expect({ status, json }, action).toEqual({ status: 200, json: { ...about, ...expected } });
  }
  expect(rail.asked(till.posId)).toEqual(['query', 'open', 'query', 'close', 'open']);
  const types = (await till.events()).map(({ type }) => type);
  expect(types).toEqual(['opening', 'open', 'closing', 'closed', 'opening', 'open'].map((name) => `terminal.${name}`));
  expect(await till.row()).toMatchObject({ status: 'Open', operation_id: null, sent_at: null, due_at: null });
});

test('a terminal call returns only a message without Prefer', async () => {
  const till = await openTill(app);
  for (const action of ['', 'close', 'open'])
    expect((await till.call(action, { headers: {} })).json).toEqual({
      message: expect.stringMatching(/^The terminal is/),
    });
});

test('the events of a terminal name terminal, operation and actor', async () => {
  const till = await openTill(app);
  await till.call('close');
  const [closing, closed] = await till.events();
  const { posId } = till;
  const { operationId } = closing!.details;
  expect(operationId).toEqual(expect.any(String));
  expect(closing).toEqual({
    type: 'terminal.closing',
    status: 'Closing',
    details: { posId, by: 'merchant', operationId },
  });
  expect(closed).toEqual({
    type: 'terminal.closed',
    status: 'Closed',
    details: { posId, by: 'merchant', via: 'answer', period: '1', operationId },
  });
  expect(rail.calls.seen.findLast(({ path }) => path.endsWith(`${posId}/close`))?.body).toContain(String(operationId));
});

describe('a terminal call without effect', () => {
  test.each([
    ['open', 'OPEN'],
    ['close', 'CLOSED'],
  ])('returns 200 without call or event: %s of %s', async (action, status) => {
    const till = await openTill(app);
    await rail.set(till.posId, { status: status });
    for (let nth = 0; nth < 3; nth++) expect((await till.call(action)).status).toBe(200);
    // The first call queries the rail once.
    expect(rail.asked(till.posId)).toEqual(['query']);
    expect(await till.events()).toEqual([]);
  });
});

describe('the supervisor of a terminal', () => {
  test('opens and closes it', async () => {
    const till = await openTill(app);
    await rail.set(till.posId, { supervisors: ['sup-1', 'a!~"#'] });
    expect(await till.call('')).toMatchObject({ json: { status: 'Open', supervisorRequired: true } });
    expect(await till.call('close?supervisorId=sup-1')).toMatchObject({ status: 200, json: { status: 'Closed' } });
    const strange = `open?supervisorId=${encodeURIComponent('a!~"#')}`;
    expect(await till.call(strange)).toMatchObject({ status: 200, json: { status: 'Open' } });
  });

  test('is ignored if the terminal requires no supervisor', async () => {
    const till = await openTill(app);
    expect(await till.call('close?supervisorId=anybody')).toMatchObject({ status: 200, json: { status: 'Closed' } });
  });
});

describe('a change by the rail', () => {
  test.each([
    ['CLOSED', 'Closed', 'terminal.closed'],
    ['CLOSING', 'Closing', 'terminal.closing'],
    ['OPENING', 'Opening', 'terminal.opening'],
  ])('to %s is recorded by the status call', async (word, status, type) => {
    const till = await openTill(app);
    await till.call('');
    await rail.set(till.posId, { status: word });
    expect((await till.call('')).json).toMatchObject({ status });
    expect(await till.events()).toMatchObject([{ type, status, details: { by: 'rail', via: 'status' } }]);
    await till.call('');
    expect(await till.events()).toHaveLength(1);
    // A terminal in transition is polled.
    expect((await till.row()).due_at === null).toBe(status === 'Closed');
  });

  test('of period and supervisors is recorded by the status call', async () => {
    const till = await openTill(app);
    await till.call('');
    await rail.set(till.posId, { status: 'CLOSED' });
    await rail.set(till.posId, { status: 'OPEN', supervisors: ['sup-1'] });
    expect((await till.call('')).json).toMatchObject({ status: 'Open', period: '2', supervisorRequired: true });
    expect(await till.row()).toMatchObject({ status: 'Open', period: '2', supervisor_required: true });
    expect(await till.events()).toEqual([]);
  });

  test('is recorded from a notification without a query', async () => {
    const till = await openTill(app);
    await till.call('');
    await rail.set(till.posId, { status: 'CLOSED', notify: true });
    await creepUntil(app, async () => (await till.row()).status === 'Closed', 'the notification');
    await rail.set(till.posId, { status: 'OPEN', notify: true });
    await creepUntil(app, async () => (await till.row()).status === 'Open', 'the next notification');
    expect(await till.row()).toMatchObject({ period: '2', due_at: null });
    expect(rail.asked(till.posId)).toEqual(['query']);
    const by = { by: 'rail', via: 'notification' };
    expect(await till.events()).toMatchObject([
      { type: 'terminal.closed', details: by },
      { type: 'terminal.open', details: by },
    ]);
  });
});

test('two merchants have separate rows for one terminal id', async () => {
  const [one, two] = [await openTill(app, 'shared-pos'), await openTill(app, 'shared-pos')];
  await one.call('');
  await two.call('close');
  const rows = await app.sql('select merchant_id, status from terminals where pos_id = $1 order by status', [
    'shared-pos',
  ]);
  expect(rows).toEqual([
    { merchant_id: two.merchantId, status: 'Closed' },
    { merchant_id: one.merchantId, status: 'Open' },
  ]);
});
