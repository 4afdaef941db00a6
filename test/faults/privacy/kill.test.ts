// `PRIVACY_ROWS` sets the number of payments.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEMO } from '../../../sandbox/seed.ts';
import { TEST_ENV, until } from '../../support/app.ts';
import { killChildren } from '../../support/child.ts';
import { startHere } from '../../support/cli.ts';
import { freshDatabase, querySql } from '../../support/database.ts';
import { startGateway, type Gateway } from '../../support/gateway.ts';
import { countWaiting, holdLock } from '../../support/locks.ts';

const ROWS = Number(process.env['PRIVACY_ROWS'] ?? 3_000);
const PHONE = '+244923456789';
const LEASE_MS = 61_000;
const PATIENCE_MS = 180_000 + 20 * ROWS;

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(async () => {
  await killChildren();
});

/** Inserts payments of one person, alternating with payments of other people. */
async function addPayments(): Promise<void> {
  await gateway.sql(
    `insert into payments (id, merchant_id, reference, amount_minor, amount_paid_minor, currency, payment_type, payment_method, status,
       revision, description, phone, created_at, completed_at)
     select uuidv7(), $1, 'R-' || n, n, 0, 'AOA', 'GPO', 'push', 'Failed', 1, 'n.º ' || n,
       case when n % 2 = 0 then $2 else '+244911000' || lpad((n % 1000)::text, 3, '0') end, now(), now()
     from generate_series(1, $3::int) n`,
    [DEMO.merchantId, PHONE, 2 * ROWS],
  );
  await gateway.sql(
    `insert into attempts (id, payment_id, phone, status, created_at, sent_at)
     select uuidv7(), id, phone, 'Declined', now(), now() from payments`,
  );
  await gateway.sql('analyze payments, attempts');
}

const count = async (where: string) =>
  (await gateway.sql(`select count(*)::int as count from ${where}`))[0].count as number;
const left = () => count(`payments where phone = '${PHONE}'`);
const erasure = async () => (await gateway.sql('select * from erasures'))[0];

test(
  'an erasure continues after kill -9, and dump, restored backup and log do not name the person',
  { timeout: 600_000 },
  async () => {
    await addPayments();
    const books = () =>
      gateway.sql(
        'select md5(string_agg(id::text || reference || amount_minor, chr(10) order by id)) as sum from payments',
      );
    const [before, others] = [await books(), await count(`payments where phone like '+244911%'`)];
    // A locked row in the middle stops the erasure until the kill.
    const [{ id }] = await gateway.sql(`select id from payments where phone = $1 order by id offset $2 limit 1`, [
      PHONE,
      Math.floor(ROWS / 2),
    ]);
    const release = await holdLock(gateway.databaseUrl, `select from payments where id = '${id}' for update`);
    const ordered = await gateway.merchant.insist('/api/privacy/erase', { body: { phone: '923 456 789' } });
    expect(ordered.status).toBe(202);
    await gateway.child().kill();
    await gateway.restart(20_000);
    const isHeld = async () => (await countWaiting(gateway.databaseUrl, 'from payments where')) > 0;
    await until(isHeld, 'the erasure being in the middle', PATIENCE_MS);
    const done = await left();
    expect(done).toBeGreaterThan(0);
    expect(done).toBeLessThan(ROWS);
    let output = gateway.child().output();
    await gateway.child().kill();
    await release();
    expect(await left()).toBe(done);
    expect((await erasure()).status).toBe('Pending');
    await gateway.restart(LEASE_MS);
    await until(async () => (await erasure()).status === 'Done', 'the erasure being done', PATIENCE_MS);
    output += gateway.child().output();
    expect(await left()).toBe(0);
    expect(await count(`attempts where phone = '${PHONE}'`)).toBe(0);
    expect((await erasure()).erased).toEqual({ payments: ROWS });
    expect((await erasure()).sealed_subject).toBe(null);
    expect(await books()).toEqual(before);
    expect(await count(`payments where phone like '+244911%'`)).toBe(others);
    expect(output).not.toMatch(/923 ?456 ?789/);
    await expectNoTrace(gateway.sql);
    await expectCleanBackup();
  },
);

async function expectNoTrace(sql: Gateway['sql']): Promise<void> {
  const tables = await sql(
    `select table_schema || '.' || table_name as name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE'`,
  );
  for (const { name } of tables)
    expect([name, await sql(`select t::text from ${name} t where t::text ~ '923 ?456 ?789' limit 1`)]).toEqual([
      name,
      [],
    ]);
}

/** Expects that a backup after the erasure does not contain the erased person. */
async function expectCleanBackup(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'balcao-erased-'));
  const into = await freshDatabase();
  await querySql(into.url, 'drop schema public cascade; drop schema if exists simulator cascade; create schema public');
  const env = { SECRETS_KEYS: TEST_ENV.SECRETS_KEYS, BACKUP_PASSPHRASE: 'uma frase que ninguém adivinha' };
  const run = (command: string, url: string) =>
    startHere([command, join(folder, 'b')], { env: { ...env, DATABASE_URL: url } }).ended;
  try {
    expect(await run('backup', gateway.databaseUrl)).toMatchObject({ code: 0 });
    expect(await run('restore', into.url)).toMatchObject({ code: 0 });
    const restored: Gateway['sql'] = (text, values) => querySql(into.url, text, values);
    expect((await restored('select count(*)::int as count from payments'))[0].count).toBe(2 * ROWS);
    await expectNoTrace(restored);
  } finally {
    rmSync(folder, { recursive: true });
    await into.drop();
  }
}
