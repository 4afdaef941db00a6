// Capturing: the authorization is claimed and the capture written in one transaction; races decide at its row (decisions §3).
import { compareMinor, toDecimal } from '../../shared/money.ts';
import type { Core } from '../core.ts';
import { inTransaction } from '../database/orm.ts';
import type { Db } from '../database/db.ts';
import { UUID } from '../http/fields.ts';
import { invalid, Problem } from '../http/problem.ts';
import { findStored } from '../http/stored.ts';
import type { Payment } from './entities.ts';
import { claimHold } from './hold.ts';
import { findWritten, insertWithin, isAnswerLost, type Creation, type Found } from './insert.ts';
import { lockOwn } from './rows.ts';
import type { GpoCreation } from './schemas.ts';

/**
 * Writes a capture unless its key is found.
 * @throws Problem authorization_not_found, capture_exceeds_authorization, authorization_currency (400),
 * authorization_busy, authorization_not_capturable (409)
 */
export async function insertCapture(core: Core, creation: Creation, request: GpoCreation): Promise<Found> {
  const claim = () => inTransaction(core, (db) => claimAuthorization(db, creation, request));
  try {
    return await claim();
  } catch (error) {
    // The same key was committed meanwhile: the second run finds it.
    if ((error as { code?: string }).code === '23505') return claim();
    if (!isAnswerLost(error)) throw error;
    return findWritten(core, creation, error);
  }
}

async function claimAuthorization(db: Db, creation: Creation, request: GpoCreation): Promise<Found> {
  const { payment, attempt, key } = creation;
  if (!attempt) throw new Error(`capture ${payment.id} asks the rail for nothing`);
  const metadata = request.metadata ?? {};
  const held = await lockAuthorization(db, payment.merchantId, metadata.authorizationId ?? '');
  // Looked for after the lock: what answered this key before may be what used the authorization up.
  const keyed = key && (await findStored(db, payment.merchantId, key.key));
  if (keyed) return { keyed, busyId: null, isTerminalClosed: false, isReferenceTaken: false };
  if (!held || held.paymentMethod !== 'authorization')
    throw invalid([{ pointer: '/metadata/authorizationId', code: 'authorization_not_found' }]);
  if (held.operation) throw new Problem('authorization_busy');
  if (held.status !== 'Authorized') throw new Problem('authorization_not_capturable');
  refuseExcess(payment, held);
  // Money is taken where it was reserved, unless the request says otherwise.
  if (!metadata.gpo_merchant_id) payment.gpoMerchantId = held.gpoMerchantId ?? null;
  if (!metadata.gpo_pos_id) payment.gpoPosId = held.gpoPosId ?? null;
  // Where references are unique a capture may carry on its authorization's.
  if (payment.reference === held.reference) payment.referenceClaim = null;
  const found = await insertWithin(db, creation);
  // Another request of this key came first, after the look above: what did not become a capture claims nothing.
  if (found.keyed || found.isReferenceTaken) return found;
  await claimHold(db, held.id, 'capturing', attempt.id);
  return found;
}

async function lockAuthorization(db: Db, merchantId: string, id: string): Promise<Payment | null> {
  if (!UUID.test(id)) return null;
  return lockOwn.first(db, { id, merchantId });
}

/** No more than what the rail really reserved. */
function refuseExcess(payment: Payment, held: Payment): void {
  const { currency } = held;
  const authorizedMinor = held.authorizedMinor ?? 0;
  if (payment.currency !== currency)
    throw invalid([{ pointer: '/currency', code: 'authorization_currency', params: { currency } }]);
  if (compareMinor(payment.amountMinor, authorizedMinor) !== 'more') return;
  const params = { authorized: toDecimal(authorizedMinor, currency), currency };
  throw invalid([{ pointer: '/amount', code: 'capture_exceeds_authorization', params }]);
}
