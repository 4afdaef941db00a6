// SMS credit: debits and refunds of units, always with the ledger's entry; the balance never goes below zero.
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { Core } from '../core.ts';
import { em, prepared, type Db } from '../database/db.ts';
import { recordEvent } from '../events/record.ts';
import { Problem } from '../http/problem.ts';
import { SmsLedgerEntry } from './entities.ts';

type Movement = { merchantId: string; units: number; batchId: string; description: string };

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

/** Answers the balance after it, null where there were too few. */
async function moveUnits(db: Db, kind: 'debit' | 'refund', movement: Movement, at: Date): Promise<number | null> {
  const change = kind === 'debit' ? -movement.units : movement.units;
  const entry = await recordMovement.first(db, { ...movement, id: uuid(), kind, change, at });
  return entry?.balanceAfter ?? null;
}

/** Account and ledger in one statement; no row where the balance would be below zero. */
const recordMovement = prepared(
  (tables, entry: Movement & { id: string; kind: 'debit' | 'refund'; change: number; at: Date }) =>
    tables
      .with('account', (on) =>
        on
          .updateTable('sms_accounts')
          .set((eb) => ({ balance: eb('balance', '+', entry.change), updatedAt: entry.at }))
          .where('merchantId', '=', entry.merchantId)
          .where((eb) => eb(eb('balance', '+', entry.change), '>=', 0))
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

/** As many as the column holds. */
const MOST_UNITS = 2_147_483_647;

type Credit = {
  merchantId: string;
  /** Above zero. */
  units: number;
  description: string;
  at: Date;
};

/**
 * Adds units and answers the balance after it; `db` must be a transaction, which holds the account from here on, so that
 * the balance is always the ledger's sum. @throws RangeError for units, or a balance, that cannot be
 */
export async function creditUnits(db: Db, { merchantId, units, description, at }: Credit): Promise<number> {
  if (!Number.isSafeInteger(units) || units < 1) throw new RangeError(`${units} is no number of units`);
  const credited = await addUnits.first(db, { merchantId, units, at });
  if (!credited) throw new RangeError(`more than ${MOST_UNITS} units are too many`);
  const { balance: balanceAfter } = credited;
  const entry = { id: uuid(), merchantId, kind: 'credit' as const, quantity: units, balanceAfter, description };
  await em(db).insert(SmsLedgerEntry, { ...entry, createdAt: at });
  return balanceAfter;
}

/** No row where they would be too many. */
const addUnits = prepared((tables, { merchantId, units, at }: Omit<Credit, 'description'>) =>
  tables
    .insertInto('sms_accounts')
    .values({ merchantId, balance: units, updatedAt: at })
    .onConflict((account) =>
      account
        .column('merchantId')
        .doUpdateSet((eb) => ({
          balance: eb('sms_accounts.balance', '+', eb.ref('excluded.balance')),
          updatedAt: eb.ref('excluded.updatedAt'),
        }))
        .where((eb) => eb('sms_accounts.balance', '<=', eb(sql.lit(MOST_UNITS), '-', eb.ref('excluded.balance')))),
    )
    .returning('balance'),
);

/** The units that are left; none where none were ever credited. */
export async function findBalance(db: Db, merchantId: string): Promise<number> {
  return (await selectBalance.first(db, { merchantId }))?.balance ?? 0;
}

const selectBalance = prepared((tables, { merchantId }: { merchantId: string }) =>
  tables.selectFrom('sms_accounts').select('balance').where('merchantId', '=', merchantId),
);
