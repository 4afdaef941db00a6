// Inserts a capture and claims its authorization, in one transaction.
import { compareMinor, toDecimal } from '../../../shared/money.ts';
import type { Core } from '../../core.ts';
import type { Db } from '../../database/db.ts';
import { inTransaction, repeatOnDuplicate } from '../../database/orm.ts';
import { UUID } from '../../http/fields.ts';
import { findStored } from '../../http/idempotency.ts';
import { invalidFields, Problem } from '../../http/problem.ts';
import { claimHold } from './authorization.ts';
import type { Attempt, Payment } from '../core/entities.ts';
import { insertInTransaction, NO_CONFLICT, type Creation, type InsertConflicts } from '../core/insert.ts';
import { findCreatingAttempt, lockOwn } from '../core/rows.ts';
import type { RequestMetadata } from '../core/method.ts';

/**
 * Inserts a capture, unless its idempotency key was used before.
 * @throws Problem authorization_not_found, capture_exceeds_authorization, authorization_currency (400),
 * authorization_busy, authorization_not_capturable (409)
 */
export async function insertCapture(
  core: Core,
  creation: Creation,
  metadata: RequestMetadata,
): Promise<InsertConflicts> {
  // A concurrent request with the same key may commit first. Then the second run finds its stored response.
  return repeatOnDuplicate(() => inTransaction(core, (db) => claimWithin(db, creation, metadata)));
}

async function claimWithin(db: Db, creation: Creation, metadata: RequestMetadata): Promise<InsertConflicts> {
  const { payment, attempt, key } = creation;
  const { merchantId, authorizationId } = payment;
  if (!attempt) throw new Error(`capture ${payment.id} asks the rail for nothing`);
  const isId = authorizationId && UUID.test(authorizationId);
  const held = isId ? await lockOwn.first(db, { id: authorizationId, merchantId }) : null;
  // The key is read after the lock, because the first request with this key may have used the authorization.
  const keyed = key && (await findStored.first(db, { merchantId, key: key.key }));
  if (keyed) return { ...NO_CONFLICT, keyed };
  refuse(payment, held);
  drawOn(creation, held, await findCreatingAttempt(db, held.id, 'authorization'), metadata);
  const found = await insertInTransaction(db, creation);
  // A concurrent request with this key came first. Without a new capture, the authorization is not claimed.
  if (found.keyed || found.isReferenceTaken) return found;
  await claimHold(db, held.id, 'capturing', attempt.id);
  return found;
}

function refuse(payment: Payment, held: Payment | null): asserts held is Payment {
  if (!held || held.paymentMethod !== 'authorization')
    throw invalidFields([{ pointer: '/metadata/authorizationId', code: 'authorization_not_found' }]);
  if (held.operation) throw new Problem('authorization_busy');
  if (held.status !== 'Authorized') throw new Problem('authorization_not_capturable');
  refuseExcess(payment, held);
}

function drawOn(
  { payment, attempt }: Creation,
  held: Payment,
  maker: Pick<Attempt, 'id' | 'rail'>,
  metadata: RequestMetadata,
): void {
  // The capture uses the GPO ids of its authorization, unless the request names others.
  if (!metadata.gpo_merchant_id) payment.gpoMerchantId = held.gpoMerchantId ?? null;
  if (!metadata.gpo_pos_id) payment.gpoPosId = held.gpoPosId ?? null;
  // A capture may share the unique reference of its authorization.
  if (payment.reference === held.reference) payment.referenceClaim = null;
  // The rail account that holds the money also executes the capture.
  if (attempt) Object.assign(attempt, { rail: maker.rail, makerId: maker.id });
}

/** A capture takes at most the sum that the rail reserved. */
function refuseExcess(payment: Payment, held: Payment): void {
  const { currency } = held;
  const authorizedMinor = held.authorizedMinor ?? 0;
  if (payment.currency !== currency)
    throw invalidFields([{ pointer: '/currency', code: 'authorization_currency', params: { currency } }]);
  if (compareMinor(payment.amountMinor, authorizedMinor) !== 'more') return;
  const params = { authorized: toDecimal(authorizedMinor, currency), currency };
  throw invalidFields([{ pointer: '/amount', code: 'capture_exceeds_authorization', params }]);
}
