// The demo shop switches to a provider's fake and back to the simulator.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DEMO } from '../../../seed.ts';
import { FAKE_NAMES, FAKES } from '../../../rails/fakes.ts';
import { startTestApp, until, type TestApp } from '../../../../test/support/app.ts';

const ACCOUNTS = `/api/merchants/${DEMO.merchantId}/rail-accounts`;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(async () => {
  for (const { id } of await list()) await remove(id);
  expect((await list()).filter(({ status }) => status === 'active')).toEqual([]);
});

const list = async (): Promise<any[]> => (await app.call(ACCOUNTS)).json.data;
const press = (path: string, form: Record<string, string> = {}) =>
  app.call(`/sandbox/rails/${path}`, {
    method: 'POST',
    token: null,
    body: new URLSearchParams(form).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
const remove = (id: string) => press(`accounts/${id}/remove`);
const entry = async () => (await app.call('/sandbox', { token: null })).text;

/** Presses `Experimentar`, and returns the accounts that it creates. */
async function tryOut(name: string): Promise<any[]> {
  const { status, headers } = await press(name);
  expect([status, headers.get('location')]).toEqual([303, '/sandbox#rails']);
  return (await list()).filter(({ connector, status: state }) => connector === name && state === 'active');
}

let count = 0;
async function push(): Promise<string> {
  const body = {
    amount: 1500,
    currency: 'AOA',
    paymentType: 'GPO',
    reference: `TROCA-${++count}`,
    metadata: { paymentMethod: 'onetimepurchase', phoneNumber: '923456789' },
  };
  const made = await app.call('/api/payments', { body });
  expect(made.status, made.text).toBe(201);
  return made.json.internalId;
}

const railOf = async (paymentId: string) =>
  (await app.sql('select rail from attempts where payment_id = $1', [paymentId]))[0]?.rail;

/** The first row of a fake's page with this button. */
const findRow = (name: string, action: string) =>
  until(async () => {
    const { text } = await app.call(`/sandbox/rails/${name}/`, { token: null });
    const [row] = text.split('<li>').filter((item) => item.includes(`value="${action}"`));
    return row && /name="id" value="([^"]+)"/.exec(row)?.[1];
  }, `a row to ${action}`);

describe.each(FAKE_NAMES)('the fake provider %s', (name) => {
  test('is added as accounts of the shop, accepts their credentials, and is removed again', async () => {
    const accounts = await tryOut(name);
    expect(accounts.length).toBeGreaterThan(0);
    for (const { id } of accounts) {
      const tried = await app.call(`${ACCOUNTS}/${id}/test`, { method: 'POST' });
      expect(tried.json).toEqual({ result: 'ok', detail: null });
    }
    expect(await entry()).toContain(`href="/sandbox/rails/${name}/">Abrir ${FAKES[name].title}</a>`);
    for (const { id } of accounts) await remove(id);
    expect((await list()).filter(({ connector }) => connector === name)).toEqual([]);
    expect(await entry()).toContain(`Experimentar ${FAKES[name].title}</button>`);
    expect((await app.call(`/sandbox/rails/${name}/`, { token: null })).status).toBe(404);
  });
});

test('a payment uses the fake provider until its rail account is removed, then the simulator', async () => {
  const [account] = await tryOut('opg');
  const payment = await push();
  expect(await railOf(payment)).toBe(account.id);
  const id = await findRow('opg', 'Approve');
  const acted = await press('opg/_act', { id, action: 'Approve' });
  expect([acted.status, acted.headers.get('location')]).toEqual([303, '/sandbox/rails/opg/']);
  await until(async () => {
    await app.clock.advance(5_000);
    return (await app.call(`/api/payments/${payment}`)).json.status === 'Paid';
  }, 'Paid');
  await remove(account.id);
  expect(await railOf(await push())).toBe('gpo');
});

test('a notification of the fake provider reaches the gateway', async () => {
  await tryOut('appypay');
  const payment = await push();
  await press('appypay/_act', { id: await findRow('appypay', 'approve'), action: 'approve' });
  await until(
    async () => (await app.call(`/api/payments/${payment}`)).json.status === 'Paid',
    'Paid without time passing',
  );
});

test('the fake provider that was chosen last has priority over the other', async () => {
  await tryOut('appypay');
  const [account] = await tryOut('opg');
  expect(await railOf(await push())).toBe(account.id);
});

test('a rail account with open work is disabled on removal, and enabled when its fake is chosen again', async () => {
  const [account] = await tryOut('opg');
  const open = await push();
  await findRow('opg', 'Approve');
  await remove(account.id);
  expect(await list()).toMatchObject([{ id: account.id, status: 'disabled' }]);
  expect(await entry()).toContain('parada, só acaba o que começou');
  expect(await railOf(await push())).toBe('gpo');
  const [again] = await tryOut('opg');
  expect(again).toMatchObject({ id: account.id, settings: account.settings });
  await press('opg/_act', { id: await findRow('opg', 'Refuse'), action: 'Refuse' });
  await until(async () => {
    await app.clock.advance(5_000);
    return (await app.call(`/api/payments/${open}`)).json.status === 'Failed';
  }, 'Failed');
});

test('a rail account at a provider’s real sandbox stays unchanged', async () => {
  const settings = { sender: 'LOJAILHA' };
  const body = { kind: 'sms', connector: 'ombala', label: 'Ombala', environment: 'test', priority: 1 };
  const own = await app.call(ACCOUNTS, { body: { ...body, settings, secrets: { apiKey: 'key-of-a-contract' } } });
  expect(own.status, own.text).toBe(201);
  expect(await tryOut('ombala')).toHaveLength(2);
  expect(await list()).toContainEqual(own.json);
});

test('two concurrent presses of the button create one rail account', async () => {
  await Promise.all([press('ombala'), press('ombala')]);
  expect((await list()).filter(({ connector }) => connector === 'ombala')).toHaveLength(1);
});

test('a form that starts a fake provider returns 403 to another website, and 404 for an unknown fake', async () => {
  const before = await list();
  const foreign = { method: 'POST', token: null, headers: { 'sec-fetch-site': 'cross-site' } };
  for (const path of ['appypay', 'accounts/x/remove', 'appypay/_act'])
    expect((await app.call(`/sandbox/rails/${path}`, foreign)).status).toBe(403);
  expect((await press('nobody')).status).toBe(404);
  expect((await press('nobody/_act', { id: '1', action: 'x' })).status).toBe(404);
  expect(await list()).toEqual(before);
});
