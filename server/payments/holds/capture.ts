// A capture: written with others of the same moment, each with the claim of its authorization, or alone, which says why it cannot be.
import { compareMinor, toDecimal } from '../../../shared/money.ts';
import type { Core } from '../../core.ts';
import { createPoolWriter, eachId, prepared, type Db } from '../../database/db.ts';
import { inTransaction } from '../../database/orm.ts';
import { UUID } from '../../http/fields.ts';
import { findStored } from '../../http/idempotency.ts';
import { invalid, Problem } from '../../http/problem.ts';
import { claimHold } from './authorization.ts';
import type { Attempt, Payment } from '../entities.ts';
import { insertCaptures, insertWithin, isFaultOfRows, WRITTEN, type Creation, type Obstacles } from '../insert.ts';
import { findMaker, isDeclined, lockOwn } from '../rows.ts';
import type { GpoCreation } from '../schemas.ts';

type Metadata = NonNullable<GpoCreation['metadata']>;

/**
 * Writes a capture unless its key is found.
 * @throws Problem authorization_not_found, capture_exceeds_authorization, authorization_currency (400),
 * authorization_busy, authorization_not_capturable (409)
 */
export async function insertCapture(core: Core, creation: Creation, request: GpoCreation): Promise<Obstacles> {
  const metadata = request.metadata ?? {};
  if (await insertTogether(core, creation, metadata)) return WRITTEN;
  return insertAlone(core, creation, metadata);
}

/** Whether it was written with others, by what was read of its authorization before; where anything is in its way it was not. */
async function insertTogether(core: Core, creation: Creation, metadata: Metadata): Promise<boolean> {
  const { payment } = creation;
  const { authorizationId } = payment;
  const held = authorizationId && UUID.test(authorizationId) ? await readerOf(core)(authorizationId) : null;
  if (!held || held.merchantId !== payment.merchantId) return false;
  try {
    refuse(payment, held);
  } catch {
    // Perhaps because its key was used before: that is looked for under the lock.
    return false;
  }
  drawOn(creation, held, { id: held.makerId, rail: held.makerRail }, metadata);
  try {
    return await writerOf(core)({ ...creation, heldRevision: held.revision });
  } catch (error) {
    // A statement fails as a whole, whichever of them was wrong.
    if (isFaultOfRows(error)) return false;
    throw error;
  }
}

/** With one of each under way, the next gather meanwhile. */
const BATCH = { statements: 1, rows: 64 };

const writerOf = createPoolWriter<Core, Creation, boolean>((core, captures) => insertCaptures(core, captures), BATCH);

const readerOf = createPoolWriter<Core, string, Hold | null>(async (core, ids) => {
  const found = await findHolds.all(core, { ids });
  const byId = new Map(found.map((held) => [held.id, held]));
  return ids.map((id) => byId.get(id) ?? null);
}, BATCH);

const KNOWN = [
  'id',
  'merchantId',
  'revision',
  'reference',
  'currency',
  'paymentMethod',
  'status',
  'operation',
  'authorizedMinor',
  'gpoMerchantId',
  'gpoPosId',
] as const satisfies (keyof Payment)[];

/** What a capture must know of its authorization. */
type Known = Pick<Payment, (typeof KNOWN)[number]>;

/** The same with the attempt that made it. */
type Hold = Known & { makerId: string; makerRail: string };

const findHolds = prepared((tables, { ids }: { ids: string[] }) =>
  tables
    .selectFrom(eachId(ids))
    .innerJoinLateral(
      (eb) => eb.selectFrom('payments').select(KNOWN).whereRef('payments.id', '=', 'each.id').limit(1).as('held'),
      (join) => join.onTrue(),
    )
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom('attempts')
          .select(['attempts.id as makerId', 'attempts.rail as makerRail'])
          .whereRef('attempts.paymentId', '=', 'each.id')
          .where('attempts.kind', '=', 'authorization')
          .orderBy(isDeclined)
          .orderBy('attempts.createdAt', 'desc')
          .limit(1)
          .as('maker'),
      (join) => join.onTrue(),
    )
    .selectAll('held')
    .select(['makerId', 'makerRail']),
);

async function insertAlone(core: Core, creation: Creation, metadata: Metadata): Promise<Obstacles> {
  const claim = () => inTransaction(core, (db) => claimWithin(db, creation, metadata));
  try {
    return await claim();
  } catch (error) {
    // The same key was committed meanwhile: the second run finds it.
    if ((error as { code?: string }).code === '23505') return claim();
    throw error;
  }
}

async function claimWithin(db: Db, creation: Creation, metadata: Metadata): Promise<Obstacles> {
  const { payment, attempt, key } = creation;
  const { merchantId, authorizationId } = payment;
  if (!attempt) throw new Error(`capture ${payment.id} asks the rail for nothing`);
  const isId = authorizationId && UUID.test(authorizationId);
  const held = isId ? await lockOwn.first(db, { id: authorizationId, merchantId }) : null;
  // Looked for after the lock: what answered this key before may be what used the authorization up.
  const keyed = key && (await findStored(db, merchantId, key.key));
  if (keyed) return { ...WRITTEN, keyed };
  refuse(payment, held);
  drawOn(creation, held, await findMaker(db, held.id, 'authorization'), metadata);
  const found = await insertWithin(db, creation);
  // Another request of this key came first, after the look above: what did not become a capture claims nothing.
  if (found.keyed || found.isReferenceTaken) return found;
  await claimHold(db, held.id, 'capturing', attempt.id);
  return found;
}

/** @throws Problem why nothing can be drawn on it */
function refuse(payment: Payment, held: Known | null): asserts held is Known {
  if (!held || held.paymentMethod !== 'authorization')
    throw invalid([{ pointer: '/metadata/authorizationId', code: 'authorization_not_found' }]);
  if (held.operation) throw new Problem('authorization_busy');
  if (held.status !== 'Authorized') throw new Problem('authorization_not_capturable');
  refuseExcess(payment, held);
}

function drawOn(
  { payment, attempt }: Creation,
  held: Known,
  maker: Pick<Attempt, 'id' | 'rail'>,
  metadata: Metadata,
): void {
  // Money is taken where it was reserved, unless the request says otherwise.
  if (!metadata.gpo_merchant_id) payment.gpoMerchantId = held.gpoMerchantId ?? null;
  if (!metadata.gpo_pos_id) payment.gpoPosId = held.gpoPosId ?? null;
  // Where references are unique a capture may carry on its authorization's.
  if (payment.reference === held.reference) payment.referenceClaim = null;
  // The account that holds the money takes it.
  if (attempt) Object.assign(attempt, { rail: maker.rail, makerId: maker.id });
}

/** No more than what the rail really reserved. */
function refuseExcess(payment: Payment, held: Known): void {
  const { currency } = held;
  const authorizedMinor = held.authorizedMinor ?? 0;
  if (payment.currency !== currency)
    throw invalid([{ pointer: '/currency', code: 'authorization_currency', params: { currency } }]);
  if (compareMinor(payment.amountMinor, authorizedMinor) !== 'more') return;
  const params = { authorized: toDecimal(authorizedMinor, currency), currency };
  throw invalid([{ pointer: '/amount', code: 'capture_exceeds_authorization', params }]);
}
