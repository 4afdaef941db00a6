// Payment references as merchants make them and payers pay them: an app, the simulator beside it, and the rail's own voice.
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { signMessage } from '../../server/http/signature.ts';
import { until, type Reply, type TestApp } from './app.ts';
import { callRail } from './lone-rail.ts';
import { untilApplied, type SendOptions } from './notify.ts';
import { creepUntil, travelUntil } from './payments.ts';
import { payAtRail, type Cashbook, type Digits, type Paying, type RailPayment } from './references.ts';

export const PPR = '/api/references/ppr';
export const PPR_NOTIFY_PATH = '/rails/ppr/notifications';

/** The demo merchant's (decisions §10). */
export const DEMO_ENTITY = '00999';

let serial = 0;

/** Ten digits that begin with zeros, others at every call; generated ones have nine. */
export function digits(): string {
  return `00${String(++serial).padStart(8, '0')}`;
}

/** A valid Dynamic body for `POST /api/references/ppr`. */
export function reference(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return { amount: 1500, ...changes };
}

/** A valid Dynamic body for `POST /api/payments`. */
export function byReference(metadata: Record<string, unknown> = {}, changes: Record<string, unknown> = {}) {
  return { amount: 1500, currency: 'AOA', paymentType: 'PPR', metadata, ...changes };
}

/** Creates one, of 1500 Kz unless changed, and answers it as it was created. @throws when it was not */
export async function createReference(
  app: TestApp,
  changes: Record<string, unknown> = {},
  options: { token?: string; path?: string } = {},
): Promise<any> {
  const { token, path = PPR } = options;
  const { status, text, json } = await app.call(path, { body: reference(changes), ...(token && { token }) });
  if (status !== 201) throw new Error(`no reference: ${status} ${text}`);
  return json;
}

/** The same, once the rail takes payments of it. */
export async function createPayable(app: TestApp, changes: Record<string, unknown> = {}): Promise<any> {
  return untilRegistered(app, (await createReference(app, changes)).reference);
}

export async function readReference(app: TestApp, reference: string, token?: string): Promise<any> {
  return (await app.call(`${PPR}/${reference}`, token ? { token } : {})).json;
}

/** The reference, once `check` is true of it (the clock stands still). */
export function untilReference(
  app: TestApp,
  reference: string,
  check: (found: any) => unknown,
  what: string,
  token?: string,
): Promise<any> {
  return until(async () => {
    const found = await readReference(app, reference, token);
    return (await check(found)) && found;
  }, `reference ${reference}: ${what}`);
}

export function untilRegistered(app: TestApp, reference: string, token?: string): Promise<any> {
  return untilReference(app, reference, ({ registeredAt }) => registeredAt, 'being known to the rail', token);
}

/** Nothing is left to tell the rail, so that nothing is written in the background any more; the clock creeps on. */
export function creepUntilTold(app: TestApp): Promise<boolean> {
  const untold = `select from payment_references where registered_at is null and status = 'Pending'
    or withdrawn_at is null and status <> 'Pending'`;
  return creepUntil(app, async () => (await app.sql(untold)).length === 0, 'the rail knowing every reference');
}

/** The reference once so much was received (the clock stands still). */
export async function untilReceived(app: TestApp, reference: string, amount: number): Promise<any> {
  await untilReference(app, reference, ({ amountPaid }) => amountPaid === amount, `having received ${amount}`);
  // Read once more: the first look may have come between the reference's row and its payment's.
  return readReference(app, reference);
}

/** The same while the clock runs on. */
export async function travelToReceived(
  app: TestApp,
  reference: string,
  amount: number,
  withinMs = 120_000,
): Promise<any> {
  const isReceived = async () => (await readReference(app, reference)).amountPaid === amount;
  await travelUntil(app, isReceived, `reference ${reference} having received ${amount}`, withinMs);
  return readReference(app, reference);
}

/** Its events, the oldest first; how its merchant was told is callbacks' own affair. */
export async function readHistory(app: TestApp, reference: string): Promise<any[]> {
  const { data } = (await app.call(`${PPR}/${reference}/history`)).json;
  return data.filter(({ type }: { type: string }) => !type.startsWith('callback.'));
}

export async function readSteps(app: TestApp, reference: string): Promise<string[]> {
  return (await readHistory(app, reference)).map(({ type }) => type);
}

export function cancel(app: TestApp, reference: string, headers: Record<string, string> = {}): Promise<Reply> {
  return app.call(`${PPR}/${reference}/cancel`, { method: 'POST', headers });
}

const railOf = (app: TestApp) => `${app.url}/sandbox/rail`;

/** Somebody pays at a machine; answers the rail's payments. @throws when the machine refused */
export async function pay(app: TestApp, to: Digits, paying: Paying = {}): Promise<RailPayment[]> {
  const { status, body } = await payAtRail(railOf(app), to, paying);
  if (status !== 201) throw new Error(`not paid: ${status} ${JSON.stringify(body)}`);
  return body.payments;
}

/** What a machine says to somebody who tries to pay: `201` or the refusal's code. */
export async function tryToPay(app: TestApp, to: Digits, paying: Paying = {}): Promise<string> {
  const { status, body } = await payAtRail(railOf(app), to, paying);
  return status === 201 ? '201' : body.code;
}

/** What a machine shows before paying. */
export async function readAtMachine(app: TestApp, { entity, reference }: Digits): Promise<any> {
  return (await callRail(railOf(app), '/atm/read', { entity, reference })).body;
}

/** The rail tells of a payment once more, as after clearing. */
export async function repeatNews(app: TestApp, { transactionId }: RailPayment, newId = false): Promise<string> {
  const { status, body } = await callRail(railOf(app), `/atm/payments/${transactionId}/repeat`, { newId });
  expect(status).toBe(201);
  return body.id;
}

export async function readCashbook(app: TestApp, reference: string): Promise<Cashbook> {
  return (await callRail(railOf(app), `/books?reference=${reference}`)).body;
}

let transactions = 0;

/** A payment of 1500.00 at a machine, as the rail writes it. */
export function moneyFor(app: TestApp, to: Digits, changes: Record<string, unknown> = {}) {
  return {
    transactionId: `777000000${String(++transactions).padStart(6, '0')}`,
    entity: to.entity,
    reference: to.reference,
    amount: '1500.00',
    currency: 'AOA',
    paidAt: app.clock.now().toISOString(),
    period: '20515',
    number: '7',
    terminal: { type: 'ATM', id: '0000012345', location: 'Luanda Ilha' },
    nib: '004400006729503010102',
    bank: 'Banco da Baía',
    ...changes,
  };
}

/** A notification's body; `id` is the notification's own. */
export function writeNews(payment: object, id: string = randomUUID()): string {
  return JSON.stringify({ id, type: 'reference_payment', payment });
}

/** Sends bytes to the gateway, signed now with the PPR rail's key unless told otherwise. */
export function sendNews(app: TestApp, body: string | Uint8Array, options: SendOptions = {}): Promise<Reply> {
  const { config, keyring } = app.node.core;
  const own = config.PPR_KEY ?? keyring.derive('rail:ppr').toString('base64url');
  const { key = own, signedAt = app.clock.now() } = options;
  const message = { method: 'POST', path: PPR_NOTIFY_PATH, body: Buffer.from(body) };
  const headers = { ...signMessage(key, message, signedAt), ...options.headers };
  return app.call(PPR_NOTIFY_PATH, { body: options.instead ?? body, token: null, headers });
}

/** Tells of a payment and answers what came of it, once it was applied. */
export async function tell(app: TestApp, payment: object): Promise<string> {
  const id = randomUUID();
  const { status, text } = await sendNews(app, writeNews(payment, id));
  if (status !== 200) throw new Error(`not taken: ${status} ${text}`);
  return untilApplied(app, id);
}

/** `/amount required`, … in the order of the answer. */
export function faultsOf({ json }: Reply): string[] {
  return json.errors.map((fault: { pointer: string; code: string }) => `${fault.pointer} ${fault.code}`);
}
