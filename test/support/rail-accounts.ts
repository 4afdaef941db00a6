// Merchants with rail accounts at the fakes of their providers.
import { startAppyPay } from '../../sandbox/rails/appypay.ts';
import type { Fake } from '../../sandbox/rails/fake.ts';
import { startKambaSms } from '../../sandbox/rails/kambasms.ts';
import { startOmbala } from '../../sandbox/rails/ombala.ts';
import { startOpg, type OpgDialect, type OpgFake } from '../../sandbox/rails/opg.ts';
import { startProxypay } from '../../sandbox/rails/proxypay.ts';
import type { Clock } from '../../server/clock.ts';
import { until, type Reply, type TestApp } from './app.ts';
import { create, purchase } from './payments.ts';
import { stopLater } from './stop-later.ts';

export type RailBody = {
  kind: string;
  connector: string;
  label: string;
  environment: string;
  priority: number;
  settings: Record<string, unknown>;
  secrets?: Record<string, unknown>;
  status?: string;
};

export type RailAccount = RailBody & { id: string; status: string; notificationUrl: string };

/** The owner of rail accounts, with a token that may change them. */
export type RailOwner = { merchantId: string; token: string };

/** A merchant and the calls of its backend. */
export type Merchant = RailOwner & { app: TestApp; call: TestApp['call'] };
type OpenedMerchant = Merchant & { clientId: string; secret: string };

export const UNREACHABLE_URL = 'http://127.0.0.1:9';

/** The secret of every rail account by default, so that a test can search for leaks. */
export const SECRET = 'Segredo-que-ninguem-ve-7c1f';

const common = { environment: 'test', priority: 10 };

/** Creates another merchant, without a rail account. */
export async function openMerchant(
  app: TestApp,
  options: Parameters<TestApp['addMerchant']>[0] = {},
): Promise<OpenedMerchant> {
  const merchant: OpenedMerchant = {
    app,
    ...(await app.addMerchant(options)),
    call: (path, sent = {}) => app.call(path, { token: merchant.token, ...sent }),
  };
  return merchant;
}

/** Creates an SMS account whose host never responds. */
export function idleBody(changes: Partial<RailBody> = {}): RailBody {
  const settings = { sender: 'LOJA', baseUrl: UNREACHABLE_URL };
  return {
    ...common,
    kind: 'sms',
    connector: 'kambasms',
    label: 'Kamba',
    settings,
    secrets: { apiKey: SECRET },
    ...changes,
  };
}

/** Changes to the usual body of a rail account. Several accounts may share one fake. */
type Wanted<F> = Partial<Omit<RailBody, 'connector'>> & { fake?: F };
type Started<Start extends (options: any) => unknown> = Awaited<ReturnType<Start>>;

/** Returns the body of an account at this fake. */
function bodyAt(
  fake: Fake,
  about: Pick<RailBody, 'kind' | 'connector' | 'label'>,
  changes: Partial<RailBody>,
  dialect?: string,
) {
  const { settings, secrets } = fake.account(dialect);
  return { ...common, ...about, secrets, ...changes, settings: { ...settings, ...changes.settings } };
}

/** Starts a fake of AppyPay, and returns the body of an account there. The default kind is `gpo`. */
export async function openAppyPay(clock: Clock, wanted: Wanted<Started<typeof startAppyPay>> = {}) {
  const { fake = stopLater(await startAppyPay({ clock })), ...changes } = wanted;
  if (!wanted.fake) fake.book.clientSecret = SECRET;
  return { fake, body: bodyAt(fake, { kind: 'gpo', connector: 'appypay', label: 'AppyPay' }, changes) };
}

/** Starts a fake of ProxyPay with the references of one PPR entity. */
export async function openProxypay(
  clock: Clock,
  wanted: Wanted<Started<typeof startProxypay>> & { entity?: string; apiKey?: string } = {},
) {
  const { entity = '00777', apiKey = SECRET, fake: given, ...changes } = wanted;
  const fake = given ?? stopLater(await startProxypay({ clock, entity, apiKey }));
  return { fake, body: bodyAt(fake, { kind: 'ppr', connector: 'proxypay', label: 'ProxyPay' }, changes) };
}

export async function openOpg(clock: Clock, wanted: Wanted<OpgFake> & { dialect?: OpgDialect } = {}) {
  const { dialect, fake: given, ...changes } = wanted;
  const fake = given ?? stopLater(await startOpg({ clock, token: SECRET, posId: 42 }));
  return { fake, body: bodyAt(fake, { kind: 'gpo', connector: 'opg', label: 'OPG' }, changes, dialect) };
}

async function openKamba(clock: Clock, changes: Partial<RailBody> = {}) {
  const fake = stopLater(await startKambaSms({ clock }));
  fake.book.apiKey = SECRET;
  return { fake, body: bodyAt(fake, { kind: 'sms', connector: 'kambasms', label: 'Kamba' }, changes) };
}

async function openOmbala(clock: Clock, changes: Partial<RailBody> = {}) {
  const fake = stopLater(await startOmbala({ clock }));
  fake.book.apiKey = SECRET;
  return { fake, body: bodyAt(fake, { kind: 'sms', connector: 'ombala', label: 'Ombala' }, changes) };
}

/** Returns the body of an account change that keeps the secrets. */
export function withoutSecrets(body: RailBody): RailBody {
  const { secrets: _, ...rest } = body;
  return rest;
}

/** Returns the API path of a merchant's rail accounts, or of one account. */
export function railPath(merchantId: string, id?: string): string {
  return `/api/merchants/${merchantId}/rail-accounts${id ? `/${id}` : ''}`;
}

/** Calls the API of rail accounts as this owner. */
export function callRails(
  app: TestApp,
  { merchantId, token }: RailOwner,
  { method, id, at = '', body }: { method?: string; id?: string; at?: string; body?: unknown } = {},
): Promise<Reply> {
  return app.call(`${railPath(merchantId, id)}${at}`, { token, body, ...(method && { method }) });
}

/** Creates the rail account. @throws if the API refuses it */
export async function addRail(app: TestApp, owner: RailOwner, body: RailBody): Promise<any> {
  const reply = await callRails(app, owner, { body });
  if (reply.status !== 201) throw new Error(`not created: ${reply.status} ${reply.text}`);
  return reply.json;
}

/** Changes fields of a rail account, and keeps its secrets. */
export function changeRail(merchant: Merchant, account: RailAccount, changes: Partial<RailBody>): Promise<Reply> {
  const { kind, connector, label, environment, priority, settings } = account;
  const body = { kind, connector, label, environment, priority, settings, ...changes };
  return callRails(merchant.app, merchant, { id: account.id, method: 'PUT', body });
}

type Opened<F extends Fake> = { fake: F; body: RailBody };

/** Creates the rail account by the API, and makes the fake send its notifications to this account. */
async function enter<F extends Fake>(merchant: Merchant, { fake, body }: Opened<F>) {
  const account: RailAccount = await addRail(merchant.app, merchant, body);
  if ('notifyUrl' in fake.book) fake.book.notifyUrl = account.notificationUrl;
  return { fake, account };
}

type Options<Open extends (clock: Clock, wanted: any) => unknown> = Parameters<Open>[1];

export const enterAppyPay = async (merchant: Merchant, wanted?: Options<typeof openAppyPay>) =>
  enter(merchant, await openAppyPay(merchant.app.clock, wanted));
export const enterProxypay = async (merchant: Merchant, wanted?: Options<typeof openProxypay>) =>
  enter(merchant, await openProxypay(merchant.app.clock, wanted));
export const enterOpg = async (merchant: Merchant, wanted?: Options<typeof openOpg>) =>
  enter(merchant, await openOpg(merchant.app.clock, wanted));
export const enterKamba = async (merchant: Merchant, wanted?: Options<typeof openKamba>) =>
  enter(merchant, await openKamba(merchant.app.clock, wanted));
export const enterOmbala = async (merchant: Merchant, wanted?: Options<typeof openOmbala>) =>
  enter(merchant, await openOmbala(merchant.app.clock, wanted));

/** Presses a button on the fake's page. Resolves after the notification that the button causes. */
export async function press(fake: Fake, id: string, action: string): Promise<void> {
  const init = { method: 'POST', body: new URLSearchParams({ id, action }), redirect: 'manual' } as const;
  const { status } = await fetch(`${fake.url}/_act`, init);
  if (status !== 303) throw new Error(`the fake answered ${status}`);
}

/** Returns the requests to the fake with this HTTP method whose path begins with `path`. */
export function countCalls({ requests }: Fake, method: string, path: string): number {
  return requests.filter((one) => one.method === method && one.path.startsWith(path)).length;
}

/** Waits until the provider has the value and returns it. */
export function untilThere<T>(find: () => T | undefined, what: string): Promise<NonNullable<T>> {
  return until(find, `${what} at the provider`);
}

/** Creates a push to a phone. @throws if the API refuses it */
export const createPush = (merchant: Merchant, changes: Record<string, unknown> = {}): Promise<any> =>
  create(merchant, purchase('923456789', changes));

/** Returns the events of a payment without those of callbacks, oldest first. */
export function readEvents({ app }: Merchant, paymentId: string): Promise<{ type: string; details: any }[]> {
  const query = `select type, details from events where payment_id = $1 and type not like 'callback.%' order by seq`;
  return app.sql(query, [paymentId]);
}

/** Returns the stored notifications of a rail account, oldest first. */
export function readInbox({ app }: Merchant, { id }: { id: string }): Promise<any[]> {
  return app.sql('select * from inbox where rail = $1 order by received_at, id', [id]);
}

/** Waits until `count` notifications of a rail account are applied, and returns them. */
export function untilApplied(merchant: Merchant, account: { id: string }, count: number): Promise<any[]> {
  return until(async () => {
    const rows = await readInbox(merchant, account);
    return rows.length >= count && rows.every(({ applied_at }) => applied_at) ? rows : null;
  }, `${count} notifications of ${account.id} being applied`);
}
