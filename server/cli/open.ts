// What has no outcome yet, as conditions for queries: of the attempts of payments, their references, and terminals.
import { expressionBuilder, type Expression, type SqlBool } from 'kysely';
import type { Tables } from '../database/db.ts';

const of = expressionBuilder<Tables, 'attempts' | 'payment_references' | 'terminals'>();

export function isOpenAttempt(): Expression<SqlBool> {
  return of('attempts.status', 'in', ['Unsent', 'Unreached', 'Sent']);
}

/** The rail was not told yet that it can be paid, or not that it cannot be paid any more. */
export function isOpenReference(): Expression<SqlBool> {
  return of.or([
    of.and([of('payment_references.status', '=', 'Pending'), of('payment_references.registeredAt', 'is', null)]),
    of.and([of('payment_references.status', '<>', 'Pending'), of('payment_references.withdrawnAt', 'is', null)]),
  ]);
}

export function isOpenTerminal(): Expression<SqlBool> {
  return of('terminals.status', 'in', ['Opening', 'Closing']);
}
