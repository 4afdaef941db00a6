// Query schemas of the books, and the API view of a movement.
import { z } from 'zod';
import { MOVEMENT_TYPES } from '../../shared/books.ts';
import { addMinor, toMajor } from '../../shared/money.ts';
import type { Core } from '../core.ts';
import { fault } from '../http/validate.ts';
import { cursorQuery, nextPage } from '../http/cursor.ts';
import { moment, oneOf, UUID } from '../http/fields.ts';
import { typeOf, type Movement } from './movements.ts';

/** Checks that `from` is not after `to`, even if other fields are invalid. */
const inOrder = {
  path: ['to'],
  ...fault('date_range'),
  when: ({ value }: { value: unknown }) => {
    const { from, to } = (value ?? {}) as { from?: unknown; to?: unknown };
    return from instanceof Date && to instanceof Date;
  },
};

/** A name that a rail or a merchant chose. */
export const givenName = z.string().min(1).max(100).optional();

/** Query of `GET /api/transactions`. */
export const movementQuery = z
  .object({
    ...cursorQuery(1_000, 100, 'Movements at most'),
    from: moment.optional().describe('Occurred at or after (ISO 8601)'),
    to: moment.optional().describe('Occurred before (ISO 8601)'),
    period: givenName.describe('Clearing period. Unique only with `account`, because each rail has its own periods'),
    account: givenName.describe('`account.id` of a movement'),
    type: oneOf(MOVEMENT_TYPES).meta({ override: { type: 'string', enum: [...MOVEMENT_TYPES] } }),
    reference: givenName.describe('The payment’s `reference`'),
  })
  .refine(({ from, to }) => !from || !to || from <= to, inOrder);

/** Rail accounts by id, with their labels. An account from the node's settings has its id as label. */
export type Accounts = ReadonlyMap<string, { id: string; label: string }>;

/** Returns the rail accounts of the given rows. */
export async function findAccounts({ rails }: Pick<Core, 'rails'>, rows: { rail: string }[]): Promise<Accounts> {
  const ids = [...new Set(rows.map(({ rail }) => rail))];
  const labels = await Promise.all(ids.map(async (id) => (UUID.test(id) ? (await rails.find(id))?.label : null)));
  return new Map(ids.map((id, nth) => [id, { id, label: labels[nth] ?? id }]));
}

export const account = z.object({
  id: z.string().describe('Id of one of your rail accounts, or of the gateway’s account'),
  label: z.string(),
});

/** Builds the API view of one movement. */
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

/** Returns a movement's gross amount (negative for a refund) and its share of the bank's credit, in minor units. */
export function sumMovement(movement: Movement): { grossMinor: number; netMinor: number } {
  const { amountMinor, feeMinor, refundMethod } = movement;
  if (!refundMethod) return { grossMinor: amountMinor, netMinor: addMinor(amountMinor, -(feeMinor ?? 0)) };
  return { grossMinor: -amountMinor, netMinor: refundMethod === 'manual' ? 0 : -amountMinor };
}

export const movement = z
  .object({
    id: z.uuid().describe('Id of the transaction or of the refund'),
    type: z.enum(MOVEMENT_TYPES).describe('`refund`: by the rail. `manual`: by hand, outside of the rail'),
    paymentId: z.uuid(),
    reference: z.string().describe('The payment’s reference'),
    paymentMethod: z.string().describe('The payment’s method'),
    documentNumber: z.string().nullable().describe('The payer’s document, mostly the tax number (NIF)'),
    account: account.describe('Rail account of the movement'),
    providerRef: z.string().nullable().describe('The rail’s id of the transaction'),
    clearingPeriod: z.string().describe('The rail’s name of the period, else the day that ends at 20:00 in Luanda'),
    transactionNumber: z.string().nullable(),
    gross: z.number().describe('Negative for a refund'),
    fee: z.number().nullable().describe('The rail’s fee. Null if the rail does not report it'),
    refunded: z.number().describe('Refunded later. Each refund is a movement too'),
    net: z.number().describe('Part of the bank’s credit: gross less fee. 0 for a refund by hand'),
    currency: z.string(),
    occurredAt: z.iso.datetime(),
    recordedAt: z.iso.datetime(),
    late: z.boolean().describe('The payment was final before. For a refund: it had failed or was canceled before'),
  })
  .meta({ id: 'Movement' });

/** The response of `GET /api/transactions`. */
export const movementPage = z.object({ data: z.array(movement), next: nextPage });
