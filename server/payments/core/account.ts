// Chooses the rail account of a payment, and assigns ids to the attempts that use the account.
import { v7 as uuid } from 'uuid';
import type { FailureCode } from '../../../shared/status.ts';
import type { Way } from '../../../shared/ways.ts';
import type { Core } from '../../core.ts';
import type { GpoAccount, PprAccount, Rail } from '../../rails/rail.ts';
import type { Merchant } from '../../merchants/entities.ts';
import { attemptUrlOf } from '../../rails/notification-url.ts';
import { choosePpr, listSuitableGpo, type GpoRequirements } from '../../rails/choose.ts';
import type { Attempt, Payment } from './entities.ts';
import { methodOf } from './method.ts';
import type { Via } from './record-transaction.ts';

/** The wallets that `metadata.provider` can name. Any other text in that field is a note of the merchant. */
const WALLETS: readonly string[] = ['unitel_money'];

type MethodRequest = Pick<Payment, 'paymentMethod' | 'amountMinor' | 'currency'> & {
  provider?: string | null | undefined;
  maxTransactions?: number | null | undefined;
};

/** Returns the wallet that receives the push. Null means Multicaixa Express. */
export function walletOf({ provider }: Pick<MethodRequest, 'provider'>): string | null {
  return provider && WALLETS.includes(provider) ? provider : null;
}

/**
 * Returns what a payment requires of a GPO account.
 * Null for a capture and a reference: neither chooses a GPO account.
 */
export function requirementsOf(payment: MethodRequest): GpoRequirements | null {
  const { amountMinor, currency, maxTransactions = null } = payment;
  const { orderKind } = methodOf(payment);
  if (orderKind !== 'purchase' && orderKind !== 'authorization' && orderKind !== 'qrcode') return null;
  return { method: orderKind, amountMinor, currency, wallet: walletOf(payment), maxTransactions };
}

/**
 * Returns the accounts that can take a payment, best first.
 * An account that requires GPO ids needs them in the payment.
 */
export function accountsFor(core: Pick<Core, 'rails'>, payment: Payment, wish = requirementsOf(payment)): GpoAccount[] {
  const fit = wish ? listSuitableGpo(core, payment.merchantId, wish) : [];
  return fit.filter(({ capabilities }) => !capabilities.gpoIds || !!payment.gpoPosId);
}

/** Finds the account that makes a hosted page's QR code for one payment. Null if no account makes such codes. */
export function findCodeAccount(core: Pick<Core, 'rails'>, payment: Payment): GpoAccount | null {
  const { amountMinor, currency } = payment;
  return accountsFor(core, payment, { method: 'qrcode', amountMinor, currency })[0] ?? null;
}

/** Finds the account for a payment reference that replaces this payment. Null without an account or an entity. */
export function findPpr(
  core: Pick<Core, 'rails'>,
  merchant: Pick<Merchant, 'entity'>,
  { merchantId, amountMinor, currency }: Payment,
): PprAccount | null {
  const { entity } = merchant;
  return choosePpr(core, { id: merchantId, entity }, { amountMinor, currency, isCharging: false }).account;
}

const CAN: Record<Way, (core: Pick<Core, 'rails'>, merchant: Pick<Merchant, 'entity'>, payment: Payment) => boolean> = {
  push: (core, _merchant, payment) => accountsFor(core, payment).length > 0,
  qrcode: (core, _merchant, payment) => findCodeAccount(core, payment) !== null,
  reference: (core, merchant, payment) => findPpr(core, merchant, payment) !== null,
};

type Offering = Pick<Merchant, 'entity' | 'checkoutMethods'>;

/**
 * Lists the payment methods that a checkout page offers, in the merchant's order.
 * Methods without an account are left out.
 */
export function listPayableMethods(core: Pick<Core, 'rails'>, merchant: Offering, payment: Payment): Way[] {
  if (payment.paymentMethod !== 'webframe') return [];
  return (payment.checkoutMethods ?? merchant.checkoutMethods).filter((way) => CAN[way](core, merchant, payment));
}

/**
 * Creates the id of a new attempt.
 * The account's circuit counts the attempt: an open circuit lets one attempt through.
 */
export function nameAttempt(
  { rails }: Pick<Core, 'rails'>,
  account: Pick<Rail, 'id' | 'connector'> | null,
): Pick<Attempt, 'id' | 'rail'> & { railKey: string | null } {
  const id = uuid();
  if (account) rails.circuits.begin(account.id);
  return { id, rail: account?.id ?? 'gpo', railKey: account?.connector.keyOf?.(id) ?? null };
}

/** The fields of a refused order in the details of its events. */
export type Refusal = { attemptId: string; failureCode: FailureCode; via: Via; account?: string };

/** Builds the event details of a refusal. They name the account if its setup caused the refusal. */
export async function describeRefusal(
  core: Pick<Core, 'rails'>,
  { id: attemptId, rail }: Pick<Attempt, 'id' | 'rail'>,
  failureCode: FailureCode,
  via: Via,
): Promise<Refusal> {
  const refusal = { attemptId, failureCode, via };
  if (failureCode !== 'acquirer_setup') return refusal;
  return { ...refusal, account: await accountLabelOf(core, rail) };
}

/** Returns the label of a rail account, or its id if the account no longer exists. */
export async function accountLabelOf({ rails }: Pick<Core, 'rails'>, rail: string): Promise<string> {
  return (await rails.find(rail))?.label ?? rail;
}

/** Returns the notification URL of one attempt. Empty for the node's own rails: one URL serves all their attempts. */
export async function notifyUrlOf(core: Core, { id, rail }: Pick<Attempt, 'id' | 'rail'>): Promise<string> {
  const account = await core.rails.find(rail);
  if (!account || account.connector.name === 'balcao') return '';
  return attemptUrlOf(core, { id: rail, connector: account.connector.name }, id);
}

export function gpoIdsOf({ gpoMerchantId, gpoPosId }: Payment): { gpoMerchantId: string; gpoPosId: string } {
  return { gpoMerchantId: gpoMerchantId ?? '', gpoPosId: gpoPosId ?? '' };
}
