// Tables of cashiers' shifts, and of the cash that a shift takes beside the gateway.
import { defineEntity, p } from '@mikro-orm/core';
import type { CashKind, ShiftStatus } from '../../shared/shift.ts';

export const ShiftSchema = defineEntity({
  name: 'Shift',
  tableName: 'shifts',
  properties: {
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    /** The person whose shift it is, on all devices of that person. */
    userId: p.uuid(),
    status: p.text().$type<ShiftStatus>(),
    /** The merchant's `takesCash` when the shift opened. */
    takesCash: p.boolean(),
    openingMinor: p.bigint('number'),
    /** The cash that a person counted at the close. Null while the shift is open, and in a shift without cash. */
    countedMinor: p.bigint('number').nullable(),
    openedAt: p.datetime(3),
    closedAt: p.datetime(3).nullable(),
    closedById: p.uuid().nullable(),
    note: p.text().nullable(),
    /** The shift's canceled and its open payments when it closed. Both are live sums while the shift is open. */
    canceledCount: p.integer().nullable(),
    canceledMinor: p.bigint('number').nullable(),
    pendingCount: p.integer().nullable(),
    pendingMinor: p.bigint('number').nullable(),
  },
  indexes: [
    { name: 'shifts_list', properties: ['merchantId', 'openedAt', 'id'] },
    { name: 'shifts_user', properties: ['merchantId', 'userId', 'openedAt', 'id'] },
  ],
  // A person has at most one open shift at a merchant, on however many devices.
  uniques: [{ name: 'shifts_open', properties: ['merchantId', 'userId'], where: "status = 'open'" }],
});

/** A shift: the time between a cashier's opening and closing, with the movements that were recorded in it. */
export class Shift extends ShiftSchema.class {}
ShiftSchema.setClass(Shift);

export const CashEntrySchema = defineEntity({
  name: 'CashEntry',
  tableName: 'cash_entries',
  properties: {
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    shiftId: p.uuid(),
    kind: p.text().$type<CashKind>(),
    amountMinor: p.bigint('number'),
    note: p.text().nullable(),
    createdById: p.uuid(),
    createdAt: p.datetime(3),
  },
  checks: [{ name: 'cash_entries_amount', expression: 'amount_minor > 0' }],
  indexes: [
    { name: 'cash_entries_shift', properties: ['shiftId', 'createdAt', 'id'] },
    { name: 'cash_entries_list', properties: ['merchantId', 'createdAt', 'id'] },
  ],
});

/** Cash of a shift. Cash is never a movement of the gateway. */
export class CashEntry extends CashEntrySchema.class {}
CashEntrySchema.setClass(CashEntry);

/** Adds the tables of shifts to the typed queries. */
declare module '../database/db.ts' {
  interface Tables extends TablesOf<typeof ShiftSchema | typeof CashEntrySchema> {}
}
