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
export async function debitUnits(core: Core, db: Db, { merchantId, units, batchId, description }: Movement) {
  if (units === 0) return;
  const at = core.clock.now();
  const { rows } = await db.pool.query<{ balance_after: number }>({
    name: 'sms_debit',
    text: `with account as (
        update sms_accounts set balance = balance - $3, updated_at = $6::timestamptz
        where merchant_id = $2::uuid and balance >= $3 returning balance)
      insert into sms_ledger (id, merchant_id, kind, quantity, balance_after, description, batch_id, created_at)
      select $1::uuid, $2::uuid, 'debit', $3, balance, $4, $5::uuid, $6::timestamptz from account returning balance_after`,
    values: [uuid(), merchantId, units, description, batchId, at],
  });
  const balance = rows[0]?.balance_after;
  if (balance === undefined) {
    const saldoAtual = await findBalance(db, merchantId);
    throw new Problem('insufficient_sms_balance', { extra: { saldoAtual, unidades: units } });
  }
  const threshold = core.config.SMS_LOW_BALANCE;
  if (balance >= threshold || balance + units < threshold) return;
  const event = { merchantId, paymentId: null, type: 'sms.balance_low', status: null, occurredAt: at };
  await recordEvent(db, { ...event, details: { balance, threshold } });
}

/** Gives a cancelled sending's units back; `db` must be the cancellation's transaction. */
export async function refundUnits(core: Core, db: Db, { merchantId, units, batchId, description }: Movement) {
  if (units === 0) return;
  await db.pool.query({
    name: 'sms_refund',
    text: `with account as (
        update sms_accounts set balance = balance + $3, updated_at = $6::timestamptz
        where merchant_id = $2::uuid returning balance)
      insert into sms_ledger (id, merchant_id, kind, quantity, balance_after, description, batch_id, created_at)
      select $1::uuid, $2::uuid, 'refund', $3, balance, $4, $5::uuid, $6::timestamptz from account`,
    values: [uuid(), merchantId, units, description, batchId, core.clock.now()],
  });
}
