// Opens and closes shifts, and records their cash. A closed shift never changes.
import { v7 as uuid } from 'uuid';
import type { Core } from '../core.ts';
import { actorOf, recordAudit } from '../audit/record.ts';
import { prepared, type Db } from '../database/db.ts';
import { tryLater, invalidFields, Problem } from '../http/problem.ts';
import type { Caller } from '../http/route.ts';
import { toDecimal } from '../../shared/money.ts';
import { SHIFT_CURRENCY, type CashKind } from '../../shared/shift.ts';
import type { CashEntry, Shift } from './entities.ts';
import { findOpenShift } from './counting.ts';
import { findShift, personOf } from './find.ts';
import { readUnpaid, type UnpaidSums } from './sums.ts';

type By = { caller: Caller; address: string };

/** Another device may close the shift that this one finds open, so the opening tries again. */
const ROUNDS = 5;

/**
 * Opens a shift for the calling person. If a device of that person opened one before, returns that shift.
 * @throws Problem user_required, cash_not_taken
 */
export async function openShift(
  core: Core,
  db: Db,
  { caller, address }: By,
  openingMinor: number | null,
): Promise<{ shift: Shift; isNew: boolean }> {
  const { merchantId } = caller;
  const userId = personOf(caller);
  const setting = await findSetting.one(db, { id: merchantId });
  for (let round = 0; round < ROUNDS; round++) {
    const known = await findOpenShift.first(db, { merchantId, userId });
    const { takesCash } = known ?? setting;
    if (openingMinor !== null && !takesCash) throw new Problem('cash_not_taken');
    if (known) return { shift: known, isNew: false };
    const at = core.clock.now();
    const row = {
      ...NEW_SHIFT,
      id: uuid(),
      merchantId,
      userId,
      takesCash,
      openingMinor: openingMinor ?? 0,
      openedAt: at,
    };
    if ((await insertShift.run(db, { row })) === 0) continue;
    const changes = takesCash ? { opening: inKwanzas(row.openingMinor) } : {};
    const actor = actorOf(caller, address);
    await recordAudit(db, { merchantId, actor, action: 'shift.opened', target: row.id, changes, at });
    return { shift: row, isNew: true };
  }
  throw tryLater('service_unavailable', 1);
}

const NEW_SHIFT = {
  status: 'open',
  countedMinor: null,
  closedAt: null,
  closedById: null,
  note: null,
  canceledCount: null,
  canceledMinor: null,
  pendingCount: null,
  pendingMinor: null,
} as const satisfies Partial<Shift>;

const inKwanzas = (minor: number) => toDecimal(minor, SHIFT_CURRENCY);

const findSetting = prepared((tables, { id }: { id: string }) =>
  tables.selectFrom('merchants').select('takesCash').where('id', '=', id),
);

/** Inserts a shift. Inserts nothing if the person has an open shift: it waits for a concurrent opening to commit. */
const insertShift = prepared((tables, { row }: { row: Shift }) =>
  tables
    .insertInto('shifts')
    .values(row)
    .onConflict((conflict) => conflict.doNothing()),
);

type CashRequest = { kind: CashKind; amountMinor: number; note: string | null };

/**
 * Records cash of an open shift. The share lock makes a concurrent close wait for the commit.
 * @throws Problem user_required, not_found, shift_closed, cash_not_taken
 */
export async function recordCash(
  core: Core,
  db: Db,
  { caller, address }: By,
  shiftId: string,
  { kind, amountMinor, note }: CashRequest,
): Promise<Shift> {
  const shift = await findShift(db, caller, shiftId, 'cash');
  const createdById = personOf(caller);
  if (shift.status === 'closed') throw new Problem('shift_closed');
  if (!shift.takesCash) throw new Problem('cash_not_taken');
  const { merchantId } = caller;
  const at = core.clock.now();
  const row = { id: uuid(), merchantId, shiftId: shift.id, kind, amountMinor, note, createdById, createdAt: at };
  await insertCash.run(db, { row });
  const changes = { cash: kind, amount: inKwanzas(amountMinor), ...(note !== null && { note }) };
  const actor = actorOf(caller, address);
  await recordAudit(db, { merchantId, actor, action: 'shift.cash_recorded', target: shift.id, changes, at });
  return shift;
}

const insertCash = prepared((tables, { row }: { row: CashEntry }) => tables.insertInto('cash_entries').values(row));

type CloseRequest = { countedMinor: number | null; note: string | null };

/**
 * Closes a shift under the lock of its row, for which all money and cash of the shift waits.
 * @throws Problem user_required, not_found, shift_closed, cash_not_taken; 400 at /countedCash
 */
export async function closeShift(
  core: Core,
  db: Db,
  { caller, address }: By,
  shiftId: string,
  { countedMinor, note }: CloseRequest,
): Promise<Shift> {
  const shift = await findShift(db, caller, shiftId, 'close');
  const closedById = personOf(caller);
  if (shift.status === 'closed') throw new Problem('shift_closed');
  if (shift.takesCash && countedMinor === null) throw invalidFields([{ pointer: '/countedCash', code: 'required' }]);
  if (!shift.takesCash && countedMinor !== null) throw new Problem('cash_not_taken');
  const at = core.clock.now();
  const { canceled, pending } = (await readUnpaid(db, [shift.id])).get(shift.id) as UnpaidSums;
  const set = {
    status: 'closed',
    countedMinor,
    note,
    closedAt: at,
    closedById,
    canceledCount: canceled.count,
    canceledMinor: canceled.amountMinor,
    pendingCount: pending.count,
    pendingMinor: pending.amountMinor,
  } as const;
  await changeShift.run(db, { id: shift.id, set });
  const changes = {
    ...(countedMinor !== null && { counted: inKwanzas(countedMinor) }),
    ...(note !== null && { note }),
  };
  const actor = actorOf(caller, address);
  const { merchantId } = caller;
  await recordAudit(db, { merchantId, actor, action: 'shift.closed', target: shift.id, changes, at });
  return { ...shift, ...set };
}

const changeShift = prepared((tables, { id, set }: { id: string; set: Partial<Shift> }) =>
  tables.updateTable('shifts').set(set).where('id', '=', id),
);
