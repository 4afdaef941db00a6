// By which account a payment is charged: what it asks of one, and how an attempt names the one it was made by.
import { v7 as uuid } from 'uuid';
import type { FailureCode } from '../../../shared/status.ts';
import type { Way } from '../../../shared/ways.ts';
import type { Core } from '../../core.ts';
import type { GpoAccount, PprAccount, Rail } from '../../rails/rail.ts';
import type { Merchant } from '../../merchants/entities.ts';
import { attemptUrlOf } from '../../rails/notification-url.ts';
import { choosePpr, entityOf, listFit, type GpoWish } from '../../rails/choose.ts';
import type { Attempt, Payment } from './entities.ts';
import { methodOf } from './method.ts';
import type { Via } from './record-transaction.ts';

/** Wallets beside Multicaixa Express, as `metadata.provider` names them; any other word there is a note of the merchant's. */
const WALLETS: readonly string[] = ['unitel_money'];

type Asked = Pick<Payment, 'paymentMethod' | 'amountMinor' | 'currency'> & {
  provider?: string | null | undefined;
  maxTransactions?: number | null | undefined;
};

/** The wallet that a push goes to; null: Multicaixa Express. */
export function walletOf({ provider }: Pick<Asked, 'provider'>): string | null {
  return provider && WALLETS.includes(provider) ? provider : null;
}

/** What a payment asks of an account; null where it asks none by itself (a capture, a reference). */
export function wishOf(payment: Asked): GpoWish | null {
  const { amountMinor, currency, maxTransactions = null } = payment;
  const { asks } = methodOf(payment);
  if (asks !== 'purchase' && asks !== 'authorization' && asks !== 'qrcode') return null;
  return { method: asks, amountMinor, currency, wallet: walletOf(payment), maxTransactions };
}

/** The accounts that can be asked for a payment, best first. */
export function accountsFor(core: Pick<Core, 'rails'>, payment: Payment): GpoAccount[] {
  const wish = wishOf(payment);
  return wish ? listAble(core, payment, wish) : [];
}

/** One that wants the ids of a terminal only where there are some. */
function listAble(core: Pick<Core, 'rails'>, { merchantId, gpoPosId }: Payment, wish: GpoWish): GpoAccount[] {
  return listFit(core, merchantId, wish).filter(({ capabilities }) => !capabilities.gpoIds || !!gpoPosId);
}

/** The account that can make a code of a page's payment, which is paid once; null where none can. */
export function findCodeAccount(core: Pick<Core, 'rails'>, payment: Payment): GpoAccount | null {
  const { amountMinor, currency } = payment;
  return listAble(core, payment, { method: 'qrcode', amountMinor, currency })[0] ?? null;
}

/** The account that a reference for this payment would be made by; null where none can, or nobody has an entity. */
export function findPpr(
  core: Pick<Core, 'rails'>,
  merchant: Pick<Merchant, 'entity'>,
  { merchantId, amountMinor, currency }: Payment,
): PprAccount | null {
  const { account } = choosePpr(core, merchantId, { amountMinor, currency, isCharging: false });
  return account && entityOf(account, merchant) ? account : null;
}

/** Whether some account of the merchant can do it. */
const CAN: Record<Way, (core: Pick<Core, 'rails'>, merchant: Pick<Merchant, 'entity'>, payment: Payment) => boolean> = {
  push: (core, _merchant, payment) => accountsFor(core, payment).length > 0,
  qrcode: (core, _merchant, payment) => findCodeAccount(core, payment) !== null,
  reference: (core, merchant, payment) => findPpr(core, merchant, payment) !== null,
};

type Offering = Pick<Merchant, 'entity' | 'checkoutMethods'>;

/** What the page of a payment offers, in the merchant's order; nothing that cannot be done. */
export function listWays(core: Pick<Core, 'rails'>, merchant: Offering, payment: Payment): Way[] {
  return wishedWays(merchant, payment).filter((way) => CAN[way](core, merchant, payment));
}

/** Whether the page of a payment offers it. */
export function isOffered(core: Pick<Core, 'rails'>, merchant: Offering, payment: Payment, way: Way): boolean {
  return wishedWays(merchant, payment).includes(way) && CAN[way](core, merchant, payment);
}

function wishedWays({ checkoutMethods }: Offering, payment: Payment): Way[] {
  return payment.paymentMethod === 'webframe' ? (payment.checkoutMethods ?? checkoutMethods) : [];
}

/**
 * A new attempt's names: ours, its account's, and what that account's rail knows it by. It is begun by that: of an account that
 * stood back it is the one try, in the same breath as the account was chosen.
 */
export function nameAttempt(
  { rails }: Pick<Core, 'rails'>,
  account: Pick<Rail, 'id' | 'connector'> | null,
): Pick<Attempt, 'id' | 'rail'> & { railKey: string | null } {
  const id = uuid();
  if (account) rails.circuits.begin(account.id);
  return { id, rail: account?.id ?? 'gpo', railKey: account?.connector.keyOf?.(id) ?? null };
}

/** What events say of a refusal. */
export type Refusal = { attemptId: string; failureCode: FailureCode; via: Via; account?: string };

/** Where an account is set up wrong it is named, so that its people are told which (decisions §7). */
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

/** What people call an account; of one that nobody knows, its id. */
export async function labelOf({ rails }: Pick<Core, 'rails'>, rail: string): Promise<string> {
  return (await rails.find(rail))?.label ?? rail;
}

/** Where news of one attempt alone arrives; the node's own rails have one address for all. */
export async function notifyUrlOf(core: Core, { id, rail }: Pick<Attempt, 'id' | 'rail'>): Promise<string> {
  const account = await core.rails.find(rail);
  if (!account || account.connector.name === 'balcao') return '';
  return attemptUrlOf(core, { id: rail, connector: account.connector.name }, id);
}

/** Empty where the account's contract says whose payment it is. */
export function idsOf({ gpoMerchantId, gpoPosId }: Payment): { gpoMerchantId: string; gpoPosId: string } {
  return { gpoMerchantId: gpoMerchantId ?? '', gpoPosId: gpoPosId ?? '' };
}
