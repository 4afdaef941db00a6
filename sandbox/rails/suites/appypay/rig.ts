// What every case of the AppyPay contract starts from: a fake, its account, a clock in hand, and orders to send.
import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { appypay } from '../../../../server/providers/appypay/connector.ts';
import type { Connections } from '../../../../server/http/client/outgoing.ts';
import type { OpenAccount, RailClients } from '../../../../server/providers/connector.ts';
import type {
  GpoRail,
  OrderQuery,
  PprRail,
  PushOrder,
  QrOrder,
  ReferenceOrder,
} from '../../../../server/providers/provider.ts';
import { startAppyPay } from '../../appypay.ts';
import type { AppyPayBook } from '../../appypay-book.ts';
import type { ContractCase, ContractRig } from '../../legacy.ts';
import type { Fake, FakeRequest } from '../../fake.ts';
import { createRigClock, openConnections, press, until } from '../../rig.ts';

export type AppyPayRig = ContractRig<AppyPayBook>;
export type AppyPayCase = ContractCase<AppyPayBook>;

export const TIMEOUT_MS = 30_000;
export const ENTITY = '10116';

/** A fake with an empty book, and an account that is known there. */
export async function openAppyPayRig(): Promise<AppyPayRig & { stop(): Promise<void> }> {
  const clock = createRigClock();
  const fake = await startAppyPay(clock);
  const { clientId, clientSecret, resource, methods } = fake.book;
  const [gpo, ref, umm] = methods;
  const account: OpenAccount = {
    id: 'account-1',
    kind: 'gpo',
    environment: 'test',
    settings: {
      resource,
      methods: { gpo, ref, umm },
      baseUrl: `${fake.url}/v2.0`,
      tokenUrl: `${fake.url}/oauth2/token`,
    },
    secrets: { clientId, clientSecret },
    timeoutMs: TIMEOUT_MS,
    clock,
    connections: openConnections(),
  };
  const clients = { ...appypay.open(account as never), ...appypay.open({ ...account, kind: 'ppr' } as never) };
  return { connector: appypay, account, clients, fake, pass: clock.pass, stop: fake.stop };
}

/** The rig's fake; a case that needs it is no case for the provider's own sandbox. */
export function fakeOf({ fake }: AppyPayRig): Fake & { book: AppyPayBook } {
  assert.ok(fake, 'this case needs the fake');
  return fake;
}

export function gpoOf({ clients }: AppyPayRig): GpoRail {
  return clients.gpo as GpoRail;
}

export function pprOf({ clients, connector, account }: AppyPayRig): PprRail {
  return (clients.ppr ?? connector.open({ ...account, kind: 'ppr' }).ppr) as PprRail;
}

/** Clients of the rig's account, changed. */
export function openChanged(
  { connector, account }: AppyPayRig,
  change: {
    kind?: 'gpo' | 'ppr';
    environment?: 'live';
    settings?: object;
    secrets?: object;
    connections?: Connections;
  },
): Required<RailClients> {
  const { settings, secrets, ...rest } = change;
  const changed = { ...account, ...rest };
  return connector.open({
    ...changed,
    settings: { ...account.settings, ...settings },
    secrets: { ...account.secrets, ...secrets },
  }) as Required<RailClients>;
}

/** A push of 1500.00 AOA, its id new for each name. */
export function pushOf(attemptId: string, change: Partial<PushOrder> = {}): PushOrder {
  return {
    kind: 'purchase',
    attemptId,
    gpoMerchantId: '1',
    gpoPosId: '1',
    wallet: null,
    notifyUrl: 'https://gateway.example/n',
    reference: 'FT 1',
    phone: '+244923456789',
    amountMinor: 1500_00,
    currency: 'AOA',
    description: null,
    ...change,
  };
}

/** The question about a push; `sentAt` is the clock's now unless told. */
export function queryOf({ account }: AppyPayRig, attemptId: string, change: Partial<OrderQuery> = {}): OrderQuery {
  return { kind: 'purchase', attemptId, railOrderId: null, sentAt: account.clock.now(), ...change };
}

export function qrOf(attemptId: string, change: Partial<QrOrder> = {}): QrOrder {
  return {
    attemptId,
    gpoMerchantId: '1',
    gpoPosId: '1',
    reference: 'FT 1',
    amountMinor: 250_00,
    currency: 'AOA',
    description: 'Bilhete',
    type: 'DYNAMIC',
    maxTransactions: 1,
    endDate: new Date('2026-03-04T12:00:00Z'),
    notifyUrl: 'https://gateway.example/n',
    ...change,
  };
}

export function referenceOf(referenceId: string, change: Partial<ReferenceOrder> = {}): ReferenceOrder {
  return {
    referenceId,
    entity: ENTITY,
    reference: '123456789',
    type: 'Dynamic',
    amountMinor: 12_500_50,
    currency: 'AOA',
    description: 'Propina de Março',
    expiresAt: new Date('2026-03-06T12:00:00Z'),
    ...change,
  };
}

/** The calls of the API so far, without those for tokens. */
export function listApiCalls(rig: AppyPayRig, method?: string): FakeRequest[] {
  const calls = fakeOf(rig).requests.filter(({ path }) => path.startsWith('/v2.0/'));
  return calls.filter((call) => !method || call.method === method);
}

export function countTokens(rig: AppyPayRig): number {
  return fakeOf(rig).requests.filter(({ path }) => path === '/oauth2/token').length;
}

/** The body of the last call of the API that had one. */
export function lastBody(rig: AppyPayRig): Record<string, any> {
  return JSON.parse(listApiCalls(rig, 'POST').at(-1)?.body ?? 'null') as Record<string, any>;
}

/** Waits until the fake was asked so often, then lets the time for an answer run out. */
export async function passTimeout(rig: AppyPayRig, asked: () => number, times: number): Promise<void> {
  await until(() => asked() >= times);
  // The answer's effect is in the book by then.
  await turn();
  await rig.pass(TIMEOUT_MS);
}

/** Sends a push and has the payer decide it; what the rail called it. */
export async function pushAndAct(rig: AppyPayRig, attemptId: string, action: string): Promise<string> {
  const { railOrderId } = await gpoOf(rig).send(pushOf(attemptId));
  assert.ok(railOrderId);
  await actOn(rig, railOrderId, action);
  return railOrderId;
}

/** As if somebody pressed a button of the fake's page. */
export function actOn(rig: AppyPayRig, id: string, action: string): Promise<void> {
  return press(fakeOf(rig), id, action);
}
