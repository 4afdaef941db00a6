// Terminal calls that are refused: by whom, with which code, and that nothing happened because of them.
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Reply, type TestApp } from '../../support/app.ts';
import { leavesNothing } from '../../support/rows.ts';
import { openTill, startScriptedTerminals, type TerminalRail, type Till } from '../../support/terminals.ts';

let app: TestApp;
let rail: TerminalRail;
let till: Till;
beforeAll(async () => {
  rail = await startScriptedTerminals();
  app = await startTestApp({ env: rail.env });
  till = await openTill(app);
  await till.call('');
});

const ACTIONS = ['', 'open', 'close'];

/** Neither the rail nor the database knows of it. */
async function hasNoEffect(send: () => Promise<Reply>): Promise<Reply> {
  const before = rail.calls.seen.length;
  const row = await till.row();
  const reply = await leavesNothing(app, send);
  expect(rail.calls.seen.length).toBe(before);
  expect(await till.row()).toEqual(row);
  return reply;
}

describe.each(ACTIONS)('access to “%s”', (action) => {
  const path = () => `/api/terminals/${till.posId}${action && `/${action}`}`;

  test('needs a token', async () => {
    expect(await hasNoEffect(() => app.call(path(), { token: null }))).toMatchObject({ status: 401 });
    expect(await hasNoEffect(() => app.call(path(), { token: 'forged' }))).toMatchObject({ status: 401 });
  });

  test('needs the scope', async () => {
    const { clientId, secret } = await app.addMerchant({ gpoPosIds: ['scoped-pos'] });
    const call = async (scope: string) =>
      app.call(`/api/terminals/scoped-pos${action && `/${action}`}`, {
        token: await app.token(clientId, secret, scope),
      });
    const narrow = await hasNoEffect(() => call('payments:read payments:write merchant:write'));
    expect(narrow).toMatchObject({ status: 403, json: { code: 'insufficient_scope' } });
    expect(narrow.headers.get('www-authenticate')).toContain('scope="terminals"');
    expect((await call('terminals')).status).toBe(200);
  });

  test('another merchant’s, and one that nobody has, are 404 alike', async () => {
    const stranger = await openTill(app);
    const foreign = await hasNoEffect(() => app.call(path(), { token: stranger.token }));
    const unknown = await hasNoEffect(() => app.call(path().replace(till.posId, 'nobodys'), { token: stranger.token }));
    for (const { status, json } of [foreign, unknown])
      expect({ status, code: json.code }).toEqual({ status: 404, code: 'not_found' });
    expect(foreign.json.detail).toBe(unknown.json.detail);
  });

  test('assigned but unknown at the rail is 404, and no row stays', async () => {
    const missing = await openTill(app, `missing-${action}`);
    expect(await missing.call(action)).toMatchObject({ status: 404, json: { code: 'not_found' } });
    expect(await missing.row()).toBeUndefined();
  });
});

describe.each([
  ['open', 'CLOSED', 'Closed'],
  ['close', 'OPEN', 'Open'],
])('%s with approval', (action, word, status) => {
  let guarded: Till;
  beforeAll(async () => {
    guarded = await openTill(app);
    await rail.set(guarded.posId, { status: word });
    await guarded.call('');
    await rail.set(guarded.posId, { supervisors: ['sup-1'] });
  });

  test('the rail’s word is believed the first time, and remembered the second', async () => {
    const asked = () => rail.asked(guarded.posId).filter((name) => name === action).length;
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

  test('a wrong supervisor is 403, and the terminal stays as it was', async () => {
    const reply = await guarded.call(`${action}?supervisorId=sup-2`);
    expect(reply).toMatchObject({ status: 403, json: { code: 'supervisor_refused' } });
    expect(await guarded.row()).toMatchObject({ status, operation_id: null, due_at: null });
    expect(await rail.read(guarded.posId)).toBe(`${word} 1`);
    expect((await guarded.call(`${action}?supervisorId=sup-1`)).status).toBe(200);
  });
});

describe('a supervisorId that is none', () => {
  test.each([
    ['empty', ''],
    ['with a space', 'sup%201'],
    ['65 characters', 'x'.repeat(65)],
    ['not ASCII', 'caf%C3%A9'],
    ['a NUL', 'a%00b'],
    ['two of them', 'a&supervisorId=b'],
  ])('%s', async (_name, value) => {
    for (const action of ['open', 'close']) {
      const reply = await hasNoEffect(() => till.call(`${action}?supervisorId=${value}`));
      expect(reply.status).toBe(400);
      expect(reply.json.errors[0].pointer).toBe('/query/supervisorId');
    }
  });

  test('64 visible characters are one', async () => {
    const one = await openTill(app);
    expect((await one.call(`close?supervisorId=${'x'.repeat(64)}`)).status).toBe(200);
  });
});
