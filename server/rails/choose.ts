// Chooses the rail account for a new push, code or reference, or returns the faults if no account can take it.
import { fitsBounds, toDecimal } from '../../shared/money.ts';
import type { Core } from '../core.ts';
import type { Fault } from '../http/problem.ts';
import type { AmountBounds } from '../providers/connector.ts';
import type { GpoAccount, PprAccount } from './rail.ts';

export type GpoRequirements = {
  method: 'purchase' | 'authorization' | 'qrcode';
  /** Null: the amount is not known yet, so that no bounds apply. */
  amountMinor: number | null;
  currency: string;
  /** `wallet`: the payer's wallet. Null for Multicaixa Express. */
  wallet?: string | null;
  maxTransactions?: number | null;
};

/** `amountMinor`: 0 if the payer chooses the amount. Null: not known yet, so that no bounds apply. */
export type PprRequirements = { amountMinor: number | null; currency: string; isCharging: boolean };

/** Returns the PPR entity of a reference: the rail account's own, else the merchant's from the operator. */
export function entityOf({ account }: PprAccount, { entity }: { entity?: string | null | undefined }): string | null {
  const own = account.settings['entity'];
  return typeof own === 'string' ? own : (entity ?? null);
}

export type Choice<A> = { account: A; faults: [] } | { account: null; faults: Fault[] };

export function listSuitableGpo(
  { rails }: Pick<Core, 'rails'>,
  merchantId: string,
  wish: GpoRequirements,
): GpoAccount[] {
  return rails.list(merchantId, 'gpo').filter((account) => findGpoFaults(account, wish).length === 0);
}

/** Returns the best GPO account that can take the order, or the faults of the first account. */
export function chooseGpo(core: Pick<Core, 'rails'>, merchantId: string, wish: GpoRequirements): Choice<GpoAccount> {
  return choose(core.rails.list(merchantId, 'gpo'), 'GPO', (account) => findGpoFaults(account, wish));
}

/** Returns the best PPR account that can take the reference, or its faults. A reference also needs an entity. */
export function choosePpr(core: Pick<Core, 'rails'>, merchant: EntityOwner, wish: PprRequirements): Choice<PprAccount> {
  const choice = choose(core.rails.list(merchant.id, 'ppr'), 'PPR', (account) => findPprFaults(account, wish));
  if (!choice.account || entityOf(choice.account, merchant)) return choice;
  return { account: null, faults: [{ pointer: '', code: 'entity_not_assigned' }] };
}

type EntityOwner = { id: string; entity?: string | null | undefined };

function choose<A>(accounts: A[], type: string, findFaults: (account: A) => Fault[]): Choice<A> {
  let first: Fault[] | null = null;
  for (const account of accounts) {
    const faults = findFaults(account);
    if (faults.length === 0) return { account, faults: [] };
    first ??= faults;
  }
  return {
    account: null,
    faults: first ?? [{ pointer: '', code: 'payment_method_unavailable', params: { value: type } }],
  };
}

function findGpoFaults(account: GpoAccount, wish: GpoRequirements): Fault[] {
  const { label, capabilities: can } = account;
  const { method, wallet, currency, maxTransactions } = wish;
  const isMultiple = (maxTransactions ?? 1) > 1;
  const isAble = {
    purchase: wallet ? can.wallets.includes(wallet) : can.purchase,
    authorization: can.authorization,
    qrcode: can.qr === 'multiple' || (can.qr === 'single' && !isMultiple),
  }[method];
  const requested = { purchase: wallet ?? 'onetimepurchase', authorization: 'authorization', qrcode: 'qrcode' }[method];
  const unable: Fault = {
    pointer: method === 'qrcode' && can.qr === 'single' ? '/metadata/maxTransactions' : '/metadata/paymentMethod',
    code: 'method_not_supported',
    params: { method: requested, account: label, can: listMethods(account).join(', ') },
  };
  const amounts = (wallet && can.walletAmounts) || can.amounts;
  return [...(isAble ? [] : [unable]), ...findMoneyFaults(label, { ...can, amounts }, wish.amountMinor, currency)];
}

/** Returns a GPO account's payment methods by their names in `metadata.paymentMethod`. */
function listMethods({ capabilities: can }: GpoAccount): string[] {
  return [
    ...(can.purchase ? ['webframe', 'onetimepurchase'] : []),
    ...can.wallets.map((wallet) => `onetimepurchase (${wallet})`),
    ...(can.authorization ? ['authorization', 'capture'] : []),
    ...(can.qr === 'none' ? [] : [can.qr === 'single' ? 'qrcode (maxTransactions 1)' : 'qrcode']),
  ];
}

function findPprFaults({ label, capabilities: can }: PprAccount, wish: PprRequirements): Fault[] {
  const { amountMinor, currency, isCharging } = wish;
  const unable = (method: string): Fault => ({
    pointer: '/referenceType',
    code: 'method_not_supported',
    params: { method, account: label, can: 'Dynamic' },
  });
  return [
    ...(isCharging && !can.repeated ? [unable('Charging')] : []),
    ...(amountMinor === 0 && !can.openAmount ? [unable('amount 0')] : []),
    ...findMoneyFaults(label, can, amountMinor === 0 ? null : amountMinor, currency),
  ];
}

type AcceptedMoney = { amounts: AmountBounds; currencies: readonly string[] | null };

/** Returns why a rail account does not accept an amount. @param minor null if the payer chooses the amount */
export function findMoneyFaults(
  account: string,
  { amounts, currencies }: AcceptedMoney,
  minor: number | null,
  currency: string,
): Fault[] {
  if (currencies && !currencies.includes(currency)) return [{ pointer: '/currency', code: 'currency_not_supported' }];
  if (minor === null || fitsBounds(minor, amounts)) return [];
  const { stepMinor, minMinor, maxMinor } = amounts;
  const [min, max, step] = [minMinor, maxMinor, stepMinor].map((bound) => toDecimal(bound, currency));
  return [{ pointer: '/amount', code: 'amount_not_supported', params: { account, min, max, step } }];
}
