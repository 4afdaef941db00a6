import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { testClock } from '../../support/clock.ts';
import { creepUntil } from '../../support/payments.ts';
import { openTerminalFixture, startSimulatedTerminals, type TerminalRail } from '../../support/terminals.ts';

let app: TestApp;
let rail: TerminalRail;
beforeAll(async () => {
  const clock = testClock();
  rail = await startSimulatedTerminals(() => app.url, clock);
  app = await startTestApp({ clock, env: rail.env });
});

test('a terminal is closed, opened with a new period, and closed again', async () => {
  const fixture = await openTerminalFixture(app);
  await rail.set(fixture.posId, { status: 'CLOSED' });
  const about = { posId: fixture.posId, supervisorRequired: false };
  const steps = [
    ['', { message: 'The terminal is closed.', status: 'Closed', period: '1' }],
    ['open', { message: 'The terminal is open.', status: 'Open', period: '2' }],
    ['', { message: 'The terminal is open.', status: 'Open', period: '2' }],
    ['close', { message: 'The terminal is closed.', status: 'Closed', period: '2' }],
    ['open', { message: 'The terminal is open.', status: 'Open', period: '3' }],
  ] as const;
  for (const [action, expected] of steps) {
    const { status, json } = await fixture.call(action);
    expect({ status, json }, action).toEqual({ status: 200, json: { ...about, ...expected } });
  }
  expect(rail.callsTo(fixture.posId)).toEqual(['query', 'open', 'query', 'close', 'open']);
  const types = (await fixture.events()).map(({ type }) => type);
  expect(types).toEqual(['opening', 'open', 'closing', 'closed', 'opening', 'open'].map((name) => `terminal.${name}`));
  expect(await fixture.row()).toMatchObject({ status: 'Open', operation_id: null, sent_at: null, due_at: null });
});

test('without a Prefer header, the response of a terminal operation has only a message', async () => {
  const fixture = await openTerminalFixture(app);
  for (const action of ['', 'close', 'open'])
    expect((await fixture.call(action, { headers: {} })).json).toEqual({
      message: expect.stringMatching(/^The terminal is/),
    });
});

test('the events of a terminal contain the terminal, the operation and the actor', async () => {
  const fixture = await openTerminalFixture(app);
  await fixture.call('close');
  const [closing, closed] = await fixture.events();
  const { posId } = fixture;
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

describe('a terminal operation that changes nothing', () => {
  test.each([
    ['open', 'OPEN'],
    ['close', 'CLOSED'],
  ])('returns 200, sends no order to the rail and writes no event: %s of %s', async (action, status) => {
    const fixture = await openTerminalFixture(app);
    await rail.set(fixture.posId, { status: status });
    for (let nth = 0; nth < 3; nth++) expect((await fixture.call(action)).status).toBe(200);
    // Only the first request queries the rail.
    expect(rail.callsTo(fixture.posId)).toEqual(['query']);
    expect(await fixture.events()).toEqual([]);
  });
});

describe('the supervisor of a terminal', () => {
  test('opens and closes the terminal if the request names the supervisorId', async () => {
    const fixture = await openTerminalFixture(app);
    await rail.set(fixture.posId, { supervisors: ['sup-1', 'a!~"#'] });
    expect(await fixture.call('')).toMatchObject({ json: { status: 'Open', supervisorRequired: true } });
    expect(await fixture.call('close?supervisorId=sup-1')).toMatchObject({ status: 200, json: { status: 'Closed' } });
    const strange = `open?supervisorId=${encodeURIComponent('a!~"#')}`;
    expect(await fixture.call(strange)).toMatchObject({ status: 200, json: { status: 'Open' } });
  });

  test('is ignored if the terminal does not require a supervisor', async () => {
    const fixture = await openTerminalFixture(app);
    expect(await fixture.call('close?supervisorId=anybody')).toMatchObject({ status: 200, json: { status: 'Closed' } });
  });
});

describe('a change of a terminal at the rail', () => {
  test.each([
    ['CLOSED', 'Closed', 'terminal.closed'],
    ['CLOSING', 'Closing', 'terminal.closing'],
    ['OPENING', 'Opening', 'terminal.opening'],
  ])('to %s is recorded by the status operation', async (word, status, type) => {
    const fixture = await openTerminalFixture(app);
    await fixture.call('');
    await rail.set(fixture.posId, { status: word });
    expect((await fixture.call('')).json).toMatchObject({ status });
    expect(await fixture.events()).toMatchObject([{ type, status, details: { by: 'rail', via: 'status' } }]);
    await fixture.call('');
    expect(await fixture.events()).toHaveLength(1);
    // The node polls a terminal that is opening or closing.
    expect((await fixture.row()).due_at === null).toBe(status === 'Closed');
  });

  test('of its period and supervisors is recorded by the status operation', async () => {
    const fixture = await openTerminalFixture(app);
    await fixture.call('');
    await rail.set(fixture.posId, { status: 'CLOSED' });
    await rail.set(fixture.posId, { status: 'OPEN', supervisors: ['sup-1'] });
    expect((await fixture.call('')).json).toMatchObject({ status: 'Open', period: '2', supervisorRequired: true });
    expect(await fixture.row()).toMatchObject({ status: 'Open', period: '2', supervisor_required: true });
    expect(await fixture.events()).toEqual([]);
  });

  test('with a rail notification is recorded without a query', async () => {
    const fixture = await openTerminalFixture(app);
    await fixture.call('');
    await rail.set(fixture.posId, { status: 'CLOSED', notify: true });
    await creepUntil(app, async () => (await fixture.row()).status === 'Closed', 'the notification');
    await rail.set(fixture.posId, { status: 'OPEN', notify: true });
    await creepUntil(app, async () => (await fixture.row()).status === 'Open', 'the next notification');
    expect(await fixture.row()).toMatchObject({ period: '2', due_at: null });
    expect(rail.callsTo(fixture.posId)).toEqual(['query']);
    const by = { by: 'rail', via: 'notification' };
    expect(await fixture.events()).toMatchObject([
      { type: 'terminal.closed', details: by },
      { type: 'terminal.open', details: by },
    ]);
  });
});

test('two merchants with equal terminal ids have separate rows', async () => {
  const [one, two] = [await openTerminalFixture(app, 'shared-pos'), await openTerminalFixture(app, 'shared-pos')];
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
