import { beforeAll, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { addPlan, choose, endMonth, untilInvoices } from '../../support/billing.ts';
import { openCallbackFixture, type CallbackFixture } from '../../support/callbacks.ts';
import { countWaiting, holdLock } from '../../support/locks.ts';
import { operateJson, readAudit, startOperator } from '../../support/cli.ts';

let app: TestApp;
let fixture: CallbackFixture;
let invoiceId: string;
beforeAll(async () => {
  app = await startTestApp();
  fixture = await openCallbackFixture(app);
  await choose(fixture, await addPlan(app));
  endMonth(app);
  [{ id: invoiceId }] = (await untilInvoices(app, fixture, 1)) as [{ id: string }];
});

const credit = (reason: string) => ['invoice', 'credit', invoiceId, '--amount', '100', '--reason', reason, '--yes'];
const notes = () => app.sql('select serial, reason, total_minor::int as total from credit_notes order by serial');
const told = async () =>
  (await app.sql(`select details ->> 'number' as number from events where type = 'invoice.credited' order by seq`)).map(
    ({ number }) => number,
  );

/** Each row: the moment of the kill, the lock that stops the command, and the statement that waits for the lock. */
const POINTS = [
  [
    'before anything is read',
    () => `select from invoices where id = '${invoiceId}' for update`,
    '%from invoices%for update',
  ],
  [
    'before its number is taken',
    () => `select pg_advisory_xact_lock(hashtextextended('credit_notes', 0))`,
    'pg_advisory_xact_lock',
  ],
  ['with a number, before it is written', () => 'lock table credit_notes in share mode', 'insert into credit_notes'],
  ['between the note and its event', () => 'lock table events in share mode', 'insert into events'],
  ['between its event and the audit', () => 'lock table audit_entries in share mode', 'insert into audit_entries'],
] as const;

test.each(POINTS)(
  'a command that is killed %s writes one credit note when it is repeated',
  async (reason, lock, waiting) => {
    const before = await notes();
    const release = await holdLock(app.databaseUrl, lock());
    const command = startOperator(app, credit(reason));
    await until(async () => (await countWaiting(app.databaseUrl, waiting)) > 0, 'the command being held up');
    await command.kill();
    await release();
    // PostgreSQL ends the killed command's connection after its statement.
    const left = `select from pg_stat_activity where datname = current_database() and query ilike $1 and state <> 'idle'
    and pid <> pg_backend_pid()`;
    await until(async () => (await app.sql(left, [`%${waiting}%`])).length === 0, 'its transaction being over');
    expect(await notes()).toEqual(before);

    const made = await operateJson(app, ...credit(reason));
    expect(made).toMatchObject({
      isNew: true,
      total: 114,
      number: `CE 2026/${String(before.length + 1).padStart(6, '0')}`,
    });
    expect(await operateJson(app, ...credit(reason))).toMatchObject({ id: made.id, isNew: false });
    expect(await notes()).toEqual([...before, { serial: before.length + 1, reason, total: 11_400 }]);
    expect(await told()).toHaveLength(before.length + 1);
    expect((await told()).at(-1)).toBe(made.number);
    expect(await readAudit(app, 'invoice.credited', fixture.merchantId)).toHaveLength(before.length + 1);
  },
);
