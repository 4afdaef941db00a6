import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { resealAll } from '../../../server/cli/keys.ts';
import { createKeyring } from '../../../server/secrets.ts';
import { startTestApp, TEST_ENV, until, type TestApp } from '../../support/app.ts';
import { freshDatabase, type FreshDatabase } from '../../support/database.ts';
import { untilNoStatementRuns } from '../../support/idle.ts';
import { jumpClock, type JumpClock } from '../../support/jump-clock.ts';
import { listInbox, postMail } from '../../support/mail.ts';
import { expectEnd, operate, readAudit } from '../../support/cli.ts';
import { registerPerson } from '../../support/people.ts';
import { addRail, callRails, idleBody } from '../../support/rail-accounts.ts';
import { ACCESS_KEY, RECEIVER_ENV, startReceiver, type Receiver } from '../../support/receiver.ts';
import { listFiles, readText } from '../../support/source.ts';
import { DEMO } from '../../../sandbox/seed.ts';

const OLD = TEST_ENV.SECRETS_KEYS;
const NEW = `new_key:${randomBytes(32).toString('base64')}`;

let database: FreshDatabase;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});

const start = (keys: string, clock?: JumpClock) =>
  startTestApp({
    databaseUrl: database.url,
    env: { ...RECEIVER_ENV, PUBLIC_URL: 'http://localhost:1', SECRETS_KEYS: keys },
    ...(clock && { clock }),
  });

async function useGateway(keys: string, work: (app: TestApp) => Promise<unknown>): Promise<void> {
  const app = await start(keys);
  await work(app).finally(() => app.stop());
}

async function useDatabase(work: () => Promise<unknown>): Promise<void> {
  database = await freshDatabase();
  await work().finally(() => database.drop());
}

/** Returns every encrypted value of the database as `table.column keyId`. */
async function findSealed(app: TestApp): Promise<string[]> {
  const columns = await app.sql<{ table_name: string; column_name: string }>(
    `select table_name, column_name
     from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
     where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and data_type in ('text', 'ARRAY', 'jsonb', 'json')
     order by 1, 2`,
  );
  const found: string[] = [];
  for (const { table_name: table, column_name: column } of columns) {
    const rows = await app.sql(`select substring("${column}"::text from 'v1[.]([a-z_]+)[.]') as key from "${table}"`);
    found.push(...rows.filter(({ key }) => key !== null).map(({ key }) => `${table}.${column} ${key}`));
  }
  return found;
}

async function keepSecrets(app: TestApp): Promise<{ webhookId: string; userId: string; railId: string }> {
  const url = `${receiver.url}/hook`;
  const callback = { url, accessKey: ACCESS_KEY };
  await app.call(`/api/merchants/${DEMO.merchantId}/callback`, { method: 'PUT', body: callback });
  const { json: webhook } = await app.call('/api/webhooks', { body: { url } });
  const person = await registerPerson(app);
  const body = { password: person.password };
  expect((await person.call('/api/profile/mfa/totp', { body })).status).toBe(201);
  // No job of the node runs before the clock moves.
  await untilNoStatementRuns(app);
  await postMail(app, { to: 'late@exemplo.ao' });
  const rail = await addRail(app, { merchantId: DEMO.merchantId, token: await app.token() }, idleBody());
  await app.call('/api/privacy/erase', { body: { phone: '911000777' } });
  return { webhookId: webhook.id, userId: person.userId, railId: rail.id };
}

describe('`keys reseal`', () => {
  test('encrypts every secret under the new key, so that nodes no longer need the old key', () =>
    useDatabase(async () => {
      let kept = { webhookId: '', userId: '', railId: '' };
      await useGateway(OLD, async (app) => {
        kept = await keepSecrets(app);
        const before = await findSealed(app);
        expect([...new Set(before)].sort()).toEqual([
          'digest_keys.sealed_key test',
          'endpoints.access_key test',
          'endpoints.secrets test',
          'erasures.sealed_subject test',
          'mails.sealed_html test',
          'mails.sealed_text test',
          'rail_accounts.secrets test',
          'signing_keys.sealed_private_jwk test',
          'users.totp_secret test',
        ]);
        const { code, stdout } = await operate(app, ['keys', 'reseal'], { SECRETS_KEYS: `${NEW},${OLD}` });
        expect(code).toBe(0);
        expect(stdout).toMatch(
          /^keyId +new_key\nsealed +\{"signing_keys":1,.*"users":1,.*"erasures":1\}\ntotal +\d+\n$/,
        );
        const after = await findSealed(app);
        expect(after).toEqual(before.map((text) => text.replace(/ test$/, ' new_key')));
        const again = await operate(app, ['keys', 'reseal', '--json'], { SECRETS_KEYS: `${NEW},${OLD}` });
        expect(JSON.parse(again.stdout)).toEqual({ keyId: 'new_key', sealed: {}, total: 0 });
        const [entry, ...others] = await readAudit(app, 'secrets.resealed', null);
        expect(others).toEqual([]);
        expect(entry.changes).toMatchObject({ keyId: 'new_key', sealed: { users: 1 }, unopened: 0 });
      });
      await useGateway(NEW, async (app) => {
        expect((await app.call('/api/payments')).status).toBe(200);
        expect((await app.call('/api/callbacks/test', { method: 'POST' })).status).toBe(200);
        expect((await receiver.received(1))[0]?.headers['access-key']).toBe(ACCESS_KEY);
        const rotated = await app.call(`/api/webhooks/${kept.webhookId}/rotate-secret`, { method: 'POST' });
        expect(rotated.status).toBe(200);
        // A connection error proves that the node could decrypt the account's secrets.
        const owner = { merchantId: DEMO.merchantId, token: await app.token() };
        const tried = await callRails(app, owner, { id: kept.railId, at: '/test', method: 'POST' });
        expect(tried.json.result).toBe('no_connection');
        const [user] = await app.sql('select totp_secret from users where id = $1', [kept.userId]);
        expect(app.node.core.keyring.open(user.totp_secret, 'totp secret')).toMatch(/^[A-Z2-7]{32}$/);
        const mail = await until(async () => (await listInbox(app, 'late@exemplo.ao'))[0], 'the mail being sent');
        expect(mail.text).toContain('/account/reset?token=');
      });
    }));

  test('continues after an interruption with the secrets that are still under the old key', () =>
    useDatabase(() =>
      useGateway(OLD, async (app) => {
        for (let nth = 0; nth < 6; nth++) await app.call('/api/webhooks', { body: { url: `${receiver.url}/${nth}` } });
        const count = async () => {
          const all = (await findSealed(app)).filter((text) => text.startsWith('endpoints'));
          return all.filter((text) => text.endsWith('new_key')).length;
        };
        const keyring = createKeyring(`${NEW},${OLD}`);
        let seals = 0;
        const breaking = {
          ...keyring,
          seal(plain: string, purpose: string) {
            // The first two calls of `seal` determine the key's id and encrypt the signing key.
            if (++seals > 2 + 5) throw new Error('the machine went down');
            return keyring.seal(plain, purpose);
          },
        };
        const core = { ...app.node.core, keyring };
        await app.token();
        await expect(resealAll({ ...core, keyring: breaking }, 2)).rejects.toThrow('the machine went down');
        expect(await count()).toBe(4);
        // The three endpoints include the one with the demo merchant's access key.
        expect((await resealAll(core, 2)).sealed).toEqual({ endpoints: 3, digest_keys: 1 });
        expect(await count()).toBe(7);
      }),
    ));

  test('names a secret that no key decrypts, and encrypts the rest under the new key', () =>
    useDatabase(() =>
      useGateway(OLD, async (app) => {
        await app.token();
        const gone = createKeyring(`gone:${randomBytes(32).toString('base64')}`).seal('x', 'callback access key');
        const [endpoint] = await app.sql('update endpoints set access_key = $1 returning id', [gone]);
        const ended = await operate(app, ['keys', 'reseal'], { SECRETS_KEYS: `${NEW},${OLD}` });
        expectEnd(ended, 1, `endpoints.access_key ${endpoint.id}`);
        expect(ended.stderr).toContain('2 secrets are sealed under new_key now, but no key of SECRETS_KEYS opens 1');
        expect((await findSealed(app)).sort()).toEqual([
          'digest_keys.sealed_key new_key',
          'endpoints.access_key gone',
          'signing_keys.sealed_private_jwk new_key',
        ]);
      }),
    ));

  test('covers every column with encrypted values', () => {
    const sealing = listFiles('{sandbox,server}/**/*.ts').filter((path) => /keyring\.seal\(/.test(readText(path)));
    // For each new file, add its column to server/sealed.ts and its value to the test above.
    expect(sealing).toEqual([
      'sandbox/seed.ts',
      'server/cli/keys.ts',
      'server/mail/write.ts',
      'server/oauth/tokens.ts',
      // The token between the two steps of a sign-in is encrypted but not stored.
      'server/people/sign-in.ts',
      'server/people/totp.ts',
      'server/privacy/erasures.ts',
      'server/rails/secrets.ts',
      'server/sms/opt-outs/refusals.ts',
      'server/webhooks/endpoint.ts',
      'server/webhooks/message.ts',
    ]);
  });
});

test('`keys rotate-signing` makes the node sign new tokens with a new key', () =>
  useDatabase(async () => {
    const clock = jumpClock();
    const app = await start(OLD, clock);
    const issue = async () => {
      const body = { grant_type: 'client_credentials', client_id: 'demo', client_secret: 'demo-secret' };
      const { json } = await app.call('/oauth/token', { body, token: null });
      return JSON.parse(Buffer.from(json.access_token.split('.')[0], 'base64url').toString()).kid;
    };
    const before = await issue();
    const { code, stdout } = await operate(app, ['keys', 'rotate-signing', '--json']);
    const { kid } = JSON.parse(stdout);
    expect(code).toBe(0);
    expect(kid).not.toBe(before);
    clock.jump(31_000);
    expect(await issue()).toBe(kid);
    expect(await readAudit(app, 'signing_key.rotated', null)).toMatchObject([{ target: kid }]);
    await app.stop();
  }));
