// Registers references at the rail and withdraws them. The gateway repeats each call until the rail confirms it.
import { addDays, dayOf, startOf } from '../../../shared/luanda.ts';
import type { Core } from '../../core.ts';
import { inTransaction } from '../../database/orm.ts';
import { isAny, prepared, type Db } from '../../database/db.ts';
import { nextQueryAt, pprLeaseMs } from '../../jobs/schedule.ts';
import { recordEvent } from '../../events/record.ts';
import type { ReferenceOrder, RegistrationOutcome } from '../../providers/provider.ts';
import type { PprAccount } from '../../rails/rail.ts';
import type { PaymentWithReference, Reference } from '../core/entities.ts';
import { lockPair } from './find.ts';
import { changeAsRead, findReference, type ReferenceChange } from './states.ts';
import { changePayment, findPayment } from '../core/rows.ts';
import { MINUTE_MS } from '../../../shared/durations.ts';

/**
 * Registers or withdraws a reference at the rail, according to its status.
 * An error is not thrown: the job of the due row tries again.
 */
export async function syncRegistration(core: Core, referenceId: string): Promise<void> {
  try {
    const reference = await findReference.first(core, { id: referenceId });
    const payment = reference && (await findPayment.first(core, { id: reference.paymentId }));
    if (!payment) return;
    const pair = { payment, reference };
    if (reference.status !== 'Pending') return await withdrawAtRail(core, pair);
    if (!reference.registeredAt) return await registerAtRail(core, pair);
    await setDue(core, pair, reference.expiresAt);
  } catch (error) {
    core.log.error({ err: error, referenceId }, 'could not register reference; will retry');
  }
}

export function takesMany({ capabilities, clients }: PprAccount): boolean {
  return capabilities.bulk > 1 && !!clients.ppr?.registerMany;
}

/** Registers new references of one account in few calls. An error is not thrown: the job of the due row tries again. */
export async function registerTogether(core: Core, account: PprAccount, pairs: PaymentWithReference[]): Promise<void> {
  const { bulk } = account.capabilities;
  try {
    for (let start = 0; start < pairs.length; start += bulk)
      await registerChunk(core, account, pairs.slice(start, start + bulk));
  } catch (error) {
    core.log.error({ err: error, railId: account.id }, 'could not register a batch of references; will retry');
  }
}

async function registerChunk(core: Core, { clients }: PprAccount, pairs: PaymentWithReference[]): Promise<void> {
  const digits = pairs.map(({ reference }) => reference.reference);
  const used = await findUsedEarlier.all(core, { entity: pairs[0]?.reference.entity ?? '', digits });
  const waiting = new Set(used.map(({ reference }) => reference));
  // Digits that an earlier reference still has at the rail are left out. The due-row job registers them later.
  const free = pairs.filter(({ reference }) => !waiting.has(reference.reference));
  const outcomes = free.length > 0 ? await clients.ppr?.registerMany?.(free.map(orderOf)) : [];
  for (const [nth, pair] of free.entries()) {
    const outcome = outcomes?.[nth];
    if (outcome) await recordRegistration(core, pair, outcome);
  }
}

async function registerAtRail(core: Core, pair: PaymentWithReference): Promise<void> {
  const isFree = await withdrawEarlier(core, pair.reference);
  const rail = await core.rails.ppr(pair.reference.rail);
  await recordRegistration(core, pair, isFree ? await rail.register(orderOf(pair)) : STILL_TAKEN);
}

async function recordRegistration(core: Core, pair: PaymentWithReference, outcome: RegistrationOutcome): Promise<void> {
  const at = core.clock.now();
  const { createdAt, expiresAt } = pair.reference;
  // If the rail says paid or expired, an earlier call has registered the reference and its response was lost.
  const isKnown = outcome.result === 'ended' && outcome.details['railStatus'] !== 'WITHDRAWN';
  if (outcome.result !== 'active' && !isKnown) {
    const againAt = nextCallAt(createdAt, at);
    const dueAt = againAt < expiresAt ? againAt : expiresAt;
    return recordFault(core, pair, outcome, { type: 'reference.registration_failed', dueAt, at });
  }
  const set = { registeredAt: at, railFault: null, dueAt: expiresAt };
  const isRecorded = await record(core, pair, { set, type: 'reference.registered', details: {}, at });
  // The reference was closed during the call, and its withdrawal may have arrived first, so it is withdrawn again.
  if (!isRecorded) await syncRegistration(core, pair.reference.id);
}

const STILL_TAKEN: RegistrationOutcome = { result: 'taken', details: { reason: 'REFERENCE_TAKEN' } };

/**
 * Withdraws earlier references with the same digits. False while the rail still has one, as money would be ambiguous.
 */
async function withdrawEarlier(core: Core, reference: Reference): Promise<boolean> {
  const find = () => findEarlier.all(core, reference);
  const earlier = await find();
  for (const { id } of earlier) await syncRegistration(core, id);
  return earlier.length === 0 || (await find()).length === 0;
}

const findEarlier = prepared((tables, { entity, reference }: Pick<Reference, 'entity' | 'reference'>) =>
  tables
    .selectFrom('payment_references')
    .select('id')
    .where('entity', '=', entity)
    .where('reference', '=', reference)
    .where('status', '<>', 'Pending')
    .where('withdrawnAt', 'is', null)
    .limit(10),
);

/** Finds the digits in the list that an earlier reference still has at the rail. */
const findUsedEarlier = prepared((tables, { entity, digits }: { entity: string; digits: string[] }) =>
  tables
    .selectFrom('payment_references')
    .select('reference')
    .where('entity', '=', entity)
    .where('reference', ...isAny(digits))
    .where('status', '<>', 'Pending')
    .where('withdrawnAt', 'is', null),
);

async function withdrawAtRail(core: Core, pair: PaymentWithReference): Promise<void> {
  const { withdrawnAt, closedAt, expiresAt } = pair.reference;
  if (withdrawnAt) return setDue(core, pair, null);
  const sureAt = await withdrawalIsSureAt(core, pair.reference);
  const isSure = !sureAt || sureAt <= core.clock.now();
  const outcome = await withdraw(core, pair);
  const at = core.clock.now();
  if (outcome.result !== 'ended') {
    // After a reference's expiry, the rail refuses payments even without a withdrawal.
    const againAt = at < expiresAt ? nextCallAt(closedAt ?? at, at) : nextQueryAt(closedAt ?? at, at);
    // If the rail cannot withdraw the reference, its digits are free after its last day.
    const dueAt = outcome.result === 'unsupported' ? endOfDay(expiresAt) : againAt;
    return recordFault(core, pair, outcome, { type: 'reference.withdrawal_failed', dueAt, at });
  }
  // The reference keeps its digits until the second withdrawal.
  if (!isSure) return setDue(core, pair, sureAt);
  const set = { withdrawnAt: at, railFault: null, dueAt: null };
  await record(core, pair, { set, type: 'reference.withdrawn', details: {}, at });
}

/**
 * Returns the time from which a withdrawal is final, for a rail where a late registration reopens a reference.
 * At that time, the lease of the last registration call has ended. Null if every withdrawal is final.
 */
async function withdrawalIsSureAt(
  core: Core,
  { rail, registeredAt, closedAt }: Pick<Reference, 'rail' | 'registeredAt' | 'closedAt'>,
): Promise<Date | null> {
  const can = await core.rails.can(rail, 'ppr');
  const since = registeredAt ?? closedAt;
  return can?.reopens && since ? new Date(since.getTime() + pprLeaseMs(core.config)) : null;
}

/** Withdraws a reference. A rail that cannot withdraw takes payments until the end of the reference's last day. */
async function withdraw(core: Core, { reference }: PaymentWithReference): Promise<RegistrationOutcome> {
  const { id: referenceId, entity, reference: digits, rail: railId, expiresAt } = reference;
  const rail = await core.rails.ppr(railId);
  const outcome = await rail.withdraw({ referenceId, entity, reference: digits });
  const isOver = outcome.result === 'unsupported' && endOfDay(expiresAt) <= core.clock.now();
  return isOver ? { ...outcome, result: 'ended' } : outcome;
}

/** Returns the end of a time's day in Luanda. */
export function endOfDay(at: Date): Date {
  return startOf(addDays(dayOf(at), 1));
}

/** Returns the time of the next registration call. A payer waits, so calls are at most five minutes apart. */
function nextCallAt(since: Date, now: Date): Date {
  const latest = new Date(now.getTime() + 5 * MINUTE_MS);
  const next = nextQueryAt(since, now);
  return next && next < latest ? next : latest;
}

function orderOf({ payment, reference }: PaymentWithReference): ReferenceOrder {
  return {
    referenceId: reference.id,
    entity: reference.entity,
    reference: reference.reference,
    type: reference.type,
    amountMinor: payment.amountMinor,
    currency: payment.currency,
    description: payment.description ?? null,
    expiresAt: reference.expiresAt,
  };
}

type RegistrationResult = { set: ReferenceChange; type: string; details: Record<string, unknown>; at: Date };

/** Records the reason of a failed call. Consecutive failures with the same reason have one event. */
async function recordFault(
  core: Core,
  pair: PaymentWithReference,
  { result, details }: RegistrationOutcome,
  { type, dueAt, at }: { type: string; dueAt: Date | null; at: Date },
): Promise<void> {
  const reason = details['reason'] ?? result;
  if (pair.reference.railFault === reason) return setDue(core, pair, dueAt);
  core.log.warn({ referenceId: pair.reference.id, result, reason }, 'the rail did not take a reference');
  await record(core, pair, { set: { railFault: reason, dueAt }, type, details: { ...details, reason }, at });
}

/**
 * Records the rail's response. False if the reference changed during the call: the change then goes to the rail too.
 */
async function record(
  core: Core,
  { payment, reference }: PaymentWithReference,
  { set, type, details, at }: RegistrationResult,
): Promise<boolean> {
  const { id, status } = reference;
  const isRecorded = await inTransaction(core, async (db) => {
    await lockPair(db, id);
    if (!(await updateAsRead(db, reference, set))) return false;
    await changePayment.run(db, { id: payment.id, set: {} });
    const { merchantId } = reference;
    await recordEvent(db, { merchantId, paymentId: payment.id, type, status, occurredAt: at, details });
    return true;
  });
  if (isRecorded) core.changes.publish(`payment:${payment.id}`);
  return isRecorded;
}

async function setDue(core: Core, { reference }: PaymentWithReference, dueAt: Date | null): Promise<void> {
  await updateAsRead(core, reference, { dueAt });
}

async function updateAsRead(db: Db, reference: Reference, set: ReferenceChange): Promise<boolean> {
  const { id, status, registeredAt = null, withdrawnAt = null, railFault = null } = reference;
  const asRead = { id, isPending: status === 'Pending', registeredAt, withdrawnAt, railFault };
  return (await changeAsRead.run(db, { ...asRead, set })) === 1;
}
