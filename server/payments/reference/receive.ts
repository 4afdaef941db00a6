// Records money for references. It comes from notifications, lists and syncs, each any number of times.
import { v7 as uuid } from 'uuid';
import { toDecimal } from '../../../shared/money.ts';
import type { Core } from '../../core.ts';
import { em, prepared, type Db } from '../../database/db.ts';
import { inTransaction } from '../../database/orm.ts';
import { recordEvent } from '../../events/record.ts';
import { pprLeaseMs } from '../../jobs/schedule.ts';
import { Merchant } from '../../merchants/entities.ts';
import type { ReferencePayment } from '../../providers/provider.ts';
import {
  acceptAny,
  findTransaction,
  filterUnrecorded,
  acceptOnce,
  recordTransaction,
  type Receiver,
  type Via,
} from '../core/record-transaction.ts';
import { findPayment, findReferenceOf } from '../core/rows.ts';
import type { PaymentWithReference, Payment, Reference } from '../core/entities.ts';
import { findReferenceOfMoney, lockPair, unknownId } from './find.ts';
import { syncRegistration } from './registration.ts';
import { closeReplacement, flagIfPaidBefore } from '../core/paid-twice.ts';
import { transitionReference } from './states.ts';
import { wakeFeed } from '../../rails/feed.ts';
import { insertMessage } from '../../rails/inbox.ts';

/** `unknown_reference`: the inbox keeps money for unknown digits. `no_room`: this read of a list may keep no more. */
type Received = 'changed' | 'unchanged' | 'unknown_reference' | 'no_room';

/**
 * Records money for a reference once, in every status of the reference.
 * @param room the number of entries that a read of a list may still keep. A notification has no such limit
 */
export async function receiveReferencePayment(
  core: Core,
  rail: string,
  money: ReferencePayment,
  via: Via,
  room: { unknown: number } = { unknown: Infinity },
): Promise<Received> {
  const owner = await findReferenceOfMoney(core, rail, money);
  if (!owner && room.unknown <= 0) return 'no_room';
  if (!owner) {
    room.unknown -= 1;
    return keepUnknown(core, rail, money);
  }
  const { received, isClosed } = await inTransaction(core, async (db) => {
    const pair = (await lockPair(db, owner.id)) as PaymentWithReference;
    const receiver = { db, payment: pair.payment, attemptId: null, rail, via, at: core.clock.now() };
    if (await findTransaction.first(db, { rail, providerRef: money.providerRef }))
      return { received: 'unchanged' as const, isClosed: false };
    if (pair.reference.type === 'Dynamic')
      return { received: 'changed' as const, isClosed: await receiveDynamic(core, receiver, pair, money) };
    await recordTransaction(receiver, money, acceptAny(pair.reference.status !== 'Pending'));
    return { received: 'changed' as const, isClosed: false };
  });
  if (received === 'changed') core.changes.publish(`payment:${owner.paymentId}`);
  if (isClosed) core.inBackground(syncRegistration(core, owner.id));
  return received;
}

/** Records money for a Dynamic reference. True if this money closed the reference, so the rail must withdraw it. */
async function receiveDynamic(
  core: Core,
  receiver: Receiver,
  { reference }: PaymentWithReference,
  money: ReferencePayment,
): Promise<boolean> {
  const { db, payment, via, at } = receiver;
  const { details } = await recordTransaction(receiver, money, acceptOnce);
  if (payment.replacedById) await closeReplacement(core, db, payment.id, details);
  await flagIfPaidBefore(db, payment, at, details);
  const now = await findPayment.first(db, { id: payment.id });
  if (now?.status !== 'Paid' || reference.status === 'Paid') return false;
  const dueAt = new Date(at.getTime() + pprLeaseMs(core.config));
  await transitionReference(db, reference, 'pay', { at, dueAt, details: { via } });
  return !reference.closedAt;
}

/** Keeps money for unknown digits once in the inbox. Notifies the merchant if only one merchant has the entity. */
async function keepUnknown(core: Core, rail: string, money: ReferencePayment): Promise<Received> {
  const now = core.clock.now();
  await inTransaction(core, async (db) => {
    const message = { rail, notificationId: unknownId(money.providerRef), body: JSON.stringify(money) };
    const row = { id: uuid(), ...message, receivedAt: now, appliedAt: now, outcome: 'unknown_reference' };
    if ((await insertMessage.run(db, { row })) === 0) return;
    const { entity, reference, amountMinor, currency, providerRef } = money;
    core.log.error({ entity, reference, providerRef }, 'payment for unknown reference');
    const merchantId = await findMerchantOfEntity(core, db, rail, entity);
    if (!merchantId) return;
    const details = { entity, reference, providerRef, amount: toDecimal(amountMinor, currency), currency };
    const event = { merchantId, paymentId: null, type: 'reference.unknown_paid', status: null };
    await recordEvent(db, { ...event, occurredAt: now, details });
  });
  return 'unknown_reference';
}

/**
 * Returns the account's merchant. For the operator's account, returns the merchant if only one has the entity.
 */
async function findMerchantOfEntity(core: Core, db: Db, rail: string, entity: string): Promise<string | null> {
  const account = await core.rails.find(rail);
  if (account?.merchantId) return account.merchantId;
  const [owner, ...others] = await em(db).find(Merchant, { entity }, { limit: 2 });
  return owner && others.length === 0 ? owner.id : null;
}

export async function syncReference(core: Core, payment: Payment): Promise<boolean> {
  const reference = await findReferenceOf(core, payment);
  return reference ? askRail(core, reference, 'sync') : false;
}

/**
 * Handles an unproven rail notification about digits.
 * Queries the account about every reference with these digits, and reads the account's list of payments.
 * @returns false if the rail did not respond; null if the account has no references
 */
export async function applyReferenceHint(core: Core, rail: string, digits: string): Promise<boolean | null> {
  let isAnswered = true;
  for (const reference of await findHinted.all(core, { rail, digits }))
    isAnswered = (await askRail(core, reference, 'notification')) && isAnswered;
  return (await wakeFeed(core, rail)) ? isAnswered : null;
}

const findHinted = prepared((tables, { rail, digits }: { rail: string; digits: string }) =>
  tables
    .selectFrom('payment_references')
    .selectAll()
    .where('rail', '=', rail)
    .where('reference', '=', digits)
    .orderBy('createdAt', 'desc')
    .limit(5),
);

async function askRail(core: Core, reference: Reference, via: Via): Promise<boolean> {
  const { id: referenceId, entity, reference: digits, rail: railId } = reference;
  const rail = await core.rails.ppr(railId);
  const { result, payments } = await rail.query({ referenceId, entity, reference: digits });
  for (const money of await filterUnrecorded(core, railId, payments))
    await receiveReferencePayment(core, railId, money, via);
  // If the account cannot be queried, its list of payments contains the money.
  if (result === 'unsupported') await wakeFeed(core, railId);
  const isConfirmed = reference.status === 'Pending' ? reference.registeredAt : reference.withdrawnAt;
  if (!isConfirmed) await syncRegistration(core, reference.id);
  return result !== 'unknown';
}
