// Units, sendings and books of SMS.
import { expect } from 'vitest';
import { creditUnits } from '../../server/sms/ledger.ts';
import { inTransaction } from '../../server/database/orm.ts';
import { readRailBooks } from './lone-rail.ts';
import { creepUntil, isCalling } from './payments.ts';
import { type CallOptions, type Reply, type TestApp } from './app.ts';
import { DEMO } from '../../sandbox/seed.ts';

export const MERCHANT: string = DEMO.merchantId;

/** A message in the rail's books. */
export type RailMessage = { id: string; to: string; sender: string; text: string; status: string; calls: number };

export function sendText(app: TestApp, to: string[], conteudo = 'Bom dia', options: CallOptions = {}): Promise<Reply> {
  return app.call('/api/Envio/enviarSms', { ...options, body: { numerosDestino: to, conteudo } });
}

export async function addUnits(app: TestApp, merchantId: string, units: number): Promise<void> {
  await inTransaction(app.node.core, (db) =>
    creditUnits(db, { merchantId, units, description: 'Teste', at: app.clock.now() }),
  );
}

export async function listSent(app: TestApp, query = '', options: CallOptions = {}): Promise<any[]> {
  const reply = await app.call(`/api/Envio/ListarSmsEnviadas?pageSize=100${query}`, options);
  expect(reply.status, reply.text).toBe(200);
  return reply.json.data;
}

export async function readRail(app: TestApp): Promise<RailMessage[]> {
  return (await readRailBooks(app)).messages;
}

/** Advances the clock by seconds, or by 100 ms while a call runs, so that it is not given up. */
export function passUntil<T>(
  app: TestApp,
  check: () => Promise<T> | T,
  what: string,
  timeoutMs = 30_000,
): Promise<NonNullable<T>> {
  const stepMs = () => (isCalling(app) ? 100 : 1_000);
  return creepUntil(app, check, what, stepMs, timeoutMs);
}

/** Leaps to the message's due time unless it is being sent, since a leap would lose the call's answer. */
export async function leapToDue(app: TestApp, batchId: string): Promise<void> {
  const [row] = await app.sql(
    'select extract(epoch from due_at) * 1000 as due_ms from sms_messages where batch_id = $1',
    [batchId],
  );
  const aheadMs = Number(row.due_ms) - app.clock.now().getTime();
  if (aheadMs > LONGEST_LEASE_MS) app.clock.leap(aheadMs);
}

const LONGEST_LEASE_MS = 60_000;

/** Waits until no message of the merchant has the status. */
export function passWhile(app: TestApp, status: string, merchantId = MERCHANT): Promise<unknown> {
  return passUntil(
    app,
    async () =>
      (await app.sql('select from sms_messages where merchant_id = $1 and status = $2', [merchantId, status]))
        .length === 0,
    `no message ${status}`,
    60_000,
  );
}

/** Returns the balance after comparing it with the ledger. */
export async function readBalance(app: Pick<TestApp, 'sql'>, merchantId: string = MERCHANT): Promise<number> {
  return (await readBooks(app, merchantId)).balance;
}

/** Returns the balance and the units of messages, read by one statement. */
export async function readBooks(
  app: Pick<TestApp, 'sql'>,
  merchantId: string,
): Promise<{ balance: number; held: number }> {
  const [{ entries, account, held }] = await app.sql(
    `select (select balance from sms_accounts where merchant_id = $1) as account,
       (select coalesce(json_agg(l order by l.seq), '[]') from sms_ledger l where l.merchant_id = $1) as entries,
       (select coalesce(sum(parts), 0)::int from sms_messages where merchant_id = $1 and status <> 'Failed') as held`,
    [merchantId],
  );
  let balance = 0;
  for (const { kind, quantity, balance_after: after } of entries) {
    balance += kind === 'debit' ? -quantity : quantity;
    expect(after).toBe(balance);
    expect(balance).toBeGreaterThanOrEqual(0);
  }
  expect(account ?? 0).toBe(balance);
  return { balance, held };
}

/** Returns the fields of a schedule for a moment in Luanda. */
export function minuteOf(at: Date) {
  const local = new Date(at.getTime() + 3_600_000);
  return {
    dia: local.getUTCDate(),
    mes: local.getUTCMonth() + 1,
    ano: local.getUTCFullYear(),
    hora: local.getUTCHours(),
    minuto: local.getUTCMinutes(),
  };
}
