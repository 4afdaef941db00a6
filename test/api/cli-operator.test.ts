// The operator's commands on merchants, their terminals and API clients: done, refused, asked about, and in the audit.
import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SCOPES } from '../../shared/scopes.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { startHere, stopClis } from '../support/cli.ts';
import { startMailServer } from '../support/mail.ts';
import { jumpClock } from '../support/jump-clock.ts';
import { expectRefusal, NO_TERMINAL, operate, operateAlone, operateJson, readAudit } from '../support/operator.ts';
import { webframe } from '../support/payments.ts';
import { readMails } from '../support/people.ts';

let app: TestApp;
let merchant: Awaited<ReturnType<TestApp['addMerchant']>>;
beforeAll(async () => {
  // Commands go by real time, and so must their gateway.
  app = await startTestApp({ clock: jumpClock() });
});
beforeEach(async () => {
  merchant = await app.addMerchant({ name: 'Padaria Sol', gpoPosIds: [`pos-${randomUUID()}`] });
});
afterEach(stopClis);

const NOBODY = '0190a0b0-0000-7000-8000-000000000000';
const readMerchant = async (id: string) => (await app.sql('select * from merchants where id = $1', [id]))[0];
const countOf = async (table: string) => (await app.sql(`select from ${table}`)).length;

function askToken(clientId: string, secret: string) {
  const body = { grant_type: 'client_credentials', client_id: clientId, client_secret: secret };
  return app.call('/oauth/token', { body, token: null });
}

describe('merchant create', () => {
  test('answers credentials that work, once, and invites the owner by mail', async () => {
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
    expect((await askToken(made.clientId, made.clientSecret)).status).toBe(200);
    expect(await readMerchant(made.merchantId)).toMatchObject({ name: 'Mercado Novo', default_language: 'en' });
    const [mail, ...others] = await readMails(app, email);
    expect(others).toEqual([]);
    expect(mail!.text).toContain(`${app.node.core.publicUrl}/account/invitation?token=`);
    expect(await readAudit(app, 'merchant.created', made.merchantId)).toHaveLength(1);
    expect(await readAudit(app, 'access.granted', made.merchantId)).toMatchObject([{ target: made.owner.userId }]);
    expect(await readAudit(app, 'client.created', made.merchantId)).toMatchObject([{ target: made.clientId }]);
    const told = JSON.stringify(await app.sql('select * from audit_entries'));
    expect(told).not.toContain(made.clientSecret);
  });

  test('in words; without an owner nobody is written to', async () => {
    const mails = await countOf('mails');
    const { code, stdout } = await operateAlone(app, ['merchant', 'create', '--name', 'Só Loja']);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^merchantId +[0-9a-f-]{36}\nname +Só Loja\nclientId +\S+\nclientSecret +\S+\nowner +-\n\nThe secret is told this once\.\n$/,
    );
    expect(await countOf('mails')).toBe(mails);
  });

  test.each([
    [[], '--name is needed'],
    [['--name', ' '], '--name is needed'],
    [['--name', 'a'.repeat(101)], '--name must be 1 to 100 characters'],
    [['--name', 'a\nb'], '--name must be'],
    [['--name', 'A', '--language', 'de'], '--language must be one of pt, en, fr'],
    [['--name', 'A', '--owner-email', 'ana'], 'ana is no e-mail address'],
    [['extra', '--name', 'A'], 'takes no names'],
  ])('%j: exit code 2, and nothing is made', async (args, said) => {
    const before = await countOf('merchants');
    await expectRefusal(app, ['merchant', 'create', ...args], 2, said);
    expect(await countOf('merchants')).toBe(before);
  });
});

describe('merchant list and show', () => {
  test('for people and for programs', async () => {
    const { stdout } = await operate(app, ['merchant', 'list']);
    expect(stdout).toMatch(/^MERCHANTID +NAME +ENTITY +TERMINALS +CREATED\n/);
    expect(stdout).toContain(`${merchant.merchantId}  Padaria Sol`);
    const listed = await operateJson(app, 'merchant', 'list');
    const shown = await operateJson(app, 'merchant', 'show', merchant.merchantId.toUpperCase());
    expect(listed).toContainEqual(shown);
    expect(shown).toMatchObject({ id: merchant.merchantId, name: 'Padaria Sol', entity: '00888', hasLogo: false });
    expect(shown).not.toHaveProperty('brandLogo');
  });

  test.each([
    [['show', NOBODY], 1, `There is no merchant ${NOBODY}`],
    [['show', 'demo'], 2, 'merchantId must be an id such as'],
    [['show'], 2, 'takes merchantId'],
    [['show', NOBODY, 'more'], 2, 'takes merchantId'],
  ])('%j: exit code %i', async (args, code, said) => {
    await expectRefusal(app, ['merchant', ...args], code, said);
  });
});

describe('merchant set', () => {
  test('the entity and GPO ids, in the audit with what they were', async () => {
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

  test('a point of sale of another merchant only when said so', async () => {
    const args = ['merchant', 'set', merchant.merchantId, '--gpo-pos-ids', 'demo-pos', '--yes'];
    await expectRefusal(app, args, 1, 'demo-pos is Loja da Ilha’s');
    expect((await operateJson(app, ...args, '--shared')).gpoPosIds).toEqual(['demo-pos']);
    // What is had already is no news.
    await operateJson(app, ...args);
  });

  test('asks before something in use is taken away', async () => {
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

  test.each([
    [[], 'Name what to set'],
    [['--entity', '999'], '--entity must be 5 digits'],
    [['--gpo-pos-ids', 'a b'], '--gpo-pos-ids must be up to 64 letters'],
    [['--name', ''], '--name must be'],
  ])('%j: exit code 2', async (args, said) => {
    await expectRefusal(app, ['merchant', 'set', merchant.merchantId, ...args], 2, said);
  });
});

describe('terminal', () => {
  test('add, list, remove: payments through it are taken, and then not', async () => {
    const { merchantId, token } = merchant;
    const posId = `added-${randomUUID()}`;
    const pay = () => app.call('/api/payments', { token, body: webframe({ metadata: { gpo_pos_id: posId } }) });
    const { gpoPosIds } = await operateJson(app, 'terminal', 'add', merchantId, posId);
    expect(gpoPosIds.at(-1)).toBe(posId);
    const listed = await operateJson(app, 'terminal', 'list', merchantId);
    expect(listed.at(-1)).toEqual({ posId, status: null, period: null, changedAt: null });
    expect((await pay()).status).toBe(201);
    expect((await app.call(`/api/terminals/${posId}`, { token })).status).toBe(200);
    const { stdout } = await operate(app, ['terminal', 'list', merchantId]);
    expect(stdout).toMatch(new RegExp(`${posId} +(Open|Closed) `));

    await expectRefusal(app, ['terminal', 'remove', merchantId, posId], 2, NO_TERMINAL);
    const left = await operateJson(app, 'terminal', 'remove', merchantId, posId, '--yes');
    expect(left.gpoPosIds).not.toContain(posId);
    (app.clock as unknown as ReturnType<typeof jumpClock>).jump(6_000);
    expect((await pay()).json.errors[0].code).toBe('gpo_id_not_assigned');
    const entries = await readAudit(app, 'merchant.changed', merchantId);
    expect(entries.map(({ changes }) => Object.keys(changes))).toEqual([['gpoPosIds'], ['gpoPosIds']]);
  });

  test('twice, another’s, or one that is not there', async () => {
    const { merchantId } = merchant;
    const {
      gpo_pos_ids: [own],
    } = await readMerchant(merchantId);
    await expectRefusal(app, ['terminal', 'add', merchantId, own], 1, `has ${own} already`);
    await expectRefusal(app, ['terminal', 'add', merchantId, 'demo-pos'], 1, 'demo-pos is Loja da Ilha’s');
    await operateJson(app, 'terminal', 'add', merchantId, 'demo-pos', '--shared');
    await expectRefusal(app, ['terminal', 'remove', merchantId, 'nope', '--yes'], 1, 'has no terminal nope');
    await expectRefusal(app, ['terminal', 'add', merchantId, 'a,b'], 2, 'Name one posId');
  });
});

describe('client', () => {
  test('rotate: the new secret works, the old one while it may', async () => {
    const { merchantId, clientId, secret } = merchant;
    const told = await operateJson(app, 'client', 'rotate', clientId, '--yes');
    expect(told).toMatchObject({ merchantId, clientId, clientSecret: expect.any(String) });
    expect(Date.parse(told.overlapUntil) - app.clock.now().getTime()).toBeGreaterThan(23 * 3_600_000);
    expect((await askToken(clientId, told.clientSecret)).status).toBe(200);
    expect((await askToken(clientId, secret)).status).toBe(200);
    const again = await operateJson(app, 'client', 'rotate', clientId, '--overlap-hours', '0', '--yes');
    expect((await askToken(clientId, again.clientSecret)).status).toBe(200);
    expect((await askToken(clientId, told.clientSecret)).status).toBe(401);
    const entries = await readAudit(app, 'client.rotated', merchantId);
    expect(entries).toHaveLength(2);
    for (const value of [told.clientSecret, again.clientSecret]) expect(JSON.stringify(entries)).not.toContain(value);
  });

  test('revoke: no tokens any more; list shows when', async () => {
    const { merchantId, clientId, secret } = merchant;
    await expectRefusal(app, ['client', 'revoke', clientId], 2, NO_TERMINAL);
    expect((await askToken(clientId, secret)).status).toBe(200);
    await operateJson(app, 'client', 'revoke', clientId, '--yes');
    expect((await askToken(clientId, secret)).status).toBe(401);
    const [listed] = await operateJson(app, 'client', 'list', merchantId);
    expect(listed).toMatchObject({ clientId, revokedAt: expect.any(String) });
    expect(listed).not.toHaveProperty('secretHash');
    expect(await readAudit(app, 'client.revoked', merchantId)).toHaveLength(1);
    for (const action of ['rotate', 'revoke'])
      await expectRefusal(app, ['client', action, clientId, '--yes'], 1, 'was revoked at');
  });

  test.each([
    [['rotate', 'nobody', '--yes'], 1, 'There is no client nobody'],
    [['rotate', 'demo', '--overlap-hours', '169', '--yes'], 2, '--overlap-hours must be'],
    [['rotate'], 2, 'takes clientId'],
  ])('%j: exit code %i', async (args, code, said) => {
    await expectRefusal(app, ['client', ...args], code, said);
  });
});

describe('a client’s scopes', () => {
  const scopesOf = async (clientId: string, secret: string) => (await askToken(clientId, secret)).json.scope;

  test('are chosen when it is made', async () => {
    const { merchantId } = await app.addMerchant();
    const options = ['--name', 'ERP', '--scopes', 'payments:write, payments:read'];
    const made = await operateJson(app, 'client', 'create', merchantId, ...options);
    expect(made).toMatchObject({ merchantId, name: 'ERP', scopes: ['payments:read', 'payments:write'] });
    expect(await scopesOf(made.clientId, made.clientSecret)).toBe('payments:read payments:write');
    expect(await readAudit(app, 'client.created', merchantId)).toContainEqual(
      expect.objectContaining({ target: made.clientId }),
    );
  });

  test('can be extended to all current scopes', async () => {
    const { merchantId, clientId, secret } = await app.addMerchant();
    await app.sql(`update clients set scopes = '{payments:read}' where id = $1`, [clientId]);
    expect(await scopesOf(clientId, secret)).toBe('payments:read');
    const set = await operateJson(app, 'client', 'set', clientId, '--scopes', 'all');
    expect(set.scopes).toEqual(SCOPES);
    expect((await scopesOf(clientId, secret)).split(' ').sort()).toEqual([...SCOPES].sort());
    const [entry] = await readAudit(app, 'client.changed', merchantId);
    expect(entry).toMatchObject({ target: clientId, changes: { scopes: { before: ['payments:read'] } } });
  });

  test.each([
    [['set', 'bc_nobody', '--scopes', 'all'], 1, 'There is no client bc_nobody'],
    [['set', 'bc_nobody'], 2, '--scopes is needed'],
    [
      ['set', 'bc_nobody', '--scopes', 'payments:all'],
      2,
      '--scopes: there is no scope payments:all; there are payments:read,',
    ],
    [['set', 'bc_nobody', '--scopes', ','], 2, '--scopes: there is no scope'],
    [['create', 'nobody', '--name', 'x', '--scopes', 'all'], 2, 'merchantId must be an id'],
    [['create', 'nobody', '--scopes', 'all'], 2, '--name is needed'],
    [['create', 'nobody', '--name', 'x'.repeat(65), '--scopes', 'all'], 2, '--name must have at most 64'],
  ])('client %j is refused', async (args, code, said) => {
    await expectRefusal(app, ['client', ...args], code, said);
  });

  test('cannot be changed once the client is revoked', async () => {
    const { clientId } = await app.addMerchant();
    await operateJson(app, 'client', 'revoke', clientId, '--yes');
    await expectRefusal(app, ['client', 'set', clientId, '--scopes', 'all'], 1, 'was revoked');
  });
});

describe('in production a command', () => {
  const PRODUCTION = { BALCAO_ENV: 'production', PUBLIC_URL: '' };

  test('needs no setting of a node', async () => {
    const { merchantId } = await app.addMerchant();
    const env = {
      ...PRODUCTION,
      TRUSTED_PROXIES: 'nonsense',
      SMTP_URL: 'nonsense',
      RATE_LIMIT_READ: 'x',
      TRUSTED_PROXY: 'x',
    };
    for (const args of [['merchant', 'list'], ['client', 'list', merchantId], ['stuck', 'list'], ['check']])
      expect(await operate(app, args, env)).toMatchObject({ code: 0, stderr: '' });
  });

  test('needs PUBLIC_URL if it mails a link', async () => {
    const { merchantId } = await app.addMerchant();
    const ended = await operate(app, ['user', 'grant', merchantId, 'ana@padaria.ao', 'Viewer'], PRODUCTION);
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining('PUBLIC_URL: production needs') });
  });

  test('needs its database and its keys', async () => {
    for (const name of ['DATABASE_URL', 'SECRETS_KEYS'])
      expect(await operate(app, ['merchant', 'list'], { ...PRODUCTION, [name]: '' })).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`${name}: `),
      });
  });
});

describe('mail test', () => {
  const run = (args: string[], env: Record<string, string>) => startHere(['mail', ...args], { env }).ended;

  test('hands one mail in, without database and node', async () => {
    const server = await startMailServer();
    const env = {
      SMTP_URL: server.url,
      MAIL_FROM: 'Balcão <no-reply@pay.example>',
      PUBLIC_URL: 'https://pay.example',
      SANDBOX_PASSWORD: 'x',
    };
    const ended = await run(['test', 'ana@padaria.ao'], env).finally(() => server.close());
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toBe('The mail server took a mail to ana@padaria.ao, from Balcão <no-reply@pay.example>.\n');
    expect(server.delivered).toMatchObject([{ from: 'no-reply@pay.example', to: ['ana@padaria.ao'] }]);
  });

  test('says why a server without TLS is not used in production', async () => {
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
      stderr: expect.stringMatching(/^SMTP_URL: the mail server did not take it: ETLS/),
    });
    expect(server.delivered).toEqual([]);
  });

  test.each([
    [['test', 'ana@padaria.ao'], {}, 1, 'SMTP_URL: name a mail server'],
    [
      ['test', 'ana@padaria.ao'],
      { SMTP_URL: 'smtp://127.0.0.1:1' },
      1,
      'SMTP_URL: the mail server did not take it: ECONNREFUSED',
    ],
    [['test', 'ana@padaria.ao'], { SMTP_URL: 'mail.example' }, 2, 'SMTP_URL: must be an address'],
    [['test', 'ana'], { SMTP_URL: 'smtp://127.0.0.1:1' }, 2, 'ana is no e-mail address'],
    [['test'], { SMTP_URL: 'smtp://127.0.0.1:1' }, 2, 'no e-mail address'],
    [['send', 'ana@padaria.ao'], {}, 2, 'mail takes test and an address'],
  ])('%j with %j is refused', async (args, env, code, said) => {
    expect(await run(args, env as Record<string, string>)).toMatchObject({
      code,
      stderr: expect.stringContaining(said),
    });
  });
});
