// Chooses the rail account of a payment, and names the attempts that use it.
import { v7 as uuid } from 'uuid';
import type { FailureCode } from '../../../shared/status.ts';
import type { Way } from '../../../shared/ways.ts';
import type { Core } from '../../core.ts';
import type { GpoAccount, PprAccount, Rail } from '../../rails/rail.ts';
import type { Merchant } from '../../merchants/entities.ts';
import { attemptUrlOf } from '../../rails/notification-url.ts';
import { choosePpr, entityOf, listSuitableGpo, type GpoRequirements } from '../../rails/choose.ts';
import type { Attempt, Payment } from './entities.ts';
import { methodOf } from './method.ts';
import type { Via } from './record-transaction.ts';

/** `metadata.provider` names these wallets. Any other text there is a note of the merchant. */
const WALLETS: readonly string[] = ['unitel_money'];

type MethodRequest = Pick<Payment, 'paymentMethod' | 'amountMinor' | 'currency'> & {
  provider?: string | null | undefined;
  maxTransactions?: number | null | undefined;
};

/** The wallet that a push goes to; null: Multicaixa Express. */
export function walletOf({ provider }: Pick<MethodRequest, 'provider'>): string | null {
  return provider && WALLETS.includes(provider) ? provider : null;
}

/** The requirements of a payment on an account; null for a capture and a reference, which choose no GPO account. */
export function wishOf(payment: MethodRequest): GpoRequirements | null {
  const { amountMinor, currency, maxTransactions = null } = payment;
  const { asks } = methodOf(payment);
  if (asks !== 'purchase' && asks !== 'authorization' && asks !== 'qrcode') return null;
  return { method: asks, amountMinor, currency, wallet: walletOf(payment), maxTransactions };
}

/** The accounts that can take a payment, best first. An account that requires GPO ids takes no payment without them. */
export function accountsFor(core: Pick<Core, 'rails'>, payment: Payment, wish = wishOf(payment)): GpoAccount[] {
  const fit = wish ? listSuitableGpo(core, payment.merchantId, wish) : [];
  return fit.filter(({ capabilities }) => !capabilities.gpoIds || !!payment.gpoPosId);
}

/** The account for the QR code of a hosted page, which accepts one payment; null if no account makes such codes. */
export function findCodeAccount(core: Pick<Core, 'rails'>, payment: Payment): GpoAccount | null {
  const { amountMinor, currency } = payment;
  return accountsFor(core, payment, { method: 'qrcode', amountMinor, currency })[0] ?? null;
}

/** The account for a reference in place of this payment; null without an account or an entity. */
export function findPpr(
  core: Pick<Core, 'rails'>,
  merchant: Pick<Merchant, 'entity'>,
  { merchantId, amountMinor, currency }: Payment,
): PprAccount | null {
  const { account } = choosePpr(core, merchantId, { amountMinor, currency, isCharging: false });
  return account && entityOf(account, merchant) ? account : null;
}

const CAN: Record<Way, (core: Pick<Core, 'rails'>, merchant: Pick<Merchant, 'entity'>, payment: Payment) => boolean> = {
  push: (core, _merchant, payment) => accountsFor(core, payment).length > 0,
  qrcode: (core, _merchant, payment) => findCodeAccount(core, payment) !== null,
  reference: (core, merchant, payment) => findPpr(core, merchant, payment) !== null,
};

type Offering = Pick<Merchant, 'entity' | 'checkoutMethods'>;

/** The ways that a payment's page offers, in the merchant's order. The page leaves out ways without an account. */
export function listWays(core: Pick<Core, 'rails'>, merchant: Offering, payment: Payment): Way[] {
  if (payment.paymentMethod !== 'webframe') return [];
  return (payment.checkoutMethods ?? merchant.checkoutMethods).filter((way) => CAN[way](core, merchant, payment));
}

/** Names a new attempt, and counts it at the account's circuit: an open circuit lets one attempt through. */
export function nameAttempt(
  { rails }: Pick<Core, 'rails'>,
  account: Pick<Rail, 'id' | 'connector'> | null,
): Pick<Attempt, 'id' | 'rail'> & { railKey: string | null } {
  const id = uuid();
  if (account) rails.circuits.begin(account.id);
  return { id, rail: account?.id ?? 'gpo', railKey: account?.connector.keyOf?.(id) ?? null };
}

/** The details of a refusal in events. */
export type Refusal = { attemptId: string; failureCode: FailureCode; via: Via; account?: string };

/** Names the account if its setup caused the refusal, so that the notification can name it. */
export async function describeRefusal(
  core: Pick<Core, 'rails'>,
  { id: attemptId, rail }: Pick<Attempt, 'id' | 'rail'>,
  failureCode: FailureCode,
  via: Via,
): Promise<Refusal> {
  const refusal = { attemptId, failureCode, via };
  if (failureCode !== 'acquirer_setup') return refusal;
  return { ...refusal, account: await labelOf(core, rail) };
}

/** The account's label, or its id if the account no longer exists. */
export async function labelOf({ rails }: Pick<Core, 'rails'>, rail: string): Promise<string> {
  return (await rails.find(rail))?.label ?? rail;
}

/** The notification URL of one attempt; empty for the node's own rails, which have one URL for all attempts. */
export async function notifyUrlOf(core: Core, { id, rail }: Pick<Attempt, 'id' | 'rail'>): Promise<string> {
  const account = await core.rails.find(rail);
  if (!account || account.connector.name === 'balcao') return '';
  return attemptUrlOf(core, { id: rail, connector: account.connector.name }, id);
}

export function idsOf({ gpoMerchantId, gpoPosId }: Payment): { gpoMerchantId: string; gpoPosId: string } {
  return { gpoMerchantId: gpoMerchantId ?? '', gpoPosId: gpoPosId ?? '' };
}
