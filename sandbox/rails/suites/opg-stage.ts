// Where the cases of the OPG connector play: a fake with its clock, an account in either dialect, and the orders they send.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { systemClock } from '../../../server/clock.ts';
import type { OpenAccount } from '../../../server/providers/connector.ts';
import { opgConnector } from '../../../server/providers/opg/connector.ts';
import type { GpoRail, PushOrder, QrOrder, RailOutcome, RefundRail } from '../../../server/providers/provider.ts';
import type { ContractCase, ContractRig } from '../legacy.ts';
import type { OpgBook } from '../opg-book.ts';
import { OPG_BASES, startOpgFake, type OpgFake } from '../opg.ts';
import { createRigClock, openConnections } from '../rig.ts';

type StageDialect = keyof typeof OPG_BASES;

/** A case's surroundings in one dialect. At the provider's own sandbox there is no fake, and no case that needs it runs. */
export type OpgStage = {
  dialect: StageDialect;
  account: OpenAccount;
  gpo: GpoRail;
  fake: OpgFake;
  book: OpgBook;
  pass(ms: number): Promise<void>;
  /** The requests of the connector so far: `POST /transactions`, without the base. */
  calls(): string[];
};

const TOKEN = 'token-of-the-fake';
const POS_ID = 111;
const TIMEOUT_MS = 10_000;
/** Nobody listens there: what was sent to it stands in the fake's notices. */
const NOTIFY_URL = 'http://127.0.0.1:1/rails/opg/n-1/notifications';

/** The fake with an empty book, and ProxyPay's account there. */
export async function openOpgRig(): Promise<ContractRig<OpgBook> & { stop(): Promise<void> }> {
  const clock = createRigClock();
  const fake = await startOpgFake({ clock, token: TOKEN, posId: POS_ID });
  const account: OpenAccount = {
    id: randomUUID(),
    kind: 'gpo',
    environment: 'test',
    settings: { dialect: 'proxypay', posId: POS_ID, baseUrl: fake.url + OPG_BASES.proxypay },
    secrets: { token: TOKEN },
    timeoutMs: TIMEOUT_MS,
    clock,
    connections: openConnections(),
  };
  const clients = opgConnector.open(readAccount(account));
  return { connector: opgConnector, account, clients, fake, pass: clock.pass, stop: fake.stop };
}

/** The account at the provider's own sandbox, or the variables that are missing. */
export function openLiveAccount(env: NodeJS.ProcessEnv): { account: OpenAccount } | { missing: string[] } {
  const missing = ['OPG_DIALECT', 'OPG_POS_ID', 'OPG_TOKEN'].filter((name) => !env[name]);
  if (missing.length > 0) return { missing };
  const account: OpenAccount = {
    id: randomUUID(),
    kind: 'gpo',
    environment: 'test',
    settings: {
      dialect: env.OPG_DIALECT,
      posId: env.OPG_POS_ID,
      ...(env.OPG_BASE_URL && { baseUrl: env.OPG_BASE_URL }),
    },
    secrets: { token: env.OPG_TOKEN },
    timeoutMs: 30_000,
    clock: systemClock,
    connections: openConnections(),
  };
  readAccount(account);
  return { account };
}

/** @throws where the settings or the secrets are none */
function readAccount(account: OpenAccount) {
  const settings = opgConnector.settings.parse(account.settings);
  return { ...account, settings, secrets: opgConnector.secrets.parse(account.secrets) };
}

type CaseFlags = Pick<ContractCase, 'isUncertain' | 'isLive'>;

/** One case in one dialect. */
export function inDialect(
  dialect: StageDialect,
  name: string,
  run: (stage: OpgStage) => Promise<void>,
  flags: CaseFlags = {},
): ContractCase<OpgBook> {
  return { name: `${dialect}: ${name}`, dialect, ...flags, run: (rig) => run(setStage(rig, dialect)) };
}

/** The same case in each dialect. */
export function inBoth(
  name: string,
  run: (stage: OpgStage) => Promise<void>,
  flags: CaseFlags = {},
): ContractCase<OpgBook>[] {
  return [inDialect('proxypay', name, run, flags), inDialect('vpos', name, run, flags)];
}

function setStage(rig: ContractRig<OpgBook>, dialect: StageDialect): OpgStage {
  const fake = rig.fake as OpgFake;
  if (!rig.fake) assert.equal(rig.account.settings.dialect, dialect, 'a case for an account of the other dialect');
  const baseUrl = rig.fake && { baseUrl: fake.url + OPG_BASES[dialect] };
  const account = { ...rig.account, settings: { ...rig.account.settings, dialect, ...baseUrl } };
  const calls = () => fake.requests.map(({ method, path }) => `${method} ${path.slice(OPG_BASES[dialect].length)}`);
  return { dialect, account, gpo: openGpo(account), fake, book: fake?.book, pass: rig.pass, calls };
}

/** The client of an account. */
export function openGpo(account: OpenAccount): GpoRail {
  const { gpo } = opgConnector.open(readAccount(account));
  assert.ok(gpo);
  return gpo;
}

/** The client of an account's refunds. */
export function openRefunds(account: OpenAccount): RefundRail {
  const { refunds } = opgConnector.open(readAccount(account));
  assert.ok(refunds);
  return refunds;
}

/** A push of 1500.00 to the number that accepts, unless it is said otherwise. */
export function makePush(changes: Partial<PushOrder> = {}): PushOrder {
  return {
    kind: 'purchase',
    attemptId: randomUUID(),
    gpoMerchantId: '',
    gpoPosId: '',
    wallet: null,
    notifyUrl: NOTIFY_URL,
    reference: 'PED-1',
    phone: '+244900000000',
    amountMinor: 150_000,
    currency: 'AOA',
    description: null,
    ...changes,
  };
}

/** A code for one payment of 1500.00, unless it is said otherwise. */
export function makeCode(changes: Partial<QrOrder> = {}): QrOrder {
  return {
    attemptId: randomUUID(),
    gpoMerchantId: '',
    gpoPosId: '',
    reference: 'PED-1',
    amountMinor: 150_000,
    currency: 'AOA',
    description: 'Mesa 4',
    type: 'DYNAMIC',
    maxTransactions: 1,
    endDate: new Date('2026-03-02T10:00:00.000Z'),
    notifyUrl: NOTIFY_URL,
    ...changes,
  };
}

/** Asks about what was sent, by the id that the rail gave it. */
export function ask(stage: OpgStage, order: PushOrder, railOrderId: string | null): Promise<RailOutcome> {
  const { kind, attemptId } = order;
  return stage.gpo.query({ kind, attemptId, railOrderId, sentAt: stage.account.clock.now() });
}

/** Sends a push and waits until the rail has decided it. */
export async function pushAndWait(stage: OpgStage, changes: Partial<PushOrder> = {}): Promise<RailOutcome> {
  const order = makePush(changes);
  let outcome = await stage.gpo.send(order);
  const { railOrderId } = outcome;
  assert.ok(railOrderId, JSON.stringify(outcome));
  for (let tries = 0; outcome.result === 'pending' && tries < 40; tries++) {
    await stage.pass(3_000);
    outcome = await ask(stage, order, railOrderId);
  }
  return outcome;
}

/** Everything that a transaction or charge says is overwritten with these, whenever it is answered. */
export function rewrite(stage: OpgStage, changes: Record<string, unknown>): void {
  stage.book.write = (thing) => ({ ...thing, ...changes });
}
