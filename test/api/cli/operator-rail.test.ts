import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { jumpClock, type JumpClock } from '../../support/jump-clock.ts';
import {
  expectEnd,
  expectRefusal,
  NO_TERMINAL,
  operate,
  operateAlone,
  operateJson,
  readAudit,
} from '../../support/cli.ts';
import { purchase } from '../../support/payments.ts';
import { callRails, idleBody, UNREACHABLE_URL, openAppyPay, SECRET } from '../../support/rail-accounts.ts';

let app: TestApp;
let merchant: Awaited<ReturnType<TestApp['addMerchant']>>;
let appypay: Awaited<ReturnType<typeof openAppyPay>>;
const files: string[] = [];
const clock: JumpClock = jumpClock();
beforeAll(async () => {
  // A command runs on real time, and so must the gateway of this test.
  app = await startTestApp({ clock });
  appypay = await openAppyPay(clock);
});
beforeEach(async () => {
  merchant = await app.addMerchant({ name: 'Padaria Sol' });
});
afterAll(() => files.forEach((file) => rmSync(file)));

const NOBODYS = '0190a0b0-0000-7000-8000-000000000000';

function keep(contents: unknown): string {
  const path = join(tmpdir(), `rail-${randomUUID()}.json`);
  writeFileSync(path, typeof contents === 'string' ? contents : JSON.stringify(contents));
  files.push(path);
  return path;
}

const addArgs = (owner: string[], ...more: string[]) => {
  const settings = JSON.stringify(appypay.body.settings);
  const contract = ['--settings', settings, '--secrets-file', keep(appypay.body.secrets)];
  return ['rail', 'add', 'appypay', 'gpo', '--label', 'AppyPay', ...contract, ...owner, ...more];
};
const theirs = () => ['--merchant', merchant.merchantId];
const add = (...more: string[]) => operateJson(app, ...addArgs(theirs(), ...more));

const read = async (id: string) => (await callRails(app, merchant, { id })).json;
const countAccounts = async () => (await app.sql('select from rail_accounts')).length;

describe('`rail add`', () => {
  test('adds a rail account of a merchant, with the operator as the author in the audit', async () => {
    const made = await add('--priority', '3');
    expect(await read(made.id)).toEqual({ ...made, merchantId: undefined });
    expect(made).toMatchObject({
      merchantId: merchant.merchantId,
      connector: 'appypay',
      kind: 'gpo',
      label: 'AppyPay',
      environment: 'test',
      priority: 3,
      status: 'active',
      hasSecrets: true,
      notificationUrl: expect.stringContaining(`${app.node.core.publicUrl}/rails/appypay/`),
    });
    expect(await readAudit(app, 'rail_account.created', merchant.merchantId)).toMatchObject([{ target: made.id }]);
    clock.jump(2_500);
    const isUsed = () => app.node.core.rails.list(merchant.merchantId, 'gpo')[0]?.id === made.id;
    await until(isUsed, 'a running node charging by it');
  });

  test('adds an account of the operator for merchants without their own', async () => {
    const made = await operateJson(app, ...addArgs([]));
    expect(made.merchantId).toBe(null);
    expect(await readAudit(app, 'rail_account.created', null)).toMatchObject([{ target: made.id }]);
    expect(await operateJson(app, 'rail', 'list')).toContainEqual(made);
    await app.node.core.rails.refresh();
    expect(app.node.core.rails.list(merchant.merchantId, 'gpo').map(({ id }) => id)).toEqual([made.id, 'gpo']);
    await operateJson(app, 'rail', 'remove', made.id, '--yes');
  });

  test('prints one field a line, and reads secrets from standard input', async () => {
    const { settings, secrets } = idleBody();
    const args = ['rail', 'add', 'kambasms', 'sms', '--label', 'Avisos', '--settings', JSON.stringify(settings)];
    const { code, stdout, stderr } = await operate(
      app,
      [...args, '--secrets-file', '-', ...theirs()],
      {},
      JSON.stringify(secrets),
    );
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      /^merchantId +[0-9a-f-]{36}\nid +[0-9a-f-]{36}\nkind +sms\nconnector +kambasms\nlabel +Avisos\n/,
    );
    expect(stdout).toMatch(/\npriority +10\nstatus +active\nsettings +\{"sender":"LOJA","baseUrl":"http/);
    expect(stdout).not.toContain(SECRET);
  });

  const settings = JSON.stringify(idleBody().settings);
  const label = ['--label', 'Avisos'];
  test.each<[string, string[], string | null, string[]]>([
    ['an unknown merchant id', ['kambasms', 'sms', '--merchant', NOBODYS], null, [`There is no merchant ${NOBODYS}`]],
    ['an unknown connector name', ['stripe', 'gpo'], null, ['connector must be one of: appypay, proxypay, opg']],
    ['a kind that the connector does not have', ['kambasms', 'gpo'], null, ['kind must be one of: sms']],
    [
      'missing options',
      ['kambasms', 'sms'],
      null,
      ['label is required', 'settings is required', 'secrets is required'],
    ],
    [
      'several faults, each with its sentence',
      [
        'kambasms',
        'sms',
        '--label',
        ' ',
        '--environment',
        'live',
        '--priority',
        'high',
        '--settings',
        '{"x":1,"baseUrl":"https://10.0.0.1"}',
      ],
      '{"apiKey":"short"}',
      [
        'label must have at least 1 characters',
        'environment must not be live: this gateway accepts test accounts only',
        'priority must be of type number',
        'settings/sender is required',
        'settings/x unknown field',
        'settings/baseUrl must be an https:// address of the public internet',
        'secrets/apiKey must be 8 to 256 printable characters',
      ],
    ],
    ['settings that are not JSON', ['kambasms', 'sms', '--settings', '{sender'], null, ['--settings is not JSON.']],
    [
      'secrets that are not JSON',
      ['kambasms', 'sms', ...label, '--settings', settings],
      SECRET,
      ['--secrets-file is not JSON.'],
    ],
    [
      'secrets that are not an object',
      ['kambasms', 'sms', ...label, '--settings', settings],
      `"${SECRET}"`,
      ['secrets must be of type object'],
    ],
    [
      'a secrets file that does not exist',
      ['kambasms', 'sms', '--secrets-file', '/nowhere/at/all'],
      null,
      ['/nowhere/at/all cannot be read (ENOENT)'],
    ],
    [
      'a missing setting that the kind needs',
      [
        'appypay',
        'ppr',
        ...label,
        '--settings',
        JSON.stringify({ resource: randomUUID(), methods: { gpo: `GPO_${NOBODYS}` } }),
      ],
      '{"clientId":"a","clientSecret":"b"}',
      ['settings/methods/ref is required for an account of this kind'],
    ],
    ['a secret on the command line', ['kambasms', 'sms', '--secrets', '{}'], null, ["Unknown option '--secrets'"]],
  ])('is refused for %s', async (_what, args, secrets, messages) => {
    const before = await countAccounts();
    const given = ['rail', 'add', ...args, ...(secrets === null ? [] : ['--secrets-file', keep(secrets)])];
    const ended = await operate(app, given);
    for (const words of messages) expectEnd(ended, messages[0]?.startsWith('There is no merchant') ? 1 : 2, words);
    expect(ended.stderr).not.toContain(SECRET);
    expect(await countAccounts()).toBe(before);
  });
});

test('`rail list` prints the accounts of merchants and the operator’s own accounts', async () => {
  const one = await add('--priority', '20');
  const two = await add('--priority', '5');
  const own = await operateJson(app, ...addArgs([]));
  const all = await operateJson(app, 'rail', 'list');
  expect(all.filter(({ merchantId }: any) => merchantId === merchant.merchantId)).toEqual([two, one]);
  expect(all).toContainEqual(own);
  const { stdout } = await operate(app, ['rail', 'list']);
  expect(stdout).toMatch(/^ID +MERCHANT ID +KIND +CONNECTOR +LABEL +ENVIRONMENT +PRIORITY +STATUS +VERIFIED AT\n/);
  expect(stdout).toMatch(new RegExp(`${own.id} +- +gpo`));
  await operateJson(app, 'rail', 'remove', own.id, '--yes');
  await expectRefusal(app, ['rail', 'test', own.id], 1, `There is no rail account ${own.id}`);
});

describe('`rail set`', () => {
  test('changes only the given fields', async () => {
    const made = await add();
    const set = (...args: string[]) => operateJson(app, 'rail', 'set', made.id, ...args);
    expect(await set('--label', 'Nova', '--priority', '1')).toEqual({ ...made, label: 'Nova', priority: 1 });
    expect(await set('--status', 'disabled')).toMatchObject({ label: 'Nova', status: 'disabled' });
    const settings = { ...made.settings, baseUrl: UNREACHABLE_URL };
    expect(await set('--settings', JSON.stringify(settings))).toMatchObject({ settings, priority: 1 });
    const renewed = await set('--secrets-file', keep(appypay.body.secrets));
    expect(renewed.secretsSetAt > made.secretsSetAt).toBe(true);
    const entries = await readAudit(app, 'rail_account.changed', merchant.merchantId);
    expect(entries.map(({ changes }) => Object.keys(changes))).toEqual([
      ['label', 'priority'],
      ['status'],
      ['settings'],
      ['secrets'],
    ]);
    expect(await read(made.id)).toEqual({ ...renewed, merchantId: undefined });
  });

  test('ends with exit code 2 for a wrong or missing setting, and changes nothing', async () => {
    const made = await add();
    for (const [args, message] of [
      [[], 'Name a setting'],
      [['--priority', '1001'], 'priority must be at most 1000'],
      [['--status', 'off'], 'status must be one of: active, draining, disabled'],
      [['--settings', '{}'], 'settings/resource is required'],
    ] as [string[], string][])
      await expectRefusal(app, ['rail', 'set', made.id, ...args], 2, message);
    expect(await operateJson(app, 'rail', 'list')).toContainEqual(made);
  });
});

test('`rail test` reports wrong credentials in one sentence with exit code 1', async () => {
  const { id } = await add();
  // The command must end although its HTTP connections are still open.
  const { code, stdout } = await operateAlone(app, ['rail', 'test', id]);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/\nlabel +AppyPay\nresult +ok\n$/)]);
  const { verifiedAt } = await read(id);
  expect(Date.parse(verifiedAt)).toBeGreaterThan(0);
  appypay.fake.fault(403);
  const ended = await operate(app, ['rail', 'test', id]);
  expectEnd(ended, 1, 'AppyPay knows these credentials but refuses them access.');
  expect(ended.stderr.trimEnd().split('\n')).toHaveLength(1);
  expect((await read(id)).verifiedAt).toBe(verifiedAt);
});

test('`rail drain` and `rail remove` wait for the open orders of an account', async () => {
  const { id } = await add();
  await app.node.core.rails.refresh();
  const body = purchase('923456789');
  const { json } = await app.call('/api/payments', { token: merchant.token, body });
  const charge = await until(() => appypay.fake.book.charges.at(-1), 'the rail having the push');
  const drain = ['rail', 'set', id, '--status', 'draining'];
  expect((await operateJson(app, ...drain)).status).toBe('draining');
  await operateJson(app, ...drain);
  expect(await readAudit(app, 'rail_account.changed', merchant.merchantId)).toHaveLength(1);
  const remove = ['rail', 'remove', id];
  await expectRefusal(app, remove, 2, NO_TERMINAL);
  await expectRefusal(app, [...remove, '--yes'], 1, '1 payments of AppyPay are still open');
  await app.node.core.rails.refresh();
  const refused = await app.call('/api/payments', { token: merchant.token, body });
  expect([refused.status, refused.json.code]).toEqual([400, 'payment_method_unavailable']);
  const act = new URLSearchParams({ id: charge.id, action: 'approve' });
  await fetch(`${appypay.fake.url}/_act`, { method: 'POST', body: act });
  await app.call(`/api/payments/${json.internalId}/sync`, { method: 'POST', token: merchant.token });
  expect(await operateJson(app, ...remove, '--yes')).toEqual({ id, label: 'AppyPay', removed: true });
  expect((await callRails(app, merchant, { id })).status).toBe(404);
  expect(await readAudit(app, 'rail_account.removed', merchant.merchantId)).toHaveLength(1);
  const rows = JSON.stringify(await app.sql('select * from audit_entries'));
  expect(rows).not.toContain(SECRET);
});
