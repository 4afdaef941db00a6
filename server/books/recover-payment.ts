// Recovers payments that the database lost, for example after a restore.
// If the rail names the merchant and the order, the gateway creates the payment again and flags it as `recovered`.
import { randomUUID } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import type { Core } from '../core.ts';
import { prepared, type Db } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { recordAudit, type Actor } from '../audit/record.ts';
import { UUID } from '../http/fields.ts';
import { applyInTransaction } from '../payments/core/apply-outcome.ts';
import { makePayment } from '../payments/core/new-payment.ts';
import type { Payment } from '../payments/core/entities.ts';
import { insertInTransaction } from '../payments/core/insert.ts';
import { methodOf } from '../payments/core/method.ts';
import '../payments/methods.ts';
import { addFlag } from '../payments/core/attention.ts';
import { changePayment, findAttempt, insertAttempt, lockPayment } from '../payments/core/rows.ts';
import type { Entry, Rail } from './statement.ts';

/** The flag of a payment that was created, or paid, only from the rail's list. */
const FLAG = 'recovered';

/**
 * The result for one transaction of the rail. All results after `known` need manual review.
 * - `recovered`: the payment exists again and has its money.
 * - `known`: another run or a notification has recorded the money before.
 * - `unnamed`: the rail does not name the order of the money.
 * - `nobody` (no unique owner): the order names no merchant, or several merchants match.
 * - `amount`: the rail took an amount that differs from the order's.
 * - `unconfirmed`: the rail's response about the order differs from its list.
 * - `other`: the payment that the rail names cannot have such an order.
 */
export type Recovery = 'recovered' | 'known' | 'unnamed' | 'nobody' | 'amount' | 'unconfirmed' | 'other';

type Order = NonNullable<Entry['order']>;
type Confirmed = Awaited<ReturnType<Awaited<ReturnType<Core['rails']['gpo']>>['query']>>;
type Lost = { attemptId: string; railId: string; merchantId: string; entry: Entry; order: Order; confirmed: Confirmed };

/** The result of a recovery. `paymentId` is set if a payment has the money now. */
export type Recovered = { recovery: Recovery; paymentId: string | null };

/**
 * Creates a lost payment again, only once even with concurrent calls.
 * @param actor null for a dry run, which writes nothing
 */
export async function recoverPayment(core: Core, rail: Rail, entry: Entry, actor: Actor | null): Promise<Recovered> {
  const found = await confirm(core, rail, entry);
  if (typeof found === 'string') return { recovery: found, paymentId: null };
  if (!actor) return { recovery: 'recovered', paymentId: null };
  try {
    const recovered = await inTransaction(core, (db) => recoverWithin(core, db, { ...found, actor }));
    if (recovered.recovery === 'recovered') core.changes.publish(`payment:${recovered.paymentId}`);
    return recovered;
  } catch (error) {
    // A concurrent call has committed the same payment first.
    if ((error as { code?: string }).code !== '23505') throw error;
    const attempt = await findAttempt.first(core, { id: found.attemptId });
    return { recovery: attempt ? 'known' : 'other', paymentId: attempt?.paymentId ?? null };
  }
}

/** Collects the facts of a lost payment. Returns the reason instead if the payment cannot be recovered. */
async function confirm(core: Core, rail: Rail, entry: Entry): Promise<Lost | Recovery> {
  const { order, ownId } = entry;
  if (!order || !ownId || !UUID.test(ownId)) return 'unnamed';
  if (order.currency !== entry.currency || order.amountMinor !== entry.amountMinor) return 'amount';
  const merchantId = await findOwner(core, rail, order);
  if (!merchantId) return 'nobody';
  // An entry of a rail's list is no proof, so the gateway queries the rail about the order itself.
  const railQuery = { kind: 'purchase', attemptId: ownId, railOrderId: null, sentAt: core.clock.now() } as const;
  const confirmed = await (await core.rails.gpo(rail.id)).query(railQuery);
  const isSame = confirmed.result === 'approved' && confirmed.providerRef === entry.providerRef;
  if (!isSame || confirmed.amountMinor !== entry.amountMinor) return 'unconfirmed';
  return { attemptId: ownId, railId: rail.id, merchantId, entry, order, confirmed };
}

/** Returns the merchant that the order names, else the account's owner, else the only merchant with its GPO id. */
async function findOwner(core: Core, rail: Rail, { ours, gpoMerchantId }: Order): Promise<string | null> {
  const named = ours?.merchantId ?? rail.merchantId;
  if (named === null) {
    const [owner, ...others] = gpoMerchantId ? await findAssigned.all(core, { gpoMerchantId }) : [];
    return owner && others.length === 0 ? owner.id : null;
  }
  const isOther = rail.merchantId !== null && rail.merchantId !== named;
  if (isOther || !UUID.test(named)) return null;
  return (await findMerchant.first(core, { id: named }))?.id ?? null;
}

const findMerchant = prepared((tables, { id }: { id: string }) =>
  tables.selectFrom('merchants').select('id').where('id', '=', id),
);

const findAssigned = prepared((tables, { gpoMerchantId }: { gpoMerchantId: string }) =>
  tables
    .selectFrom('merchants')
    .select('id')
    .where((eb) => eb(eb.val(gpoMerchantId), '=', eb.fn.any('gpoMerchantIds')))
    .limit((eb) => eb.lit(2)),
);

/** Writes a recovered payment, its attempt and its money in one transaction. */
async function recoverWithin(core: Core, db: Db, lost: Lost & { actor: Actor }): Promise<Recovered> {
  const { attemptId, railId, merchantId, order, confirmed, actor } = lost;
  const at = core.clock.now();
  const recorded = await findAttempt.first(db, { id: attemptId });
  if (recorded) return { recovery: 'known', paymentId: recorded.paymentId };
  const namedId = order.ours && UUID.test(order.ours.paymentId) ? order.ours.paymentId : null;
  const known = namedId ? await lockPayment.first(db, { id: namedId }) : null;
  if (known && !isPushed(known, merchantId)) return { recovery: 'other', paymentId: null };
  if (known) await changePayment.run(db, { id: known.id, set: { flags: addFlag(known, FLAG) } });
  const payment = known ?? (await insertPayment(db, namedId ?? uuid(), lost, at));
  const times = { createdAt: at, sentAt: at, dueAt: at };
  const attempt = { id: attemptId, paymentId: payment.id, kind: 'purchase', rail: railId, phone: order.phone } as const;
  await insertAttempt.run(db, { row: { ...attempt, status: 'Sent', ...times } });
  await applyInTransaction(core, db, attemptId, confirmed);
  await recordAudit(db, { merchantId, actor, action: 'payment.recovered', target: payment.id, at });
  return { recovery: 'recovered', paymentId: payment.id };
}

/** True if the existing payment can have the lost push. A page's payment may be older than its push. */
function isPushed(payment: Payment, merchantId: string): boolean {
  return payment.merchantId === merchantId && methodOf(payment).orderKind === 'purchase';
}

/** Inserts the payment of the order. It reserves no unique reference, because a newer payment may have the same one. */
async function insertPayment(db: Db, id: string, { merchantId, entry, order }: Lost, at: Date): Promise<Payment> {
  const payment = makePayment({
    id,
    merchantId,
    reference: order.ours?.reference ?? order.reference,
    amountMinor: entry.amountMinor,
    currency: entry.currency,
    paymentType: 'GPO',
    paymentMethod: 'onetimepurchase',
    status: 'Pending',
    phone: order.phone,
    gpoMerchantId: order.gpoMerchantId,
    gpoPosId: order.gpoPosId,
    flags: [FLAG],
    attemptsMade: 1,
    createdAt: entry.occurredAt ?? at,
  });
  const events = [{ id: randomUUID(), type: 'payment.created' }];
  await insertInTransaction(db, { payment, events, attempt: null, key: null });
  return payment;
}
