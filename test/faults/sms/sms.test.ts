import { afterEach, beforeEach, expect, test } from 'vitest';
import { until } from '../../support/app.ts';
import { connectMerchant, killChildren, startChild, type Child, type MerchantClient } from '../../support/child.ts';
import { freshDatabase, querySql, type FreshDatabase } from '../../support/database.ts';
import { countWaiting, holdLock } from '../../support/locks.ts';
import { MERCHANT, minuteOf, readBalance, readBooks } from '../../support/sms.ts';

/** After this time the lease of a claimed message has ended. */
const LATE_MS = 60_000;

let database: FreshDatabase;
let child: Child;
let merchant: MerchantClient;
beforeEach(async () => {
  database = await freshDatabase();
  child = await startChild({ env: env() });
  merchant = connectMerchant(() => child.url);
});
afterEach(async () => {
  await killChildren();
  await database?.drop();
});

const env = () => ({ DATABASE_URL: database.url, LOG_LEVEL: 'error' });
const sql = <T = any>(text: string, values?: unknown[]) => querySql<T>(database.url, text, values);

const send = (to: string[]) => merchant.call('/api/Envio/enviarSms', { body: { numerosDestino: to, conteudo: 'Olá' } });
const readRail = async () =>
  (await merchant.call('/sandbox/rail/books')).json.messages as { to: string; calls: number }[];
const untilNone = (status: string) =>
  until(
    async () => (await sql('select from sms_messages where status = $1', [status])).length === 0,
    `no message ${status}`,
  );

async function restart(lateMs = LATE_MS): Promise<void> {
  await child.kill();
  child = await startChild({ env: env(), port: child.port, lateMs });
}

test('a node that is killed between debit and sending sends each message once after its restart', async () => {
  // The lock delays the claim of the messages.
  const letGo = await holdLock(database.url, 'lock table sms_batches in share mode');
  const sending = send(['923000001', '923000002', '923000003']);
  await until(async () => (await countWaiting(database.url, 'insert into "sms_batches"')) > 0, 'the sending waiting');
  await letGo();
  expect((await sending).status).toBe(200);
  await restart();
  await untilNone('Pending');
  expect((await readRail()).map(({ to, calls }) => [to, calls]).toSorted()).toEqual([
    ['+244923000001', 1],
    ['+244923000002', 1],
    ['+244923000003', 1],
  ]);
  expect(await readBalance({ sql })).toBe(997);
});

test('a node that is killed during the debit leaves no message and no debit', async () => {
  const letGo = await holdLock(database.url, 'lock table sms_ledger in share mode');
  const sending = send(['923000001']).catch(() => null);
  await until(async () => (await countWaiting(database.url, 'update sms_accounts')) > 0, 'the debit waiting');
  await child.kill();
  await sending;
  await letGo();
  child = await startChild({ env: env(), port: child.port, lateMs: LATE_MS });
  expect(await sql('select from sms_messages')).toEqual([]);
  expect(await readBalance({ sql })).toBe(1_000);
});

test('a node that is killed during its call to the rail sends one message', async () => {
  await merchant.call('/sandbox/rail/faults', { body: { on: 'sms_send', kind: 'hang', phone: '923000009' } });
  await send(['923000009']);
  await until(async () => (await sql('select from simulator.messages')).length > 0, 'the rail having it');
  expect(await sql('select status from sms_messages')).toEqual([{ status: 'Pending' }]);
  await restart();
  await untilNone('Pending');
  expect((await readRail()).map(({ calls }) => calls)).toEqual([1]);
  expect(await readBalance({ sql })).toBe(999);
});

test('a scheduled message is sent once after the restart if the node is killed before its minute', async () => {
  const at = new Date(Math.ceil(Date.now() / 60_000 + 1) * 60_000);
  const body = { numerosDestino: ['923000005', '923000006'], conteudo: 'À hora', ...minuteOf(at) };
  const reply = await merchant.call('/api/Envio/agendarSms', { body });
  expect(reply.status, reply.text).toBe(201);
  await restart(150_000);
  await until(
    async () => (await sql(`select from sms_messages where status in ('Sent', 'Delivered')`)).length === 2,
    'sending',
  );
  await restart(300_000);
  await untilNone('Sent');
  expect((await readRail()).map(({ calls }) => calls)).toEqual([1, 1]);
  expect(await readBalance({ sql })).toBe(998);
  expect((await merchant.call('/api/Envio/ListarSmsAgendadas')).json.data[0].estado).toBe('Enviado');
});

test('a message and the refund of its SMS unit stay consistent if the node is killed in between', async () => {
  await send(['900000002']);
  const letGo = await holdLock(database.url, 'lock table sms_ledger in share mode');
  await until(async () => (await countWaiting(database.url, 'insert into sms_ledger')) > 0, 'the refund waiting');
  await child.kill();
  await letGo();
  // One statement reads both, since the database may still run the killed node's statement.
  const { balance, held } = await readBooks({ sql }, MERCHANT);
  expect([balance, held]).toEqual(held === 0 ? [1_000, 0] : [999, 1]);
  child = await startChild({ env: env(), port: child.port, lateMs: 10 * 60_000 });
  await until(async () => (await sql(`select from sms_messages where status = 'Failed'`)).length === 1, 'the failure');
  expect(await readBalance({ sql })).toBe(1_000);
});
