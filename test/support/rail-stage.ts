// Merchants with acquirers of their own: a provider's fake over HTTP on the test's clock, and an account with it entered through the API.
import { startAppyPay } from '../../sandbox/rails/appypay.ts';
import type { Fake } from '../../sandbox/rails/fake.ts';
import { startKambaSms } from '../../sandbox/rails/kambasms.ts';
import { startOmbala } from '../../sandbox/rails/ombala.ts';
import { OPG_BASES, startOpgFake } from '../../sandbox/rails/opg.ts';
import { startProxypay } from '../../sandbox/rails/proxypay.ts';
import type { CallOptions, Reply, TestApp } from './app.ts';
import { until } from './app.ts';
import { purchase } from './payments.ts';
import { stopLater } from './stop-later.ts';

/** A merchant, and its backend's calls. */
export type Shop = { app: TestApp; merchantId: string; token: string; call: TestApp['call'] };

/** Another merchant, without an account yet. */
export async function openShop(app: TestApp, options: Parameters<TestApp['addMerchant']>[0] = {}): Promise<Shop> {
  const { merchantId, token } = await app.addMerchant(options);
  const call = (path: string, asked: CallOptions = {}) => app.call(path, { token, ...asked });
  return { app, merchantId, token, call };
}

/** What is sent to enter an account. */
export type AccountBody = {
  kind: 'gpo' | 'ppr' | 'sms';
  connector: string;
  label: string;
  environment: string;
  priority: number;
  settings: Record<string, unknown>;
  secrets: Record<string, unknown>;
};

/** As the API answers it. */
export type Account = AccountBody & { id: string; status: string; notificationUrl: string; capabilities: any };

export const accountsPath = ({ merchantId }: Pick<Shop, 'merchantId'>) => `/api/merchants/${merchantId}/rail-accounts`;

/** Enters it. @throws when it is refused */
export async function enterAccount(shop: Shop, body: AccountBody): Promise<Account> {
  const { status, text, json } = await shop.call(accountsPath(shop), { body });
  if (status !== 201) throw new Error(`no account: ${status} ${text}`);
  return json;
}

/** Sets it anew, with these changes; its secrets stay unless they are named. */
export async function changeAccount(shop: Shop, account: Account, changes: Partial<Account>): Promise<Reply> {
  const { kind, connector, label, environment, priority, settings } = account;
  const body = { kind, connector, label, environment, priority, settings, ...changes };
  return shop.call(`${accountsPath(shop)}/${account.id}`, { method: 'PUT', body });
}

type Entered<F> = { fake: F; account: Account };

/** What of an account a test may want otherwise. */
type Wanted = Partial<Omit<AccountBody, 'connector'>>;

/** One fake may serve several accounts, as a provider does. */
type WantedOf<F> = Wanted & { fake?: F };

type AppyPayFake = Awaited<ReturnType<typeof startAppyPay>>;

/** AppyPay, notified at the last account that was entered. Kind `gpo` unless asked otherwise. */
export async function enterAppyPay(shop: Shop, wanted: WantedOf<AppyPayFake> = {}): Promise<Entered<AppyPayFake>> {
  const { fake = stopLater(await startAppyPay(shop.app.clock)), ...changes } = wanted;
  const { clientId, clientSecret, resource, methods } = fake.book;
  const [gpo, ref, umm] = methods;
  const keys = { gpo: { gpo, umm }, ppr: { ref } }[changes.kind === 'ppr' ? 'ppr' : 'gpo'];
  const urls = { baseUrl: `${fake.url}/v2.0`, tokenUrl: `${fake.url}/oauth2/token` };
  const account = await enterAccount(shop, {
    ...NEW,
    kind: 'gpo',
    connector: 'appypay',
    label: 'AppyPay',
    secrets: { clientId, clientSecret },
    ...changes,
    settings: { resource, methods: keys, ...urls, ...changes.settings },
  });
  fake.book.notifyUrl = account.notificationUrl;
  return { fake, account };
}

type ProxypayFake = Awaited<ReturnType<typeof startProxypay>>;

let keys = 0;

/** ProxyPay references under this entity. */
export async function enterProxypay(
  shop: Shop,
  wanted: WantedOf<ProxypayFake> & { entity?: string } = {},
): Promise<Entered<ProxypayFake>> {
  const { entity = '00777', fake: given, ...changes } = wanted;
  const { clock } = shop.app;
  const fake = given ?? stopLater(await startProxypay({ clock, entity, apiKey: `proxypay-key-${++keys}` }));
  const account = await enterAccount(shop, {
    ...NEW,
    kind: 'ppr',
    connector: 'proxypay',
    label: 'ProxyPay',
    secrets: { apiKey: fake.book.apiKey },
    ...changes,
    settings: { entity, isExclusive: true, baseUrl: fake.url, ...changes.settings },
  });
  fake.book.notifyUrl = account.notificationUrl;
  return { fake, account };
}

type OpgFake = Awaited<ReturnType<typeof startOpgFake>>;

/** ProxyPay OPG, or vPOS. */
export async function enterOpg(
  shop: Shop,
  wanted: WantedOf<OpgFake> & { dialect?: 'proxypay' | 'vpos' } = {},
): Promise<Entered<OpgFake>> {
  const { dialect = 'proxypay', fake: given, ...changes } = wanted;
  const fake = given ?? stopLater(await startOpgFake({ clock: shop.app.clock, token: 'opg-token', posId: 111 }));
  const account = await enterAccount(shop, {
    ...NEW,
    kind: 'gpo',
    connector: 'opg',
    label: dialect === 'vpos' ? 'vPOS' : 'ProxyPay OPG',
    secrets: { token: fake.book.token },
    ...changes,
    settings: { dialect, posId: fake.book.posId, baseUrl: fake.url + OPG_BASES[dialect], ...changes.settings },
  });
  return { fake, account };
}

/** KambaSMS or Ombala. */
export async function enterSms<C extends keyof typeof SMS_FAKES>(
  shop: Shop,
  connector: C,
  changes: Wanted = {},
): Promise<Entered<Awaited<ReturnType<(typeof SMS_FAKES)[C]>>>> {
  const fake = await SMS_FAKES[connector]({ clock: shop.app.clock });
  const book: { apiKey: string } | { token: string } = fake.book;
  const apiKey = 'apiKey' in book ? book.apiKey : book.token;
  const account = await enterAccount(shop, {
    ...NEW,
    kind: 'sms',
    connector,
    label: connector,
    secrets: { apiKey },
    ...changes,
    settings: { sender: 'LOJAILHA', baseUrl: fake.url, ...changes.settings },
  });
  return { fake: stopLater(fake) as Awaited<ReturnType<(typeof SMS_FAKES)[C]>>, account };
}

const SMS_FAKES = { kambasms: startKambaSms, ombala: startOmbala };

const NEW = { environment: 'test', priority: 10 };

/** A person presses a button of the fake's page; resolves when whom it notifies has answered. */
export async function press(fake: Fake, id: string, action: string): Promise<void> {
  const init = { method: 'POST', body: new URLSearchParams({ id, action }), redirect: 'manual' } as const;
  const { status } = await fetch(`${fake.url}/_act`, init);
  if (status !== 303) throw new Error(`the fake answered ${status}`);
}

/** How often the provider was asked so; `path` is how it begins. */
export function countCalls({ requests }: Fake, method: string, path: string): number {
  return requests.filter((one) => one.method === method && one.path.startsWith(path)).length;
}

/** The first thing of its kind at the provider, once it is there. */
export function untilThere<T>(find: () => T | undefined, what: string): Promise<NonNullable<T>> {
  return until(find, `${what} at the provider`);
}

/** A push to a phone. @throws when it was not created */
export async function createPush(shop: Shop, changes: Record<string, unknown> = {}): Promise<any> {
  const { status, text, json } = await shop.call('/api/payments', { body: purchase('923456789', changes) });
  if (status !== 201) throw new Error(`not created: ${status} ${text}`);
  return json;
}

export async function readPayment(shop: Shop, id: string): Promise<any> {
  return (await shop.call(`/api/payments/${id}`)).json;
}

/** The payment once it is so (the clock stands still). */
export function untilPayment(shop: Shop, id: string, status: string): Promise<any> {
  return until(async () => {
    const found = await readPayment(shop, id);
    return found.status === status && found;
  }, `payment ${id} being ${status}`);
}

/** Its events, oldest first, with what they tell. */
export function readEvents({ app }: Shop, paymentId: string): Promise<{ type: string; details: any }[]> {
  return app.sql(`select type, details from events where payment_id = $1 and type not like 'callback.%' order by seq`, [
    paymentId,
  ]);
}

/** What came in by notification of an account, oldest first. */
export function readInbox({ app }: Shop, { id }: Pick<Account, 'id'>): Promise<any[]> {
  return app.sql('select * from inbox where rail = $1 order by received_at, id', [id]);
}

/** Everything that arrived was looked at as far as it can be now. */
export function untilApplied(shop: Shop, account: Pick<Account, 'id'>, count: number): Promise<any[]> {
  return until(async () => {
    const rows = await readInbox(shop, account);
    return rows.length >= count && rows.every(({ applied_at }) => applied_at) ? rows : null;
  }, `${count} notifications of ${account.id} being applied`);
}
