// QR codes: their creation, their images, and scans at the rail.
import { randomUUID } from 'node:crypto';
import { PNG } from 'pngjs';
import decodeQR from 'qr/decode.js';
import { until, type TestApp } from './app.ts';
import { askRail, readRailBooks } from './lone-rail.ts';
import { deliver, sendNotification } from './notify.ts';
import { webframe } from './payments.ts';
import type { Proxy } from './proxy.ts';

/** A phone number that is not a test number. The simulator approves its scans immediately. */
export const SCANNER = '923000009';

/** A valid QR creation with its own reference. */
export function qrcode(metadata: Record<string, unknown> = {}, changes: Record<string, unknown> = {}) {
  return webframe({ metadata: { paymentMethod: 'qrcode', ...metadata }, ...changes });
}

export type Code = { id: string; reference: string; content: string; clientToken: string; attemptId: string };

/** Creates a QR code. @throws if the status is not 201 */
export async function createCode(
  app: TestApp,
  metadata: Record<string, unknown> = {},
  changes: Record<string, unknown> = {},
): Promise<Code> {
  const headers = { prefer: 'return=representation' };
  const { status, text, json } = await app.call('/api/payments', { body: qrcode(metadata, changes), headers });
  if (status !== 201) throw new Error(`no code: ${status} ${text}`);
  // The rail identifies the QR code by the id of the attempt that created it.
  const [attempt] = await app.sql(`select id from attempts where payment_id = $1 and kind = 'qrcode'`, [json.id]);
  return { ...json, content: json.qrCode.content, attemptId: attempt.id };
}

/** Waits until the proxy holds the creation of this payment's code. It may also hold a query of an earlier order. */
export function untilCodeHeld(calls: Pick<Proxy, 'seen' | 'held'>, reference: string): Promise<unknown> {
  const isAsked = () => calls.seen.some(({ path, body }) => path === '/v1/qrcodes' && body.includes(`"${reference}"`));
  return until(() => isAsked() && calls.held() > 0, 'the creation of the code at the proxy');
}

export type Image = { status: number; headers: Headers; bytes: Buffer };

/** Calls the API with the demo merchant's token and returns the response as bytes. */
export async function callForImage(
  app: TestApp,
  path: string,
  { body, headers = {} }: { body?: object; headers?: Record<string, string> } = {},
): Promise<Image> {
  const response = await fetch(app.url + path, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${await app.token()}`, 'content-type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}

/** Decodes the PNG of a QR code. Returns its size in pixels and its content. */
export function readPng(bytes: Buffer): { width: number; height: number; content: string } {
  const { width, height, data } = PNG.sync.read(bytes);
  return { width, height, content: decodeQR({ width, height, data }) };
}

export const scanCode = (app: TestApp, content: string, phone = SCANNER) => askRail(app, '/scans', { content, phone });

/** Reads the QR code of a payment in the rail's books, with its scans. */
export async function readCodeBook(app: TestApp, reference: string): Promise<any> {
  return (await readRailBooks(app, reference)).qrcodes[0];
}

/** A scan of 1500.00 in the rail's JSON. */
export function scanOf(code: Pick<Code, 'attemptId'>, at: Date, changes: Record<string, unknown> = {}) {
  const date = at.toISOString();
  const order = { transactionType: 'PURCHASE', orderOrigin: 'QRCODE', creationDate: date, updatedDate: date };
  const money = { transactionId: randomUUID(), amount: '1500.00', currency: 'AOA', phone: `+244${SCANNER}` };
  const ids = { id: randomUUID(), qrCodeId: code.attemptId, transactionNumber: '7', clearingPeriod: '20' };
  return { ...ids, status: 'ACCEPTED', reason: null, terminalId: 'demo-pos', ...money, ...order, ...changes };
}

/** The rail's notification of a scan. */
export function writeScanNews(scan: object, at: Date, id: string = randomUUID()): string {
  return JSON.stringify({ id, type: 'qrcode_payment', createdAt: at.toISOString(), payment: scan });
}

/** Sends the rail's notification of a scan and returns its outcome in the inbox. */
export function notifyScan(
  app: TestApp,
  code: Pick<Code, 'attemptId'>,
  changes: Record<string, unknown> = {},
): Promise<string> {
  const [id, now] = [randomUUID(), app.clock.now()];
  return deliver(app, sendNotification, writeScanNews(scanOf(code, now, changes), now, id), id);
}
