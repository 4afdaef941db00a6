// Rail accounts as merchants enter them, at the fakes that stand in for their providers; secrets are of a kind that can be searched for.
import { startAppyPay } from '../../sandbox/rails/appypay.ts';
import { startKambaSms } from '../../sandbox/rails/kambasms.ts';
import { startOmbala } from '../../sandbox/rails/ombala.ts';
import { OPG_BASES, startOpgFake } from '../../sandbox/rails/opg.ts';
import { startProxypay } from '../../sandbox/rails/proxypay.ts';
import type { Clock } from '../../server/clock.ts';
import type { Reply, TestApp } from './app.ts';
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

/** Whose accounts, and with which token. */
export type RailOwnerHere = { merchantId: string; token: string };

/** Where nobody answers. */
export const NOBODY = 'http://127.0.0.1:9';

/** Told of no account, nor of any test of it: whoever finds it found a leak. */
export const SECRET = 'Segredo-que-ninguem-ve-7c1f';

const common = { environment: 'test', priority: 10 };

/** An account that nobody will answer for, of messages: nothing goes by it unless a test sends some. */
export function idleBody(changes: Partial<RailBody> = {}): RailBody {
  const settings = { sender: 'LOJA', baseUrl: NOBODY };
  const secrets = { apiKey: SECRET };
  return { ...common, kind: 'sms', connector: 'kambasms', label: 'Kamba', settings, secrets, ...changes };
}

/** AppyPay on the test's clock, and the body of an account there. */
export async function openAppyPay(clock: Clock) {
  const fake = stopLater(await startAppyPay(clock));
  fake.book.clientSecret = SECRET;
  const { clientId, resource, methods } = fake.book;
  const [gpo, ref, umm] = methods;
  const body: RailBody = {
    ...common,
    kind: 'gpo',
    connector: 'appypay',
    label: 'AppyPay',
    settings: {
      resource,
      methods: { gpo, ref, umm },
      baseUrl: `${fake.url}/v2.0`,
      tokenUrl: `${fake.url}/oauth2/token`,
    },
    secrets: { clientId, clientSecret: SECRET },
  };
  return { fake, body };
}

/** ProxyPay's references likewise. */
export async function openProxypay(clock: Clock, entity = '00777') {
  const fake = stopLater(await startProxypay({ clock, entity, apiKey: SECRET }));
  const settings = { entity, isExclusive: true, baseUrl: fake.url };
  const about = { ...common, kind: 'ppr', connector: 'proxypay', label: 'ProxyPay' };
  const body: RailBody = { ...about, settings, secrets: { apiKey: SECRET } };
  return { fake, body };
}

/** OPG in ProxyPay's dialect. */
export async function openOpg(clock: Clock) {
  const fake = stopLater(await startOpgFake({ clock, token: SECRET, posId: 42 }));
  const settings = { dialect: 'proxypay', posId: 42, baseUrl: `${fake.url}${OPG_BASES.proxypay}` };
  const body: RailBody = {
    ...common,
    kind: 'gpo',
    connector: 'opg',
    label: 'OPG',
    settings,
    secrets: { token: SECRET },
  };
  return { fake, body };
}

/** KambaSMS. */
export async function openKamba(clock: Clock) {
  const fake = stopLater(await startKambaSms({ clock }));
  fake.book.apiKey = SECRET;
  return { fake, body: idleBody({ settings: { sender: 'LOJAILHA', baseUrl: fake.url } }) };
}

/** Ombala. */
export async function openOmbala(clock: Clock) {
  const fake = stopLater(await startOmbala({ clock }));
  fake.book.token = SECRET;
  const settings = { sender: 'LOJAILHA', baseUrl: fake.url };
  return { fake, body: idleBody({ connector: 'ombala', label: 'Ombala', settings }) };
}

/** As it is sent where the secrets stay. */
export function withoutSecrets(body: RailBody): RailBody {
  const { secrets: _, ...rest } = body;
  return rest;
}

/** Where an owner's accounts are; below it one of them. */
export function railPath(merchantId: string, id?: string): string {
  return `/api/merchants/${merchantId}/rail-accounts${id ? `/${id}` : ''}`;
}

/** Calls about an owner's accounts. */
export function callRails(
  app: TestApp,
  { merchantId, token }: RailOwnerHere,
  { method, id, at = '', body }: { method?: string; id?: string; at?: string; body?: unknown } = {},
): Promise<Reply> {
  return app.call(`${railPath(merchantId, id)}${at}`, { token, body, ...(method && { method }) });
}

/** Enters it and answers it as the owner sees it. @throws when it was refused */
export async function addRail(app: TestApp, owner: RailOwnerHere, body: RailBody): Promise<any> {
  const reply = await callRails(app, owner, { body });
  if (reply.status !== 201) throw new Error(`not entered: ${reply.status} ${reply.text}`);
  return reply.json;
}
