// Replaces a payment by another way to pay: one transaction ends the first payment and inserts its replacement.
// The payer's page (checkout) and the merchant (`replacePayment`) share these rules.
import { randomUUID } from 'node:crypto';
import type { Core } from '../core.ts';
import type { Db } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import type { Keyed } from '../http/idempotency.ts';
import { Problem, tryLater } from '../http/problem.ts';
import type { Merchant } from '../merchants/entities.ts';
import type { PprAccount } from '../rails/rail.ts';
import type { Payment, PaymentWithReference } from './core/entities.ts';
import type { Canceler } from './core/creator.ts';
import { insertInTransaction, isConflict } from './core/insert.ts';
import { methodOf, withdrawOffers } from './core/method.ts';
import { changePayment, type Payer } from './core/rows.ts';
import { submitAttempt } from './core/submit.ts';
import { buildPair, generateDigits } from './reference/create.ts';
import { unusedSince } from './reference/number.ts';
import { syncRegistration } from './reference/registration.ts';
import { returnDigits } from './reference/reserved.ts';

/** True if another payment replaced this one. Money that arrived late makes the first payment the valid one again. */
export function isReplaced(payment: Payment): payment is Payment & { replacedById: string } {
  return !!payment.replacedById && payment.status !== 'Paid';
}

/**
 * Ends a locked payment, in the transaction that inserts its replacement.
 * @throws Problem payment_in_progress if the payment may still take money and cannot be canceled
 */
export async function endForReplacement(
  core: Core,
  db: Db,
  payment: Payment,
  { id, createdAt: at }: Pick<Payment, 'id' | 'createdAt'>,
  by: Partial<Canceler>,
): Promise<void> {
  // Writes the replacement's id before the cancel. Then the cancel leaves the reserved unit out of the link's stock.
  await changePayment.run(db, { id: payment.id, set: { replacedById: id } });
  if (payment.status === 'Pending') {
    const canceled = await methodOf(payment).cancel?.(core, db, payment, { at, by, cause: { replacedBy: id } });
    if (!canceled || canceled.isAwaited) throw new Problem('payment_in_progress');
    await withdrawOffers(core, db, payment, at);
    const { attempt } = canceled;
    if (attempt) db.afterCommit?.(() => core.inBackground(submitAttempt(core, { payment, attempt })));
  }
  db.afterCommit?.(() => core.changes.publish(`payment:${payment.id}`));
}

/** The refusal of a replacement, because another payment of the same money is open or has the money. */
export function replacedBy(id: string): Problem {
  return new Problem('payment_replaced', { extra: { replacedBy: id } });
}

/** Returns the id of `replacedBy`. @throws every other error */
export function idOfReplacement(error: unknown): string {
  if (!(error instanceof Problem) || error.code !== 'payment_replaced') throw error;
  return String(error.options.extra?.['replacedBy']);
}

/** The rules of a replacement by reference that differ between the payer and the merchant. */
type ReferenceReplacement = {
  merchant: Merchant;
  account: PprAccount;
  keyed: Keyed | null;
  /** The merchant's caller. Empty for a payer. */
  by: Partial<Canceler>;
  /** Locks the payment and checks it again. @throws Problem payment_replaced */
  lock(db: Db): Promise<Payment>;
  /** Returns the payer's data and the columns that the replacement gets. */
  describe(db: Db, payment: Payment): Promise<{ payer: Payer; columns: Partial<Payment>; expiryDate: Date | null }>;
};

/** The most rounds of drawing digits, because concurrent requests may take drawn digits. */
const ROUNDS = 20;

/** Replaces a payment by a payment by reference. @throws Problem references_exhausted, and the problems of `lock` */
export async function insertReferenceReplacement(
  core: Core,
  replacement: ReferenceReplacement,
): Promise<PaymentWithReference> {
  const { merchant, account } = replacement;
  for (let round = 0; round < ROUNDS; round++) {
    const [digits = ''] = await generateDigits(core, merchant, account, 1);
    try {
      const pair = await inTransaction(core, (db) => insertOnce(core, db, replacement, digits));
      core.inBackground(syncRegistration(core, pair.reference.id));
      return pair;
    } catch (error) {
      if (error instanceof DigitsTaken || isConflict(error)) continue;
      await returnDigits(core, account, [digits]);
      throw error;
    }
  }
  throw tryLater('references_exhausted', 1);
}

async function insertOnce(
  core: Core,
  db: Db,
  { merchant, account, keyed, by, lock, describe }: ReferenceReplacement,
  digits: string,
): Promise<PaymentWithReference> {
  const payment = await lock(db);
  const { payer, columns, expiryDate } = await describe(db, payment);
  const { amountMinor, currency, description = null, returnUrl = null, cancelUrl = null } = payment;
  const fixed = { reference: null, type: 'Dynamic', expiryDate, custom: null } as const;
  const request = { ...fixed, ...payer, amountMinor, currency, description, returnUrl, cancelUrl };
  const built = buildPair(core, merchant, request, {
    digits,
    contract: 'current',
    isRegisteredByCaller: true,
    account,
  });
  const pair = { ...built, payment: { ...built.payment, ...copyToReplacement(payment), ...columns } };
  await endForReplacement(core, db, payment, pair.payment, by);
  const found = await insertInTransaction(db, {
    payment: pair.payment,
    reference: { ...pair.reference, unusedSince: unusedSince(pair.payment.createdAt) },
    events: [{ id: randomUUID(), type: 'payment.created' }],
    attempt: null,
    key: keyed && { ...keyed, body: null },
  });
  // Another request with this key was committed first. The caller then returns its stored response.
  if (found.keyed) throw tryLater('idempotency_in_progress', 1);
  if (found.isReferenceTaken) throw new DigitsTaken();
  return pair;
}

/** Returns the columns that a replacement gets. The stored JSON stays text, to keep the digits of its numbers. */
export function copyToReplacement(payment: Payment): Partial<Payment> {
  const { id: replacesId, customMetadata = null, searchTerms = null } = payment;
  return { replacesId, customMetadata, searchTerms };
}

class DigitsTaken extends Error {}
