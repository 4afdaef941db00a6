// SMS credit: debits and refunds of units, always with the ledger's entry; the balance never goes below zero.
import { v7 as uuid } from 'uuid';
import type { Core } from '../core.ts';
import { prepared, type Db } from '../database/db.ts';
import { recordEvent } from '../events/record.ts';
import { Problem } from '../http/problem.ts';
import type { LEDGER_KINDS } from './entities.ts';

type Movement = { merchantId: string; units: number; batchId: string; description: string };

/**
 * Takes units; `db` must be the sending's transaction, and this its last write: the account is held from here on.
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

/** Gives a cancelled sending's units back; `db` must be the cancellation's transaction. */
export async function refundUnits(core: Core, db: Db, movement: Movement): Promise<void> {
  if (movement.units > 0) await moveUnits(db, { ...movement, kind: 'refund', at: core.clock.now() });
}

type Credit = {
  merchantId: string;
  /** Above zero. */
  units: number;
  description: string;
  at: Date;
};

/**
 * Adds units and returns the balance after it; `db` must be a transaction, which holds the account from here on, so that
 * the balance is always the ledger's sum. @throws RangeError for units, or a balance, that cannot be
 */
export async function creditUnits(db: Db, credit: Credit): Promise<number> {
  const { merchantId, units, at } = credit;
  if (!Number.isSafeInteger(units) || units < 1) throw new RangeError(`${units} is no number of units`);
  await insertAccount.run(db, { merchantId, at });
  const balance = units > MOST_UNITS ? null : await moveUnits(db, { ...credit, batchId: null, kind: 'credit' });
  if (balance === null) throw new RangeError(`more than ${MOST_UNITS} units are too many`);
  return balance;
}

/** An account without units, unless the merchant has one. */
export const insertAccount = prepared((tables, { merchantId, at }: Pick<Credit, 'merchantId' | 'at'>) =>
  tables
    .insertInto('sms_accounts')
    .values({ merchantId, balance: 0, updatedAt: at })
    .onConflict((account) => account.column('merchantId').doNothing()),
);

/** The largest number that the column holds. */
const MOST_UNITS = 2_147_483_647;

type Move = Credit & { batchId: string | null; kind: (typeof LEDGER_KINDS)[number] };

/** Returns the balance after it. Null where it would be below zero, or too large. */
async function moveUnits(db: Db, move: Move): Promise<number | null> {
  const change = move.kind === 'debit' ? -move.units : move.units;
  const range = { least: Math.max(0, -change), most: Math.min(MOST_UNITS, MOST_UNITS - change) };
  return (await recordMovement.first(db, { ...move, ...range, id: uuid(), change }))?.balanceAfter ?? null;
}

/** Account and ledger in one statement; no row where the balance is not between `least` and `most`. */
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

/** The units that are left; none where none were ever credited. */
export async function findBalance(db: Db, merchantId: string): Promise<number> {
  return (await selectBalance.first(db, { merchantId }))?.balance ?? 0;
}

const selectBalance = prepared((tables, { merchantId }: { merchantId: string }) =>
  tables.selectFrom('sms_accounts').select('balance').where('merchantId', '=', merchantId),
);
