// What every case against ProxyPay stands on: an account, its client, orders, and the sandbox's own way to pay.
import assert from 'node:assert/strict';
import type { PprRail, ReferenceOrder, ReferencePayment } from '../../../../server/providers/provider.ts';
import { baseUrlOf, type ProxypayAccount } from '../../../../server/providers/proxypay/account.ts';
import { proxypay } from '../../../../server/providers/proxypay/connector.ts';
import type { ContractCase, ContractRig } from '../../legacy.ts';
import { startProxypay, type ProxypayBook } from '../../proxypay.ts';
import type { ProxypayPayment } from '../../proxypay-payment.ts';
import { createRigClock, openConnections } from '../../rig.ts';

export type ProxypayRig = ContractRig<ProxypayBook>;
export type ProxypayCase = ContractCase<ProxypayBook>;

export const ENTITY = '01234';
export const API_KEY = 'key-of-the-fake-4f1c';
/** Begins with a zero, which the rail loses. */
export const DIGITS = '012345678';
export const REFERENCE_ID = '0190c3b2-5a7e-7cc1-9d4e-3f1a2b4c5d6e';
export const OTHER_ID = '0190c3b2-5a7e-7cc1-9d4e-aaaaaaaaaaaa';
export const TIMEOUT_MS = 5_000;

export async function openRig(): Promise<ProxypayRig & { stop(): Promise<void> }> {
  const clock = createRigClock();
  const fake = await startProxypay({ clock, entity: ENTITY, apiKey: API_KEY });
  const account: ProxypayAccount = {
    id: '0190c3b2-0000-7000-8000-000000000001',
    kind: 'ppr',
    environment: 'test',
    settings: { entity: ENTITY, isExclusive: true, baseUrl: fake.url },
    secrets: { apiKey: API_KEY },
    timeoutMs: TIMEOUT_MS,
    clock,
    connections: openConnections(),
  };
  return {
    connector: proxypay,
    account,
    clients: proxypay.open(account),
    fake,
    pass: clock.pass,
    stop: fake.stop,
  };
}

/** The rail with everything that ProxyPay's has. */
export function railOf({ clients }: Pick<ProxypayRig, 'clients'>): Required<Omit<PprRail, 'registerMany'>> {
  const { ppr } = clients;
  assert(ppr?.acknowledge && ppr.reserve);
  return ppr as Required<PprRail>;
}

/** The same account with other settings. */
export function reopen({ connector, account }: ProxypayRig, changes: Partial<ProxypayAccount>) {
  return railOf({ clients: connector.open({ ...account, ...changes }) });
}

export function fakeOf({ fake }: ProxypayRig) {
  assert(fake, 'only against the fake');
  return fake;
}

export function accountOf({ account }: ProxypayRig): ProxypayAccount {
  return account as ProxypayAccount;
}

export function orderOf(changes: Partial<ReferenceOrder> = {}): ReferenceOrder {
  return {
    referenceId: REFERENCE_ID,
    entity: ENTITY,
    reference: DIGITS,
    type: 'Dynamic',
    amountMinor: 300_000,
    currency: 'AOA',
    description: 'Matrícula 2027',
    expiresAt: new Date('2026-03-31T22:59:59.999Z'),
    ...changes,
  };
}

/** For an order that may be sent to the provider's own sandbox: its entity, digits that are nobody's. */
export async function liveOrder(rig: ProxypayRig, changes: Partial<ReferenceOrder> = {}): Promise<ReferenceOrder> {
  const [reference = ''] = (await railOf(rig).reserve(1)) ?? [];
  assert.match(reference, /^\d{9}$/);
  const expiresAt = new Date(rig.account.clock.now().getTime() + 3 * 86_400_000);
  return orderOf({ entity: accountOf(rig).settings.entity, reference, expiresAt, ...changes });
}

/** Pays as the provider's sandbox lets anybody; the status it was answered with. */
export async function payAtRail(rig: ProxypayRig, digits: string, amount: string): Promise<number> {
  const account = accountOf(rig);
  const answer = await fetch(`${baseUrlOf(account)}/payments`, {
    method: 'POST',
    headers: {
      Authorization: `Token ${account.secrets.apiKey}`,
      Accept: 'application/vnd.proxypay.v2+json',
      'Content-Type': 'application/json',
    },
    body: JSON.stringify({ reference_id: Number(digits), amount }),
  });
  await answer.arrayBuffer();
  await rig.pass(3_000);
  return answer.status;
}

/** Everything in the queue, which must be readable. */
export async function listAll(rig: ProxypayRig): Promise<ReferencePayment[]> {
  const page = await railOf(rig).listPayments(null);
  assert.equal(page.result, 'told');
  assert.deepEqual(page.unreadable, []);
  return page.payments;
}

/** What the connector asked of the rail, in order. */
export function listCalls(rig: ProxypayRig): string[] {
  return fakeOf(rig).requests.map(({ method, path }) => `${method} ${path}`);
}

/** The body of its last call, as it travelled. */
export function lastBody(rig: ProxypayRig): Record<string, unknown> {
  return JSON.parse(fakeOf(rig).requests.at(-1)?.body || '{}') as Record<string, unknown>;
}

/** Registers the reference of `orderOf`, and something is paid to it. */
export async function takeOne(rig: ProxypayRig, changes: Partial<ProxypayPayment> = {}): Promise<ProxypayPayment> {
  await railOf(rig).register(orderOf());
  return fakeOf(rig).book.pay(DIGITS, '3000.00', changes);
}
