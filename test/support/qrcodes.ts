// QR codes as tests make, read and pay them, and the rail's word about their payments.
import { randomUUID } from 'node:crypto';
import { PNG } from 'pngjs';
import decodeQR from 'qr/decode.js';
import { until, type Reply, type TestApp } from './app.ts';
import { sendNotification } from './notify.ts';
import { webframe } from './payments.ts';

/** A number that no script speaks for: whoever scans with it pays at once. */
export const SCANNER = '923000009';

/** A valid QR creation; every call has a reference of its own. */
export function qrcode(metadata: Record<string, unknown> = {}, changes: Record<string, unknown> = {}) {
  return webframe({ metadata: { paymentMethod: 'qrcode', ...metadata }, ...changes });
}

export type Code = { id: string; reference: string; content: string; clientToken: string; attemptId: string };

/** Creates a code and answers what is needed to pay it. @throws when it was not created */
export async function createCode(
  app: TestApp,
  metadata: Record<string, unknown> = {},
  changes: Record<string, unknown> = {},
): Promise<Code> {
  const headers = { prefer: 'return=representation' };
  const { status, text, json } = await app.call('/api/payments', { body: qrcode(metadata, changes), headers });
  if (status !== 201) throw new Error(`no code: ${status} ${text}`);
  return { ...json, content: json.qrCode.content, attemptId: await readMaker(app, json.id) };
}

/** The attempt that made a payment's code: its id is the rail's name of the code. */
export async function readMaker(app: TestApp, paymentId: string): Promise<string> {
  const [row] = await app.sql(`select id from attempts where payment_id = $1 and kind = 'qrcode'`, [paymentId]);
  return row?.id;
}

export type Image = { status: number; headers: Headers; bytes: Buffer };

/** Calls with the demo merchant's token and answers bytes: an image does not survive as text. */
export async function callForImage(
  app: TestApp,
  path: string,
  { body, headers = {} }: { body?: object; headers?: Record<string, string> } = {},
): Promise<Image> {
  const response = await fetch(app.url + path, {
    headers: { authorization: `Bearer ${await app.token()}`, 'content-type': 'application/json', ...headers },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}

/** What a camera reads in a PNG, and how large the image is. */
export function readPng(bytes: Buffer): { width: number; height: number; content: string } {
  const { width, height, data } = PNG.sync.read(bytes);
  return { width, height, content: decodeQR({ width, height, data }) };
}

/** The simulator beside an app, unsigned as people and testers reach it. */
export async function askRail(app: TestApp, path: string, body?: object, method = 'POST'): Promise<Reply> {
  const headers = { 'content-type': 'application/json' };
  const init = body ? { method, headers, body: JSON.stringify(body) } : {};
  const response = await fetch(`${app.url}/sandbox/rail${path}`, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: text ? JSON.parse(text) : undefined };
}

/** A payer scans and pays. */
export function scanCode(app: TestApp, content: string, phone = SCANNER): Promise<Reply> {
  return askRail(app, '/scans', { content, phone });
}

/** The code as the rail's books have it, with its scans. */
export async function readCodeBook(app: TestApp, reference: string): Promise<any> {
  const { json } = await askRail(app, `/books?reference=${reference}`);
  return json.qrcodes[0];
}

/** What a payment of 1500.00 through a code looks like at the rail. */
export function scanOf(code: Pick<Code, 'attemptId'>, at: Date, changes: Record<string, unknown> = {}) {
  const date = at.toISOString();
  const order = { transactionType: 'PURCHASE', orderOrigin: 'QRCODE', creationDate: date, updatedDate: date };
  const money = { transactionId: randomUUID(), amount: '1500.00', currency: 'AOA', phone: `+244${SCANNER}` };
  const ids = { id: randomUUID(), qrCodeId: code.attemptId, transactionNumber: '7', clearingPeriod: '20' };
  return { ...ids, status: 'ACCEPTED', reason: null, terminalId: 'demo-pos', ...money, ...order, ...changes };
}

/** A signed notification of a payment through a code. */
export function writeScanNews(scan: object, at: Date, id: string = randomUUID()): string {
  return JSON.stringify({ id, type: 'qrcode_payment', createdAt: at.toISOString(), payment: scan });
}

/** The rail tells of a payment through a code; answers what came of it, once it was applied. */
export async function notifyScan(
  app: TestApp,
  code: Pick<Code, 'attemptId'>,
  changes: Record<string, unknown> = {},
): Promise<string> {
  const now = app.clock.now();
  const news = writeScanNews(scanOf(code, now, changes), now);
  const reply = await sendNotification(app, news);
  if (reply.status !== 200) throw new Error(`not taken: ${reply.status} ${reply.text}`);
  // By its text: what cannot be read is not stored under an id of the rail's.
  return until(async () => {
    const [row] = await app.sql('select outcome, applied_at from inbox where body = $1', [news]);
    return row?.applied_at && row.outcome;
  }, 'the notification being applied');
}
