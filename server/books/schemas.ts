// What of the books may be asked, and how a movement of money is shown.
import { z } from 'zod';
import { MOVEMENT_TYPES } from '../../shared/books.ts';
import { addMinor, toMajor } from '../../shared/money.ts';
import type { Core } from '../core.ts';
import { fault } from '../http/validate.ts';
import { cursorQuery, nextPage } from '../http/cursor.ts';
import { moment, oneOf, UUID } from '../http/fields.ts';
import { typeOf, type Movement } from './movements.ts';

/** Beside other faults, as soon as both ends are dates. */
const inOrder = {
  path: ['to'],
  ...fault('date_range'),
  when: ({ value }: { value: unknown }) => {
    const { from, to } = (value ?? {}) as { from?: unknown; to?: unknown };
    return from instanceof Date && to instanceof Date;
  },
};

/** What something is called by somebody else. */
export const name = z.string().min(1).max(100).optional();

/** Query of `GET /api/transactions`. */
export const movementQuery = z
  .object({
    ...cursorQuery(1_000, 100, 'Movements at most'),
    from: moment.optional().describe('Occurred at or after (ISO 8601)'),
    to: moment.optional().describe('Occurred before (ISO 8601)'),
    period: name.describe('Clearing period; with `account` it is one, as each rail counts on its own'),
    account: name.describe('`account.id` of a movement'),
    type: oneOf(MOVEMENT_TYPES).meta({ override: { type: 'string', enum: [...MOVEMENT_TYPES] } }),
    reference: name.describe('The payment’s `reference`'),
  })
  .refine(({ from, to }) => !from || !to || from <= to, inOrder);

/** Rail accounts by their ids, as people know them: those of the node's settings have no other name. */
export type Accounts = ReadonlyMap<string, { id: string; label: string }>;

/** The accounts of some rows. */
export async function findAccounts({ rails }: Pick<Core, 'rails'>, rows: { rail: string }[]): Promise<Accounts> {
  const ids = [...new Set(rows.map(({ rail }) => rail))];
  const labels = await Promise.all(ids.map(async (id) => (UUID.test(id) ? (await rails.find(id))?.label : null)));
  return new Map(ids.map((id, nth) => [id, { id, label: labels[nth] ?? id }]));
}

export const account = z.object({
  id: z.string().describe('Of one of your rail accounts, or the gateway’s own'),
  label: z.string(),
});

/** One movement. */
export function viewMovement(movement: Movement, accounts: Accounts) {
  const { id, paymentId, reference, rail, providerRef, period, transactionNumber, currency, feeMinor } = movement;
  const { occurredAt, recordedAt, late, paymentMethod, documentNumber } = movement;
  const sums = sumMovement(movement);
  return {
    id,
    type: typeOf(movement),
    paymentId,
    reference,
    paymentMethod,
    documentNumber,
    account: accounts.get(rail) ?? { id: rail, label: rail },
    providerRef,
    clearingPeriod: period,
    transactionNumber,
    gross: toMajor(sums.grossMinor, currency),
    fee: feeMinor === null ? null : toMajor(feeMinor, currency),
    refunded: toMajor(movement.refundedMinor, currency),
    net: toMajor(sums.netMinor, currency),
    currency,
    occurredAt,
    recordedAt,
    late,
  };
}

/** What a movement brings, below zero where money went back, and what the bank's credit has of it. */
export function sumMovement(movement: Movement): { grossMinor: number; netMinor: number } {
  const { amountMinor, feeMinor, refundMethod } = movement;
  if (!refundMethod) return { grossMinor: amountMinor, netMinor: addMinor(amountMinor, -(feeMinor ?? 0)) };
  return { grossMinor: -amountMinor, netMinor: refundMethod === 'manual' ? 0 : -amountMinor };
}

export const movement = z
  .object({
    id: z.uuid().describe('Of the transaction, or of the refund'),
    type: z.enum(MOVEMENT_TYPES).describe('`refund`: by the rail; `manual`: given back by hand, outside of it'),
    paymentId: z.uuid(),
    reference: z.string().describe('The payment’s'),
    paymentMethod: z.string().describe('The payment’s'),
    documentNumber: z
      .string()
      .nullable()
      .describe('The payer’s, as it was given or asked: mostly the tax number (NIF)'),
    account: account.describe('Whose money it is in or out of'),
    providerRef: z.string().nullable().describe('The rail’s id of it'),
    clearingPeriod: z.string().describe('As the rail calls it; else the day that ends at 20:00 in Luanda'),
    transactionNumber: z.string().nullable(),
    gross: z.number().describe('Below zero where money went back'),
    fee: z.number().nullable().describe('What the rail keeps of it, where it tells'),
    refunded: z.number().describe('What of it was given back since: each time a movement of its own'),
    net: z.number().describe('What the bank’s credit has of it: gross less fee; 0 of what was given back by hand'),
    currency: z.string(),
    occurredAt: z.iso.datetime(),
    recordedAt: z.iso.datetime(),
    late: z.boolean().describe('The payment was over before; of a refund: it had failed or was canceled here'),
  })
  .meta({ id: 'Movement' });

/** Answer of `GET /api/transactions`. */
export const movementPage = z.object({ data: z.array(movement), next: nextPage });
