// "Pay by reference instead": one transaction cancels a refused payment and creates its replacement by reference.
import { randomUUID } from 'node:crypto';
import { DAY_MS } from '../../shared/durations.ts';
import type { Core } from '../core.ts';
import type { Db } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { Problem, tryLater } from '../http/problem.ts';
import type { Merchant } from '../merchants/entities.ts';
import { findMerchant } from '../merchants/find.ts';
import { findPpr, listPayableMethods } from '../payments/core/account.ts';
import type { PprAccount } from '../rails/rail.ts';
import { insertInTransaction, isConflict } from '../payments/core/insert.ts';
import { findPayerOf, findPayment, lockPayment, type Payer } from '../payments/core/rows.ts';
import { transition } from '../payments/core/states.ts';
import { withdrawOffers } from '../payments/core/method.ts';
import { buildPair, generateDigits } from '../payments/reference/create.ts';
import { Payment, type PaymentWithReference } from '../payments/core/entities.ts';
import { unusedSince } from '../payments/reference/number.ts';
import { syncRegistration } from '../payments/reference/registration.ts';
import { returnDigits } from '../payments/reference/reserved.ts';

/**
 * Replaces a refused webframe payment by a payment by reference, once.
 * @returns the id of the payment that is payable now, also after a second tap
 * @throws Problem not_found, payment_in_progress, payment_not_payable, reference_not_offered, references_exhausted
 */
export async function replaceByReference(core: Core, paymentId: string): Promise<string> {
  const asRead = await findPayment.first(core, { id: paymentId });
  if (!asRead) throw new Problem('not_found');
  const merchant = await findMerchant(core, asRead.merchantId);
  for (let round = 0; round < ROUNDS; round++) {
    if (isReplaced(asRead)) return asRead.replacedById;
    const account = checkReplaceable(core, merchant, asRead);
    const [digits = ''] = await generateDigits(core, merchant, account, 1);
    const replacing = { merchant, account, paymentId, digits };
    const made = await inTransaction(core, (db) => replace(core, db, replacing)).catch(giveWay);
    if (!made) continue;
    if (typeof made === 'string') {
      await returnDigits(core, account, [digits]);
      return made;
    }
    core.changes.publish(`payment:${paymentId}`);
    core.inBackground(syncRegistration(core, made.reference.id));
    return made.payment.id;
  }
  throw tryLater('references_exhausted', 1);
}

const ROUNDS = 20;

function isReplaced(payment: Payment): payment is Payment & { replacedById: string } {
  return payment.status === 'Canceled' && !!payment.replacedById;
}

/**
 * True if the payer may pay by reference now.
 * A page that offers references allows the replacement immediately, other pages only after a refused push.
 * False after received money or during a push. Null if the payment can never be replaced.
 */
export function canReplace(
  core: Pick<Core, 'rails' | 'clock'>,
  merchant: Pick<Merchant, 'entity' | 'checkoutMethods'>,
  payment: Payment,
): boolean | null {
  const { allowReferenceFallback, status, failureCode, flags } = payment;
  const isWay = listPayableMethods(core, merchant, payment).includes('reference');
  if (!isWay && !(allowReferenceFallback && findPpr(core, merchant, payment))) return null;
  return status === 'Pending' && (isWay || !!failureCode) && flags.length === 0 && !isOver(core, payment);
}

function checkReplaceable(core: Core, merchant: Merchant, payment: Payment): PprAccount {
  const account = canReplace(core, merchant, payment) && findPpr(core, merchant, payment);
  if (account) return account;
  if (payment.status === 'Processing') throw new Problem('payment_in_progress');
  const isOpen = payment.status === 'Pending' && !isOver(core, payment);
  throw new Problem(isOpen ? 'reference_not_offered' : 'payment_not_payable');
}

function isOver({ clock }: Pick<Core, 'clock'>, { expiresAt }: Payment): boolean {
  return !!expiresAt && expiresAt <= clock.now();
}

type Replacing = { merchant: Merchant; account: PprAccount; paymentId: string; digits: string };

/** The lifetime of a replacement from a payment link. Three days, because it reserves one of the link's uses. */
const LINK_MS = 3 * DAY_MS;

/** Checks the payment again under its lock, because a push, an approval, an expiry or a cancel may have changed it. */
async function replace(
  core: Core,
  db: Db,
  { merchant, account, paymentId, digits }: Replacing,
): Promise<PaymentWithReference | string> {
  const payment = await lockPayment.one(db, { id: paymentId });
  if (isReplaced(payment)) return payment.replacedById;
  checkReplaceable(core, merchant, payment);
  const payer = await findPayerOf(db, payment);
  const pair = buildReplacement(core, { merchant, account, digits, payer }, payment);
  const at = pair.payment.createdAt;
  const { id } = pair.payment;
  await withdrawOffers(core, db, payment, at);
  await transition(db, payment, 'cancel', { set: { dueAt: null, replacedById: id }, details: { replacedBy: id }, at });
  const { isReferenceTaken } = await insertInTransaction(db, {
    payment: pair.payment,
    reference: { ...pair.reference, unusedSince: unusedSince(at) },
    events: [{ id: randomUUID(), type: 'payment.created' }],
    attempt: null,
    key: null,
  });
  if (isReferenceTaken) throw new DigitsTaken();
  return pair;
}

function buildReplacement(
  core: Core,
  { merchant, account, digits, payer }: Omit<Replacing, 'paymentId'> & { payer: Payer },
  payment: Payment,
): PaymentWithReference {
  const { amountMinor, currency, description = null, returnUrl = null, cancelUrl = null, linkId = null } = payment;
  const expiryDate = linkId ? new Date(core.clock.now().getTime() + LINK_MS) : null;
  const fixed = { reference: null, type: 'Dynamic', expiryDate, custom: null } as const;
  const request = { ...fixed, ...payer, amountMinor, currency, description, returnUrl, cancelUrl };
  const pair = buildPair(core, merchant, request, { digits, contract: 'current', isRegisteredByCaller: true, account });
  // The stored JSON is copied as text, because parsing would change the digits of large numbers.
  const {
    customMetadata = null,
    searchTerms = null,
    createdByKind = null,
    createdById = null,
    shiftId = null,
  } = payment;
  const copied = { customMetadata, searchTerms, createdByKind, createdById, shiftId, linkId };
  return { ...pair, payment: { ...pair.payment, ...copied, replacesId: payment.id } };
}

class DigitsTaken extends Error {}

function giveWay(error: unknown): null {
  if (error instanceof DigitsTaken || isConflict(error)) return null;
  throw error;
}
