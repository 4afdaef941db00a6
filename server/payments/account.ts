// By which account a payment is charged: what it asks of one, and how an attempt names the one it was made by.
import { v7 as uuid } from 'uuid';
import type { Way } from '../../shared/ways.ts';
import type { Core } from '../core.ts';
import type { GpoAccount, PprAccount, Rail } from '../rails/book.ts';
import type { Merchant } from '../merchants/entities.ts';
import { choosePpr, entityOf, listFit, type GpoWish } from '../rails/choose.ts';
import type { Attempt, Payment } from './entities.ts';
import { methodOf } from './methods.ts';

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

/** The accounts that can be asked for a payment, best first; one that wants the ids of a terminal only where there are some. */
export function accountsFor(core: Pick<Core, 'rails'>, payment: Payment): GpoAccount[] {
  const wish = wishOf(payment);
  const fit = wish ? listFit(core, payment.merchantId, wish) : [];
  return fit.filter(({ capabilities }) => !capabilities.gpoIds || !!payment.gpoPosId);
}

/** The account that can make a code of a page's payment, which is paid once; null where none can. */
export function findCodeAccount(core: Pick<Core, 'rails'>, payment: Payment): GpoAccount | null {
  const { merchantId, amountMinor, currency, gpoPosId } = payment;
  const fit = listFit(core, merchantId, { method: 'qrcode', amountMinor, currency });
  return fit.find(({ capabilities }) => !capabilities.gpoIds || !!gpoPosId) ?? null;
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

/** What the page of a payment offers, in the merchant's order; nothing that cannot be done. */
export function listWays(
  core: Pick<Core, 'rails'>,
  merchant: Pick<Merchant, 'entity' | 'checkoutMethods'>,
  payment: Payment,
): Way[] {
  if (payment.paymentMethod !== 'webframe') return [];
  const wished = payment.checkoutMethods ?? merchant.checkoutMethods;
  return wished.filter((way) => CAN[way](core, merchant, payment));
}

/** A new attempt's names: ours, its account's, and what that account's rail knows it by. */
export function nameAttempt(
  account: Pick<Rail, 'id' | 'connector'> | null,
): Pick<Attempt, 'id' | 'rail'> & { railKey: string | null } {
  const id = uuid();
  return { id, rail: account?.id ?? 'gpo', railKey: account?.connector.keyOf?.(id) ?? null };
}
