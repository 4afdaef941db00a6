// What the contract suites of SMS rails share: an account, a message, and the question about it.
import assert from 'node:assert/strict';
import { systemClock } from '../../server/clock.ts';
import type { Connector, OpenAccount } from '../../server/providers/connector.ts';
import type { SmsOrder, SmsQuery, SmsRail } from '../../server/providers/message.ts';
import type { ContractRig } from './legacy.ts';
import type { Fake } from './fake.ts';
import { openConnections, type RigClock } from './rig.ts';

type RigParts<Book> = {
  connector: Connector;
  fake: Fake & { book: Book };
  clock: RigClock;
  secrets: Record<string, unknown>;
};

/** A rig with an account that the fake knows. */
export function openSmsRig<Book>({ connector, fake, clock, secrets }: RigParts<Book>) {
  const account: OpenAccount = {
    id: '0197f1f0-0000-7000-8000-000000000001',
    kind: 'sms',
    environment: 'test',
    settings: connector.settings.parse({ sender: SENDER, baseUrl: fake.url }),
    secrets: connector.secrets.parse(secrets),
    timeoutMs: 10_000,
    clock,
    connections: openConnections(),
  };
  const clients = connector.open(account);
  return { connector, account, clients, fake, pass: clock.pass, stop: () => fake.stop() };
}

/** Says which variables are empty; each of the two has its name in the environment for its only key. @param baseUrl another host than the provider’s */
export function enterLiveAccount(
  connector: Connector,
  key: Record<string, string | undefined>,
  name: Record<string, string | undefined>,
  baseUrl?: string,
): { account: OpenAccount } | { missing: string[] } {
  const missing = Object.entries({ ...key, ...name }).filter(([, value]) => !value);
  if (missing.length > 0) return { missing: missing.map(([variable]) => variable) };
  const [[apiKey], [sender]] = [Object.values(key), Object.values(name)];
  const about = { id: '0197f1f0-0000-7000-8000-000000000002', kind: 'sms', environment: 'test' } as const;
  const settings = connector.settings.parse({ sender, ...(baseUrl && { baseUrl }) });
  const entered = { settings, secrets: connector.secrets.parse({ apiKey }) };
  return { account: { ...about, ...entered, timeoutMs: 10_000, clock: systemClock, connections: openConnections() } };
}

export const SENDER = 'LOJAILHA';
export const PHONE = '+244923456789';

/** A message of ours; each id is another message. */
export function makeOrder(changes: Partial<SmsOrder> = {}): SmsOrder {
  const messageId = '0197f1f0-aaaa-7000-8000-000000000001';
  return { messageId, to: PHONE, sender: SENDER, text: 'A sua encomenda 20418 está pronta.', ...changes };
}

/** The question about it. */
export function askAbout(
  { messageId, to, text }: SmsOrder,
  rest: Pick<SmsQuery, 'railMessageId' | 'sentAt'>,
): SmsQuery {
  return { messageId, to, text, ...rest };
}

/** The rig's client, and the fake that no live case may ask for. */
export function unpack<Book>(rig: ContractRig<Book>): { sms: SmsRail; fake: Fake & { book: Book }; book: Book } {
  const { fake, clients } = rig;
  assert(fake && clients.sms);
  return { sms: clients.sms, fake, book: fake.book };
}

/** The same account, changed, and its client. */
export function reopen<Book>(rig: ContractRig<Book>, changes: Partial<OpenAccount>) {
  const account = { ...rig.account, ...changes };
  const { sms } = rig.connector.open(account);
  assert(sms);
  return { account, sms };
}

/** What a schema says of a value, each fault with its place; empty where it takes it. */
export function findFaults(schema: Connector['settings'], value: unknown): string[] {
  const { error } = schema.safeParse(value);
  return (error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);
}

/** An address at which nobody listens. */
export const NOBODY = 'http://127.0.0.1:1';
