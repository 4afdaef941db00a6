// Units that a sending uses, and those of a cancelled one: always with the ledger's entry, never below zero.
import { v7 as uuid } from 'uuid';
import type { Core } from '../core.ts';
import type { Db } from '../database/rows.ts';
import { recordEvent } from '../events/record.ts';
import { Problem } from '../http/problem.ts';
import { findBalance } from './credit.ts';

export type Movement = { merchantId: string; units: number; batchId: string; description: string };

/**
 * Takes units; `db` must be the sending's transaction, and this its last write: the account is held from here on.
 * @throws Problem insufficient_sms_balance, with `saldoAtual` and `unidades`
 */
export async function debitUnits(core: Core, db: Db, movement: Movement): Promise<void> {
  const { merchantId, units } = movement;
  if (units === 0) return;
  const at = core.clock.now();
  const balance = await moveUnits(db, 'debit', movement, at);
  if (balance === null) {
    const saldoAtual = await findBalance(db, merchantId);
    throw new Problem('insufficient_sms_balance', { extra: { saldoAtual, unidades: units } });
  }
  const threshold = core.config.SMS_LOW_BALANCE;
  if (balance >= threshold || balance + units < threshold) return;
  const event = { merchantId, paymentId: null, type: 'sms.balance_low', status: null, occurredAt: at };
  await recordEvent(db, { ...event, details: { balance, threshold } });
}

/** Gives a cancelled sending's units back; `db` must be the cancellation's transaction. */
export async function refundUnits(core: Core, db: Db, movement: Movement): Promise<void> {
  if (movement.units > 0) await moveUnits(db, 'refund', movement, core.clock.now());
}

/** Account and ledger in one statement; answers the balance after it, null where there were too few. */
async function moveUnits(
  { pool }: Db,
  kind: 'debit' | 'refund',
  { merchantId, units, batchId, description }: Movement,
  at: Date,
): Promise<number | null> {
  const { rows } = await pool.query<{ balance_after: number }>({
    name: 'sms_move_units',
    text: `with account as (
        update sms_accounts set balance = balance + $3::int, updated_at = $7::timestamptz
        where merchant_id = $2::uuid and balance + $3::int >= 0 returning balance)
      insert into sms_ledger (id, merchant_id, kind, quantity, balance_after, description, batch_id, created_at)
      select $1::uuid, $2::uuid, $4, abs($3::int), balance, $5, $6::uuid, $7::timestamptz from account returning balance_after`,
    values: [uuid(), merchantId, kind === 'debit' ? -units : units, kind, description, batchId, at],
  });
  return rows[0]?.balance_after ?? null;
}
