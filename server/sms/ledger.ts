// Credits, debits and refunds of SMS units. Each writes a ledger entry, and the balance never falls below zero.
import { v7 as uuid } from 'uuid';
import type { Core } from '../core.ts';
import { prepared, type Db } from '../database/db.ts';
import { recordEvent } from '../events/record.ts';
import { Problem } from '../http/problem.ts';
import type { LEDGER_KINDS } from './entities.ts';

type Movement = { merchantId: string; units: number; batchId: string; description: string };

/**
 * Debits units in the transaction `db` of the batch.
 * Debit units as the last write, because the account's row stays locked until the commit.
 * @throws Problem insufficient_sms_balance, with `saldoAtual` and `unidades`
 */
export async function debitUnits(core: Core, db: Db, movement: Movement): Promise<void> {
  const { merchantId, units } = movement;
  if (units === 0) return;
  const at = core.clock.now();
  const balance = await moveUnits(db, { ...movement, kind: 'debit', at });
  if (balance === null) {
    const saldoAtual = await findBalance(db, merchantId);
    throw new Problem('insufficient_sms_balance', { extra: { saldoAtual, unidades: units } });
  }
  const threshold = core.config.SMS_LOW_BALANCE;
  if (balance >= threshold || balance + units < threshold) return;
  const event = { merchantId, paymentId: null, type: 'sms.balance_low', status: null, occurredAt: at };
  await recordEvent(db, { ...event, details: { balance, threshold } });
}

/** Refunds the units of a canceled batch in the transaction `db` of the cancellation. */
export async function refundUnits(core: Core, db: Db, movement: Movement): Promise<void> {
  if (movement.units > 0) await moveUnits(db, { ...movement, kind: 'refund', at: core.clock.now() });
}

type Credit = {
  merchantId: string;
  /** `units`: the number of units to move, at least 1. */
  units: number;
  description: string;
  at: Date;
};

/**
 * Credits units and returns the new balance.
 * `db` must be a transaction. It locks the account, so that the balance stays the sum of the ledger.
 * @throws RangeError if `units` is no positive integer or the balance would exceed MAX_UNITS
 */
export async function creditUnits(db: Db, credit: Credit): Promise<number> {
  const { merchantId, units, at } = credit;
  if (!Number.isSafeInteger(units) || units < 1) throw new RangeError(`invalid number of units: ${units}`);
  await insertAccount.run(db, { merchantId, at });
  const balance = units > MAX_UNITS ? null : await moveUnits(db, { ...credit, batchId: null, kind: 'credit' });
  if (balance === null) throw new RangeError(`balance would exceed ${MAX_UNITS} units`);
  return balance;
}

/** Creates the merchant's SMS account with balance 0, unless the account exists. */
export const insertAccount = prepared((tables, { merchantId, at }: Pick<Credit, 'merchantId' | 'at'>) =>
  tables
    .insertInto('sms_accounts')
    .values({ merchantId, balance: 0, updatedAt: at })
    .onConflict((account) => account.column('merchantId').doNothing()),
);

/** Maximum balance: the largest value of PostgreSQL's integer type. */
const MAX_UNITS = 2_147_483_647;

type Move = Credit & { batchId: string | null; kind: (typeof LEDGER_KINDS)[number] };

/** Changes the balance and returns the new one. Null if it would be below zero or above MAX_UNITS. */
async function moveUnits(db: Db, move: Move): Promise<number | null> {
  const change = move.kind === 'debit' ? -move.units : move.units;
  const range = { least: Math.max(0, -change), most: Math.min(MAX_UNITS, MAX_UNITS - change) };
  return (await recordMovement.first(db, { ...move, ...range, id: uuid(), change }))?.balanceAfter ?? null;
}

/** Updates account and ledger in one statement. Returns no row if the balance would be outside `least` to `most`. */
const recordMovement = prepared((tables, entry: Move & { id: string; change: number; least: number; most: number }) =>
  tables
    .with('account', (on) =>
      on
        .updateTable('sms_accounts')
        .set((eb) => ({ balance: eb('balance', '+', entry.change), updatedAt: entry.at }))
        .where('merchantId', '=', entry.merchantId)
        .where('balance', '>=', entry.least)
        .where('balance', '<=', entry.most)
        .returning('balance'),
    )
    .insertInto('sms_ledger')
    .columns(['id', 'merchantId', 'kind', 'quantity', 'balanceAfter', 'description', 'batchId', 'createdAt'])
    .expression((eb) =>
      eb
        .selectFrom('account')
        .select([
          eb.val(entry.id).as('id'),
          eb.val(entry.merchantId).as('merchantId'),
          eb.val(entry.kind).as('kind'),
          eb.val(entry.units).as('quantity'),
          'balance',
          eb.val(entry.description).as('description'),
          eb.val(entry.batchId).as('batchId'),
          eb.val(entry.at).as('createdAt'),
        ]),
    )
    .returning('balanceAfter'),
);

/** Returns the merchant's balance of SMS units, which is 0 without an account. */
export async function findBalance(db: Db, merchantId: string): Promise<number> {
  return (await selectBalance.first(db, { merchantId }))?.balance ?? 0;
}

const selectBalance = prepared((tables, { merchantId }: { merchantId: string }) =>
  tables.selectFrom('sms_accounts').select('balance').where('merchantId', '=', merchantId),
);
