// Payment references in an app with the simulator: creation, payments at cash machines, and the rail's notifications.
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { until, type Reply, type TestApp } from './app.ts';
import { askRail, readRailBooks } from './lone-rail.ts';
import { deliver, sendSigned, type Send } from './notify.ts';
import { creepUntil, travelUntil } from './payments.ts';
import { payAtRail, type Cashbook, type Digits, type Paying, type RailPayment } from './references.ts';

export const PPR = '/api/references/ppr';
export const PPR_NOTIFY_PATH = '/rails/ppr/notifications';

/** The PPR entity of the demo merchant, whom the sandbox creates. */
export const DEMO_ENTITY = '00999';

let serial = 0;

/** Returns ten new digits that begin with zeros. Generated references have nine digits. */
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

/** Creates a reference of 1500 Kz, with `changes`. @throws if the status is not 201 */
export async function createReference(
  app: TestApp,
  changes: Record<string, unknown> = {},
  { token, path = PPR }: { token?: string; path?: string } = {},
): Promise<any> {
  const { status, text, json } = await app.call(path, { body: reference(changes), ...(token && { token }) });
  if (status !== 201) throw new Error(`no reference: ${status} ${text}`);
  return json;
}

/** Creates a reference and waits until it is registered at the rail. */
export async function createPayable(app: TestApp, changes: Record<string, unknown> = {}): Promise<any> {
  return untilRegistered(app, (await createReference(app, changes)).reference);
}

export async function readReference(app: TestApp, reference: string, token?: string): Promise<any> {
  return (await app.call(`${PPR}/${reference}`, token ? { token } : {})).json;
}

/** Waits until `check` is true for the reference, without moving the clock. */
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

/** Moves the clock slowly until the rail knows all references, so that no background work writes. */
export function creepUntilRegistered(app: TestApp): Promise<boolean> {
  const unknown = `select from payment_references where registered_at is null and status = 'Pending'
    or withdrawn_at is null and status <> 'Pending'`;
  return creepUntil(app, async () => (await app.sql(unknown)).length === 0, 'the rail knowing every reference');
}

/** Waits until the reference has received this amount, without moving the clock. */
export async function untilReceived(app: TestApp, reference: string, amount: number): Promise<any> {
  await untilReference(app, reference, ({ amountPaid }) => amountPaid === amount, `having received ${amount}`);
  // The first read may happen between the write of the reference and the write of its payment.
  return readReference(app, reference);
}

/** Moves the clock until the reference has received this amount. */
export async function travelToReceived(app: TestApp, reference: string, amount: number, ms = 120_000): Promise<any> {
  const isReceived = async () => (await readReference(app, reference)).amountPaid === amount;
  await travelUntil(app, isReceived, `reference ${reference} having received ${amount}`, ms);
  return readReference(app, reference);
}

/** Reads the events of a reference, oldest first, without those of callbacks. */
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

/** Pays at a cash machine and returns the rail's payments. @throws if the machine refuses */
export async function pay(app: TestApp, to: Digits, paying: Paying = {}): Promise<RailPayment[]> {
  const { status, body } = await payAtRail(`${app.url}/sandbox/rail`, to, paying);
  if (status !== 201) throw new Error(`not paid: ${status} ${JSON.stringify(body)}`);
  return body.payments;
}

/** Tries to pay at a cash machine. Returns `201` or the code of the refusal. */
export async function tryToPay(app: TestApp, to: Digits, paying: Paying = {}): Promise<string> {
  const { status, body } = await payAtRail(`${app.url}/sandbox/rail`, to, paying);
  return status === 201 ? '201' : body.code;
}

/** Returns what a cash machine shows before a payment. */
export async function readAtMachine(app: TestApp, { entity, reference }: Digits): Promise<any> {
  return (await askRail(app, '/atm/read', { entity, reference })).body;
}

/** The rail repeats the notification of a payment, as after clearing. */
export async function repeatPprNotification(
  app: TestApp,
  { transactionId }: RailPayment,
  newId = false,
): Promise<string> {
  const { status, body } = await askRail(app, `/atm/payments/${transactionId}/repeat`, { newId });
  expect(status).toBe(201);
  return body.id;
}

export const readCashbook = (app: TestApp, reference: string): Promise<Cashbook> => readRailBooks(app, reference);

let transactions = 0;

/** A payment of 1500.00 at a cash machine, in the rail's JSON. */
export function moneyFor(app: TestApp, to: Digits, changes: Record<string, unknown> = {}) {
  const transactionId = `777000000${String(++transactions).padStart(6, '0')}`;
  const money = { amount: '1500.00', currency: 'AOA', paidAt: app.clock.now().toISOString() };
  const terminal = { type: 'ATM', id: '0000012345', location: 'Luanda Ilha' };
  const account = { nib: '004400006729503010102', bank: 'Banco da Baía' };
  const { entity, reference } = to;
  return { transactionId, entity, reference, ...money, period: '20515', number: '7', terminal, ...account, ...changes };
}

/** The body of a rail notification with this id. */
export function pprNotificationBody(payment: object, id: string = randomUUID()): string {
  return JSON.stringify({ id, type: 'reference_payment', payment });
}

export const sendPprNotification: Send = (app, body, options) => sendSigned(app, 'ppr', body, options);

/** Sends the notification of a payment and returns its outcome in the inbox. */
export function notifyPprPayment(app: TestApp, payment: object): Promise<string> {
  const id = randomUUID();
  return deliver(app, sendPprNotification, pprNotificationBody(payment, id), id);
}

/** Returns the faults of a response in their order, as texts such as `/amount required`. */
export function readFieldFaults({ json }: Reply): string[] {
  return json.errors.map((fault: { pointer: string; code: string }) => `${fault.pointer} ${fault.code}`);
}
