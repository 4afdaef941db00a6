// The API view of a shift, and the columns of its file.
import { z } from 'zod';
import { addMinor, toMajor } from '../../shared/money.ts';
import { SHIFT_CURRENCY, SHIFT_METHODS, SHIFT_STATUSES } from '../../shared/shift.ts';
import { SHIFT_STATUS_WORDS } from '../../shared/state-words.ts';
import { findNames, type Names } from '../audit/names.ts';
import type { Db } from '../database/db.ts';
import type { CsvColumn } from '../exports/csv.ts';
import type { Shift } from './entities.ts';
import { sumShifts, type ShiftSums } from './sums.ts';

/** Reads the names of the persons of these shifts. */
const readNames = (db: Db, shifts: Shift[]) =>
  findNames(
    db,
    shifts.flatMap(({ userId, closedById }) => [userId, closedById]),
  );

/** Builds the views of shifts, with their sums at this moment. */
export async function viewShifts(db: Db, shifts: Shift[]) {
  const names = await readNames(db, shifts);
  const sums = await sumShifts(db, shifts);
  return shifts.map((shift) => viewShift(shift, sums.get(shift.id) as ShiftSums, names));
}

/** Builds the view of one shift. */
export async function viewOne(db: Db, shift: Shift) {
  return (await viewShifts(db, [shift]))[0] as ReturnType<typeof viewShift>;
}

const inKwanzas = (minor: number) => toMajor(minor, SHIFT_CURRENCY);

function viewShift(shift: Shift, sums: ShiftSums, names: Names) {
  const { id, userId, closedById = null, status, openedAt } = shift;
  const { takenMinor, refundedMinor } = totalsOf(sums);
  return {
    id,
    cashier: { id: userId, name: names.get(userId) ?? '' },
    status,
    openedAt,
    closedAt: shift.closedAt ?? null,
    closedBy: closedById && { id: closedById, name: names.get(closedById) ?? '' },
    note: shift.note ?? null,
    currency: SHIFT_CURRENCY,
    taken: sums.taken.map(({ amountMinor, feesMinor, currency, ...rest }) => ({
      ...rest,
      currency,
      amount: toMajor(amountMinor, currency),
      fees: toMajor(feesMinor, currency),
    })),
    refunded: sums.refunded.map(({ amountMinor, manualMinor, currency, ...rest }) => ({
      ...rest,
      currency,
      amount: toMajor(amountMinor, currency),
      manual: toMajor(manualMinor, currency),
    })),
    totals: {
      taken: inKwanzas(takenMinor),
      refunded: inKwanzas(refundedMinor),
      net: inKwanzas(addMinor(takenMinor, -refundedMinor)),
    },
    canceled: { count: sums.canceled.count, amount: inKwanzas(sums.canceled.amountMinor) },
    pending: { count: sums.pending.count, amount: inKwanzas(sums.pending.amountMinor) },
    cash: viewCash(shift, sums),
  };
}

/** Adds the sums of the shift's currency. Money in another currency has its own rows only. */
function totalsOf({ taken, refunded }: Pick<ShiftSums, 'taken' | 'refunded'>) {
  const add = (sums: { currency: string; amountMinor: number }[]) =>
    addMinor(0, ...sums.flatMap(({ currency, amountMinor }) => (currency === SHIFT_CURRENCY ? [amountMinor] : [])));
  return { takenMinor: add(taken), refundedMinor: add(refunded) };
}

type Cash = {
  openingMinor: number;
  expectedMinor: number;
  countedMinor: number | null;
  differenceMinor: number | null;
};

function cashOf({ openingMinor, countedMinor = null }: Shift, { cash }: Pick<ShiftSums, 'cash'>): Cash {
  const expectedMinor = addMinor(openingMinor, cash.sale, cash.in, -cash.out);
  const differenceMinor = countedMinor === null ? null : addMinor(countedMinor, -expectedMinor);
  return { openingMinor, expectedMinor, countedMinor, differenceMinor };
}

function viewCash(shift: Shift, sums: ShiftSums) {
  if (!shift.takesCash) return null;
  const { openingMinor, expectedMinor, countedMinor, differenceMinor } = cashOf(shift, sums);
  return {
    opening: inKwanzas(openingMinor),
    sales: inKwanzas(sums.cash.sale),
    in: inKwanzas(sums.cash.in),
    out: inKwanzas(sums.cash.out),
    expected: inKwanzas(expectedMinor),
    counted: countedMinor === null ? null : inKwanzas(countedMinor),
    difference: differenceMinor === null ? null : inKwanzas(differenceMinor),
  };
}

const person = z.object({ id: z.uuid(), name: z.string() });
const counted = z.object({ count: z.int(), amount: z.number() });
const group = z.object({
  method: z.enum(SHIFT_METHODS).describe('`page`: a payment page that the payer opened'),
  count: z.int(),
  currency: z.string(),
  amount: z.number(),
});

export const shiftAnswer = z
  .object({
    id: z.uuid(),
    cashier: person,
    status: z.enum(SHIFT_STATUSES),
    openedAt: z.iso.datetime(),
    closedAt: z.iso.datetime().nullable(),
    closedBy: person.nullable(),
    note: z.string().nullable(),
    currency: z.string().describe('The currency of totals and cash'),
    taken: z.array(group.extend({ fees: z.number() })).describe('Received money, by method and currency'),
    refunded: z
      .array(group.extend({ manual: z.number().describe('The part that was refunded another way') }))
      .describe('Refunded money, by method of its payment and currency'),
    totals: z.object({ taken: z.number(), refunded: z.number(), net: z.number() }).describe('Money in `currency`'),
    canceled: counted.describe('Payments charged in the shift and canceled; of a closed shift as it closed'),
    pending: counted.describe('Payments charged in the shift that are still open; of a closed shift as it closed'),
    cash: z
      .object({
        opening: z.number(),
        sales: z.number(),
        in: z.number(),
        out: z.number(),
        expected: z.number().describe('opening + sales + in − out'),
        counted: z.number().nullable().describe('Counted at the close'),
        difference: z.number().nullable().describe('counted − expected'),
      })
      .nullable()
      .describe('Cash beside the gateway. Null if the shop took no cash when the shift opened'),
  })
  .meta({ id: 'Shift' });

export const SHIFT_COLUMNS = [
  { kind: 'time', from: 'openedAt', pt: 'Aberto em', en: 'Opened at', fr: 'Ouvert le' },
  { kind: 'time', from: 'closedAt', pt: 'Fechado em', en: 'Closed at', fr: 'Fermé le' },
  { kind: 'text', from: 'cashier', pt: 'Caixa', en: 'Cashier', fr: 'Caissier' },
  {
    kind: 'code',
    from: 'status',
    words: SHIFT_STATUS_WORDS,
    pt: 'Estado',
    en: 'Status',
    fr: 'État',
  },
  { kind: 'money', from: 'takenMinor', currency: 'currency', pt: 'Recebido', en: 'Taken', fr: 'Encaissé' },
  { kind: 'money', from: 'refundedMinor', currency: 'currency', pt: 'Devolvido', en: 'Refunded', fr: 'Remboursé' },
  { kind: 'money', from: 'netMinor', currency: 'currency', pt: 'Líquido', en: 'Net', fr: 'Net' },
  {
    kind: 'money',
    from: 'openingMinor',
    currency: 'currency',
    pt: 'Fundo de caixa',
    en: 'Opening cash',
    fr: 'Fonds de caisse',
  },
  {
    kind: 'money',
    from: 'salesMinor',
    currency: 'currency',
    pt: 'Vendas em dinheiro',
    en: 'Cash sales',
    fr: 'Espèces',
  },
  { kind: 'money', from: 'inMinor', currency: 'currency', pt: 'Entradas', en: 'Cash in', fr: 'Entrées' },
  { kind: 'money', from: 'outMinor', currency: 'currency', pt: 'Saídas', en: 'Cash out', fr: 'Sorties' },
  {
    kind: 'money',
    from: 'expectedMinor',
    currency: 'currency',
    pt: 'Dinheiro esperado',
    en: 'Expected cash',
    fr: 'Espèces attendues',
  },
  {
    kind: 'money',
    from: 'countedMinor',
    currency: 'currency',
    pt: 'Dinheiro contado',
    en: 'Counted cash',
    fr: 'Espèces comptées',
  },
  { kind: 'money', from: 'differenceMinor', currency: 'currency', pt: 'Diferença', en: 'Difference', fr: 'Écart' },
  { kind: 'code', from: 'currency', pt: 'Moeda', en: 'Currency', fr: 'Devise' },
  { kind: 'text', from: 'note', pt: 'Nota', en: 'Note', fr: 'Note' },
  { kind: 'code', from: 'id', pt: 'Id', en: 'Id', fr: 'Id' },
] as const satisfies CsvColumn<string>[];

/** Adds the sums to the rows of a file. A shift without cash has empty cells for it. */
export async function* withSums(db: Db, batches: AsyncGenerator<Shift[]>) {
  for await (const shifts of batches) {
    const names = await readNames(db, shifts);
    const sums = await sumShifts(db, shifts);
    yield shifts.map((shift) => fileRow(shift, sums.get(shift.id) as ShiftSums, names));
  }
}

function fileRow(shift: Shift, sums: ShiftSums, names: Names) {
  const { id, status, openedAt, closedAt, note } = shift;
  const { takenMinor, refundedMinor } = totalsOf(sums);
  const { sale: salesMinor, in: inMinor, out: outMinor } = sums.cash;
  const cash = shift.takesCash ? { ...cashOf(shift, sums), salesMinor, inMinor, outMinor } : NO_CASH;
  const netMinor = addMinor(takenMinor, -refundedMinor);
  const cashier = names.get(shift.userId) ?? '';
  const about = { id, status, openedAt, closedAt, note, cashier, currency: SHIFT_CURRENCY };
  return { ...about, takenMinor, refundedMinor, netMinor, ...cash };
}

const NO_CASH = {
  openingMinor: null,
  salesMinor: null,
  inMinor: null,
  outMinor: null,
  expectedMinor: null,
  countedMinor: null,
  differenceMinor: null,
};
