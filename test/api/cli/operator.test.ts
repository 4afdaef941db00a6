import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { expectRefusal, NO_TERMINAL, operate, operateJson, readAudit, startHere, stopClis } from '../../support/cli.ts';
import { startMailServer } from '../../support/mail.ts';
import { jumpClock } from '../../support/jump-clock.ts';
import { addAccess } from '../../support/members.ts';
import { anyEmail, askToken, readMails, registerPerson } from '../../support/people.ts';

let app: TestApp;
let merchant: Awaited<ReturnType<TestApp['addMerchant']>>;
beforeAll(async () => {
  // A command runs on real time, and so must the gateway of this test.
  app = await startTestApp({ clock: jumpClock() });
});
beforeEach(async () => {
  merchant = await app.addMerchant({ name: 'Padaria Sol', gpoPosIds: [`pos-${randomUUID()}`] });
});
afterEach(stopClis);

const UNKNOWN = '0190a0b0-0000-7000-8000-000000000000';
const readMerchant = async (id: string) => (await app.sql('select * from merchants where id = $1', [id]))[0];
const listMembers = () =>
  app.sql('select role, user_id from memberships where merchant_id = $1', [merchant.merchantId]);
const countOf = async (table: string) => (await app.sql(`select from ${table}`)).length;

function issueToken(clientId: string, secret: string) {
  const body = { grant_type: 'client_credentials', client_id: clientId, client_secret: secret };
  return app.call('/oauth/token', { body, token: null });
}

describe('`merchant create`', () => {
  test('returns working credentials once and invites the owner by mail', async () => {
    const email = `dona-${randomUUID()}@exemplo.ao`;
    const made = await operateJson(
      app,
      'merchant',
      'create',
      '--name',
      'Mercado Novo',
      '--language',
      'en',
      '--owner-email',
      email.toUpperCase(),
    );
    expect(made).toEqual({
      merchantId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'Mercado Novo',
      clientId: expect.any(String),
      clientSecret: expect.any(String),
      owner: { userId: expect.any(String), email, status: 'Invited' },
    });
    expect((await issueToken(made.clientId, made.clientSecret)).status).toBe(200);
    expect(await readMerchant(made.merchantId)).toMatchObject({ name: 'Mercado Novo', default_language: 'en' });
    const [mail, ...others] = await readMails(app, email);
    expect(others).toEqual([]);
    expect(mail!.text).toContain(`${app.node.core.publicUrl}/account/invitation?token=`);
    expect(await readAudit(app, 'merchant.created', made.merchantId)).toHaveLength(1);
    expect(await readAudit(app, 'access.granted', made.merchantId)).toMatchObject([{ target: made.owner.userId }]);
    expect(await readAudit(app, 'client.created', made.merchantId)).toMatchObject([{ target: made.clientId }]);
    const entries = JSON.stringify(await app.sql('select * from audit_entries'));
    expect(entries).not.toContain(made.clientSecret);
  });

  test('prints one field a line without --json, and sends no mail without an owner', async () => {
    const mails = await countOf('mails');
    const { code, stdout } = await operate(app, ['merchant', 'create', '--name', 'Só Loja']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^merchantId +[0-9a-f-]{36}\nname +Só Loja\nclientId +\S+\nclientSecret +\S+\nowner +-\n$/);
    expect(await countOf('mails')).toBe(mails);
  });

  test('creates nothing if an argument is invalid', async () => {
    const before = await countOf('merchants');
    await expectRefusal(app, ['merchant', 'create', '--name', 'A', '--owner-email', 'ana'], 2, 'an e-mail address');
    expect(await countOf('merchants')).toBe(before);
  });
});

test('`merchant list` prints every merchant as a table or as JSON', async () => {
  const { stdout } = await operate(app, ['merchant', 'list']);
  expect(stdout).toMatch(/^ID +NAME +ENTITY +GPO POS IDS +CREATED AT\n/);
  expect(stdout).toContain(`${merchant.merchantId}  Padaria Sol`);
  const listed = await operateJson(app, 'merchant', 'list');
  const shown = listed.find(({ id }: any) => id === merchant.merchantId);
  expect(shown).toMatchObject({ name: 'Padaria Sol', entity: '00888', hasLogo: false });
  expect(shown).not.toHaveProperty('brandLogo');
});

describe('`merchant set`', () => {
  test('changes the PPR entity and the GPO ids, with the old values in the audit', async () => {
    const { merchantId } = await app.addMerchant({ entity: null, gpoMerchantIds: [], gpoPosIds: [] });
    const args = ['--entity', '00777', '--gpo-merchant-ids', 'm1, m2,', '--gpo-pos-ids', 'p1'];
    const shown = await operateJson(app, 'merchant', 'set', merchantId, ...args);
    expect(shown).toMatchObject({ id: merchantId, entity: '00777', gpoMerchantIds: ['m1', 'm2'], gpoPosIds: ['p1'] });
    expect(await readMerchant(merchantId)).toMatchObject({ entity: '00777', gpo_merchant_ids: ['m1', 'm2'] });
    const [entry] = await readAudit(app, 'merchant.changed', merchantId);
    expect(entry.changes).toEqual({
      entity: { before: null, after: '00777' },
      gpoMerchantIds: { before: [], after: ['m1', 'm2'] },
      gpoPosIds: { before: [], after: ['p1'] },
    });
    await operateJson(app, 'merchant', 'set', merchantId, ...args);
    expect(await readAudit(app, 'merchant.changed', merchantId)).toHaveLength(1);
  });

  test('assigns a point of sale of another merchant only with --shared', async () => {
    const args = ['merchant', 'set', merchant.merchantId, '--gpo-pos-ids', 'demo-pos', '--yes'];
    await expectRefusal(app, args, 1, 'demo-pos belongs to Loja da Ilha');
    expect((await operateJson(app, ...args, '--shared')).gpoPosIds).toEqual(['demo-pos']);
    // Repeating the assignment needs no --shared.
    await operateJson(app, ...args);
  });

  test('asks for a confirmation before it removes an id that the merchant uses', async () => {
    const { merchantId } = merchant;
    const before = await readMerchant(merchantId);
    for (const args of [
      ['--entity', 'none'],
      ['--gpo-merchant-ids', ''],
      ['--gpo-pos-ids', 'another'],
    ])
      await expectRefusal(app, ['merchant', 'set', merchantId, ...args], 2, NO_TERMINAL);
    expect(await readMerchant(merchantId)).toEqual(before);
    await operateJson(app, 'merchant', 'set', merchantId, '--entity', 'none', '--yes');
    expect(await readMerchant(merchantId)).toMatchObject({ entity: null });
  });

  test('is refused without a setting and for an unknown merchant', async () => {
    await expectRefusal(app, ['merchant', 'set', merchant.merchantId], 2, 'Name a setting');
    await expectRefusal(app, ['merchant', 'set', UNKNOWN, '--entity', 'none'], 1, `There is no merchant ${UNKNOWN}`);
  });
});

test('`client revoke` revokes a client, which gets no token afterwards', async () => {
  const { merchantId, clientId, secret } = merchant;
  await expectRefusal(app, ['client', 'revoke', clientId], 2, NO_TERMINAL);
  expect((await issueToken(clientId, secret)).status).toBe(200);
  await operateJson(app, 'client', 'revoke', clientId, '--yes');
  expect((await issueToken(clientId, secret)).status).toBe(401);
  expect(await readAudit(app, 'client.revoked', merchantId)).toHaveLength(1);
  await expectRefusal(app, ['client', 'revoke', clientId, '--yes'], 1, 'was revoked at');
  await expectRefusal(app, ['client', 'revoke', 'nobody', '--yes'], 1, 'There is no client nobody');
});

describe('a command in production', () => {
  const PRODUCTION = { BALCAO_ENV: 'production', PUBLIC_URL: 'https://pay.example' };

  test('runs without the settings that only a node needs', async () => {
    const env = {
      ...PRODUCTION,
      TRUSTED_PROXIES: 'nonsense',
      SMTP_URL: 'nonsense',
      RATE_LIMIT_READ: 'x',
      TRUSTED_PROXY: 'x',
    };
    for (const args of [['merchant', 'list'], ['rail', 'list'], ['stuck', 'list'], ['check']])
      expect(await operate(app, args, env)).toMatchObject({ code: 0, stderr: '' });
  });

  test('needs the settings of database, keys and public URL', async () => {
    for (const name of ['DATABASE_URL', 'SECRETS_KEYS', 'PUBLIC_URL'])
      expect(await operate(app, ['merchant', 'list'], { ...PRODUCTION, [name]: '' })).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`${name}: `),
      });
  });
});

describe('`mail test`', () => {
  const run = (args: string[], env: Record<string, string>) => startHere(['mail', ...args], { env }).ended;

  test('sends one mail without a database or a node', async () => {
    const server = await startMailServer();
    const env = {
      SMTP_URL: server.url,
      MAIL_FROM: 'Balcão <no-reply@pay.example>',
      PUBLIC_URL: 'https://pay.example',
      SANDBOX_PASSWORD: 'x',
    };
    const ended = await run(['test', 'ana@padaria.ao'], env).finally(() => server.close());
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toContain('accepted by the mail server');
    expect(server.delivered).toMatchObject([{ from: 'no-reply@pay.example', to: ['ana@padaria.ao'] }]);
  });

  test('refuses a mail server without TLS in production', async () => {
    const server = await startMailServer();
    const env = {
      BALCAO_ENV: 'production',
      SMTP_URL: server.url,
      MAIL_FROM: 'a@pay.example',
      PUBLIC_URL: 'https://pay.example',
    };
    const ended = await run(['test', 'ana@padaria.ao'], env).finally(() => server.close());
    expect(ended).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^SMTP_URL: the mail server refused the mail: ETLS/),
    });
    expect(server.delivered).toEqual([]);
  });

  test.each([
    [['test', 'ana@padaria.ao'], {}, 1, 'SMTP_URL: required'],
    [
      ['test', 'ana@padaria.ao'],
      { SMTP_URL: 'smtp://127.0.0.1:1' },
      1,
      'SMTP_URL: the mail server refused the mail: ECONNREFUSED',
    ],
    [['test', 'ana@padaria.ao'], { SMTP_URL: 'mail.example' }, 2, 'SMTP_URL: must be an address'],
  ])('is refused with the arguments %j and the settings %j', async (args, env, code, message) => {
    expect(await run(args, env as Record<string, string>)).toMatchObject({
      code,
      stderr: expect.stringContaining(message),
    });
  });
});

describe('`grant` and `revoke`', () => {
  test('invite an unknown person by mail, and withdraw the invitation', async () => {
    const { merchantId } = merchant;
    const email = anyEmail();
    const granted = await operateJson(app, 'user', 'grant', merchantId, email, 'cashier');
    expect(granted).toEqual({ merchantId, email, userId: expect.any(String), role: 'Cashier', status: 'Invited' });
    expect((await readMails(app, email))[0]!.text).toContain('/account/invitation?token=');
    const listed = await operateJson(app, 'user', 'list', merchantId);
    expect(listed).toMatchObject([
      { kind: 'person', id: granted.userId, name: email, may: 'Cashier', acceptedAt: null },
      { kind: 'client', revokedAt: null },
    ]);
    const { stdout } = await operate(app, ['user', 'list', merchantId]);
    expect(stdout).toMatch(/^KIND +ID +NAME +SINCE +ACCEPTED AT +REVOKED AT +MAY\nperson +/);

    await expectRefusal(app, ['user', 'revoke', merchantId, email], 2, NO_TERMINAL);
    await operateJson(app, 'user', 'revoke', merchantId, email, '--yes');
    expect(await listMembers()).toEqual([]);
    for (const action of ['access.granted', 'access.revoked'])
      expect(await readAudit(app, action, merchantId)).toMatchObject([{ target: granted.userId }]);
  });

  test('change the role of a member', async () => {
    const { merchantId } = merchant;
    const person = await registerPerson(app);
    await addAccess(app, { userId: person.userId, merchantId, role: 'Viewer' });
    const granted = await operateJson(app, 'user', 'grant', merchantId, person.email, 'Owner');
    expect(granted).toMatchObject({ role: 'Owner', status: 'Active' });
    const [entry] = await readAudit(app, 'access.changed', merchantId);
    expect(entry.changes).toMatchObject({ role: { before: 'Viewer', after: 'Owner' } });
  });

  test('refuse to remove the last Owner', async () => {
    const { merchantId } = merchant;
    const person = await registerPerson(app);
    await addAccess(app, { userId: person.userId, merchantId });
    await expectRefusal(app, ['user', 'revoke', merchantId, person.email, '--yes'], 1, 'Owner');
    expect(await listMembers()).toHaveLength(1);
  });

  test('refuse an unknown merchant or person', async () => {
    const { merchantId } = merchant;
    await expectRefusal(app, ['user', 'grant', randomUUID(), 'ana@exemplo.ao', 'Owner'], 1, 'There is no merchant');
    const revoke = ['user', 'revoke', merchantId, 'nobody@exemplo.ao', '--yes'];
    await expectRefusal(app, revoke, 1, 'No person has the address nobody@exemplo.ao');
  });

  test('refuse to revoke access that the person does not have', async () => {
    const { merchantId } = merchant;
    const { email } = await registerPerson(app);
    await expectRefusal(app, ['user', 'revoke', merchantId, email, '--yes'], 1, '');
  });
});

describe('`unlock`', () => {
  test('removes the lock after wrong passwords', async () => {
    const person = await registerPerson(app);
    const guess = () => askToken(app, { username: person.email, password: 'not the right one' });
    let reply = await guess();
    for (let nth = 0; nth < 10 && reply.status !== 429; nth++) reply = await guess();
    const signIn = () => askToken(app, { username: person.email, password: person.password });
    expect((await signIn()).status).toBe(429);
    await operateJson(app, 'user', 'unlock', person.email);
    expect((await signIn()).status).toBe(200);
    expect(await readAudit(app, 'user.unlocked', null)).toMatchObject([{ target: person.userId }]);
    await expectRefusal(app, ['user', 'unlock', anyEmail()], 1, 'No person has the address');
  });
});

describe('`reset-mfa`', () => {
  test('turns two-step sign-in off, ends the sessions and notifies the person', async () => {
    const person = await registerPerson(app);
    const { refreshToken } = await person.signIn();
    await app.sql(
      `update users set totp_secret = $2, totp_confirmed_at = $3, totp_step = 1, recovery_codes = '{a}' where id = $1`,
      [person.userId, app.node.core.keyring.seal('JBSWY3DPEHPK3PXP', 'totp secret'), app.clock.now()],
    );
    const signIn = () => askToken(app, { username: person.email, password: person.password });
    expect((await signIn()).json.error).toBe('mfa_required');
    await expectRefusal(app, ['user', 'reset-mfa', person.email], 2, NO_TERMINAL);
    expect((await signIn()).json.error).toBe('mfa_required');

    await operateJson(app, 'user', 'reset-mfa', person.email, '--yes');
    expect((await signIn()).status).toBe(200);
    const refresh = await askToken(app, { grant_type: 'refresh_token', refresh_token: refreshToken });
    expect([refresh.status, refresh.json.error]).toEqual([400, 'invalid_grant']);
    const [user] = await app.sql('select * from users where id = $1', [person.userId]);
    expect(user).toMatchObject({ totp_secret: null, totp_confirmed_at: null, totp_step: null, recovery_codes: [] });
    expect(await readAudit(app, 'mfa.disabled', null)).toMatchObject([{ target: person.userId }]);
    const mails = await readMails(app, person.email);
    expect(mails).toHaveLength(2);
    await expectRefusal(app, ['user', 'reset-mfa', person.email, '--yes'], 1, 'has no second factor');
  });
});
