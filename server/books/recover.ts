// Money of an order that nobody here knows any more, since the database lost its last moments: where the rail says whose it was, its
// payment is made again, with a flag.
import { randomUUID } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import type { Core } from '../core.ts';
import { prepared, type Db } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { recordAudit, type Actor } from '../audit/record.ts';
import { UUID } from '../http/fields.ts';
import { applyWithin } from '../payments/core/apply-outcome.ts';
import { makePayment } from '../payments/core/new-payment.ts';
import type { Payment } from '../payments/core/entities.ts';
import { insertWithin } from '../payments/core/insert.ts';
import { methodOf } from '../payments/core/method.ts';
import '../payments/methods.ts';
import { withFlag } from '../payments/core/record-transaction.ts';
import { changePayment, findAttempt, insertAttempt, lockPayment } from '../payments/core/rows.ts';
import type { Entry, Rail } from './statement.ts';

/** A payment that was made, or found its money, by the rail's books alone. */
const FLAG = 'recovered';

/**
 * What became of such money. `known`: another run, or its own notification, was first. For a person: the rail does not say what was
 * ordered (`unnamed`), nobody or several here are meant (`nobody`), it took something else than was ordered (`amount`), does not say
 * the same when it is asked (`unconfirmed`), or what it names here cannot have such an order (`other`).
 */
export type Recovery = 'recovered' | 'known' | 'unnamed' | 'nobody' | 'amount' | 'unconfirmed' | 'other';

type Order = NonNullable<Entry['order']>;
type Confirmed = Awaited<ReturnType<Awaited<ReturnType<Core['rails']['gpo']>>['query']>>;
type Lost = { attemptId: string; railId: string; merchantId: string; entry: Entry; order: Order; confirmed: Confirmed };

/** With the payment, where one has the money now. */
export type Recovered = { recovery: Recovery; paymentId: string | null };

/** Makes the payment of such money again, once, however many do it at once. @param actor null: only says what would become of it */
export async function recoverPayment(core: Core, rail: Rail, entry: Entry, actor: Actor | null): Promise<Recovered> {
  const found = await confirm(core, rail, entry);
  if (typeof found === 'string') return { recovery: found, paymentId: null };
  if (!actor) return { recovery: 'recovered', paymentId: null };
  try {
    const recovered = await inTransaction(core, (db) => recoverWithin(core, db, { ...found, actor }));
    if (recovered.recovery === 'recovered') core.changes.publish(`payment:${recovered.paymentId}`);
    return recovered;
  } catch (error) {
    // Another committed the same first.
    if ((error as { code?: string }).code !== '23505') throw error;
    const attempt = await findAttempt.first(core, { id: found.attemptId });
    return { recovery: attempt ? 'known' : 'other', paymentId: attempt?.paymentId ?? null };
  }
}

/** All that is needed, or why there is nothing to be made of it. */
async function confirm(core: Core, rail: Rail, entry: Entry): Promise<Lost | Recovery> {
  const { order, ownId } = entry;
  if (!order || !ownId || !UUID.test(ownId)) return 'unnamed';
  if (order.currency !== entry.currency || order.amountMinor !== entry.amountMinor) return 'amount';
  const merchantId = await findOwner(core, rail, order);
  if (!merchantId) return 'nobody';
  // One line of a list is no proof: the order itself is asked about.
  const asked = { kind: 'purchase', attemptId: ownId, railOrderId: null, sentAt: core.clock.now() } as const;
  const confirmed = await (await core.rails.gpo(rail.id)).query(asked);
  const isSame = confirmed.result === 'approved' && confirmed.providerRef === entry.providerRef;
  if (!isSame || confirmed.amountMinor !== entry.amountMinor) return 'unconfirmed';
  return { attemptId: ownId, railId: rail.id, merchantId, entry, order, confirmed };
}

/** Never guessed: whom the order named when it went out; else whose account, or whose GPO id it is, where that is one alone. */
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

/** The payment, its order and its money, all or nothing. */
async function recoverWithin(core: Core, db: Db, lost: Lost & { actor: Actor }): Promise<Recovered> {
  const { attemptId, railId, merchantId, order, confirmed, actor } = lost;
  const at = core.clock.now();
  const since = await findAttempt.first(db, { id: attemptId });
  if (since) return { recovery: 'known', paymentId: since.paymentId };
  const namedId = order.ours && UUID.test(order.ours.paymentId) ? order.ours.paymentId : null;
  const known = namedId ? await lockPayment.first(db, { id: namedId }) : null;
  if (known && !isPushed(known, merchantId)) return { recovery: 'other', paymentId: null };
  if (known) await changePayment.run(db, { id: known.id, set: { flags: withFlag(known, FLAG) } });
  const payment = known ?? (await insertPayment(db, namedId ?? uuid(), lost, at));
  const times = { createdAt: at, sentAt: at, dueAt: at };
  const asked = { id: attemptId, paymentId: payment.id, kind: 'purchase', rail: railId, phone: order.phone } as const;
  await insertAttempt.run(db, { row: { ...asked, status: 'Sent', ...times } });
  await applyWithin(core, db, attemptId, confirmed);
  await recordAudit(db, { merchantId, actor, action: 'payment.recovered', target: payment.id, at });
  return { recovery: 'recovered', paymentId: payment.id };
}

/** A page may have been there before its payer's last push was lost. */
function isPushed(payment: Payment, merchantId: string): boolean {
  return payment.merchantId === merchantId && methodOf(payment).asks === 'purchase';
}

/** As it was ordered. It waits for its money, and takes nobody's place: not even a twin's that was begun since. */
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
  await insertWithin(db, { payment, events, attempt: null, key: null });
  return payment;
}
