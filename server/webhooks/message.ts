// Builds the requests of deliveries. Callback bodies have the rails' field names, because merchants rely on them.
// Webhooks are signed by the Standard Webhooks specification. This file also creates and rotates their signing secrets.
import { createHmac, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { toMajor } from '../../shared/money.ts';
import { VERSION } from '../config.ts';
import type { Core } from '../core.ts';
import { isAny, prepared } from '../database/db.ts';
import { viewEvent, type DescribeEvents } from '../events/view.ts';
import type { Keyring } from '../secrets.ts';
import { findMoney, type ClaimedDelivery, type CallbackFunds } from './claim.ts';
import type { Delivery } from './entities.ts';
import { HOUR_MS } from '../../shared/durations.ts';

/** The purposes of encrypted values. A value can be decrypted only with the purpose of its encryption (see Keyring). */
export const SEALED_ACCESS_KEY = 'callback access key';
export const SEALED_SECRETS = 'webhook secrets';

/** A signing secret of a webhook. A rotated secret signs until `until` (ISO 8601). Null: the current secret. */
type SigningSecret = { secret: string; until: string | null };

/** Reads the events of claimed webhook deliveries by `seq`. An unreadable event is logged and left out. */
export async function loadEvents(
  core: Core,
  describe: DescribeEvents,
  seqs: number[],
): Promise<Map<number, EventBody>> {
  if (seqs.length === 0) return new Map();
  try {
    const events = await findEvents.all(core, { seqs });
    const payments = await describe(events);
    return new Map(
      events.map((event, nth) => [event.seq, { id: event.id, body: viewEvent(event, payments[nth] ?? null) }]),
    );
  } catch (error) {
    const [seq, ...others] = seqs;
    if (others.length > 0) return loadEach(core, describe, seqs);
    core.log.error({ err: error, eventSeq: seq }, 'could not read event of webhook');
    return new Map();
  }
}

const findEvents = prepared((tables, { seqs }: { seqs: number[] }) =>
  tables
    .selectFrom('events')
    .selectAll()
    .where('seq', ...isAny(seqs)),
);

/** Reads the events one by one, so that one unreadable event does not block the others. */
async function loadEach(core: Core, describe: DescribeEvents, seqs: number[]): Promise<Map<number, EventBody>> {
  const loaded = await Promise.all(seqs.map((seq) => loadEvents(core, describe, [seq])));
  return new Map(loaded.flatMap((one) => [...one]));
}

/** The body of a delivery. `id`: the `webhook-id`, which is the event's id or, for a test, the delivery's id. */
export type EventBody = { id: string; body: object };

/** Returns the body of a callback, of a test or of an event. @throws Error if the event could not be read */
export function bodyOf(
  claimed: Pick<ClaimedDelivery, 'id' | 'kind' | 'type' | 'createdAt' | 'money'>,
  event?: EventBody,
): EventBody {
  const { id, kind, type, createdAt, money } = claimed;
  if (event) return event;
  if (kind === 'webhook') throw new Error('the event could not be read');
  if (kind === 'test' && type === 'webhook.test') {
    const sample = { id, type, occurredAt: createdAt, paymentId: null, status: null, details: {}, data: null };
    return { id, body: sample };
  }
  const reported = money ?? sampleMoney(type, id, createdAt);
  return { id, body: CALLBACK_BODIES[type]?.(reported) ?? {} };
}

export type WebhookRequest = { url: string; headers: Record<string, string>; body: string };

/** Builds the request of an attempt. @throws Error if SECRETS_KEYS lacks the key of an encrypted secret */
export function makeMessage(core: Core, claimed: ClaimedDelivery, event: EventBody): WebhookRequest {
  const { endpoint, number } = claimed;
  const body = JSON.stringify(event.body);
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    'User-Agent': `Balcao/${VERSION}`,
    'Balcao-Delivery': claimed.id,
    'Balcao-Attempt': String(number),
    ...(claimed.kind === 'test' && { 'Balcao-Test': 'true' }),
  };
  if (endpoint.accessKey) headers['Access-Key'] = core.keyring.open(endpoint.accessKey, SEALED_ACCESS_KEY);
  if (endpoint.secrets) {
    const now = core.clock.now();
    const stored = openSecrets(core.keyring, endpoint.secrets);
    const secrets = stored.filter(({ until }) => until === null || new Date(until) > now).map(({ secret }) => secret);
    Object.assign(headers, signWebhook({ id: event.id, timestamp: core.clock.outside(), body, secrets }));
  }
  return { url: endpoint.url, headers, body };
}

/** Returns the body that the attempts of a delivery send. Null if its event cannot be read. */
export async function describeBody(core: Core, describe: DescribeEvents, delivery: Delivery): Promise<object | null> {
  const { eventSeq, transactionId } = delivery;
  if (eventSeq != null) return (await loadEvents(core, describe, [eventSeq])).get(eventSeq)?.body ?? null;
  const money = transactionId == null ? null : await findMoney.first(core, { transactionId });
  return bodyOf({ ...delivery, money }).body;
}

/** Builds the body of a callback for money that was paid to a payment reference. */
function viewPprCallback(money: CallbackFunds) {
  const { details } = money;
  return {
    idTransacao: money.providerRef,
    numLogSistema: details['transactionNumber'] ?? null,
    idLogSistema: details['clearingPeriod'] ?? null,
    dataTransaccaoCliente: money.occurredAt.toISOString(),
    montantePago: toMajor(money.amountMinor, money.currency),
    tipoTerminal: details['terminalType'] ?? null,
    iIdentTerminal: details['terminalId'] ?? null,
    localidadeTerminal: details['terminalLocation'] ?? null,
    refPagamento: money.reference,
    // The gateway's id of the transaction. The id stays the same if the rail reports the transaction twice.
    Id: money.id,
    nib: details['nib'] ?? null,
    banco: details['bank'] ?? null,
    paymentMethod: 'reference',
    documentNumber: money.documentNumber,
  };
}

/** Builds the body of a callback for a scan of a QR code. Only accepted scans create a callback. */
function viewQrCallback(money: CallbackFunds) {
  const { details } = money;
  return {
    creationDate: readRailTime(details['creationDate']) ?? money.occurredAt.toISOString(),
    updatedDate: readRailTime(details['updatedDate']) ?? money.occurredAt.toISOString(),
    id: money.providerRef,
    amount: toMajor(money.amountMinor, money.currency),
    clearingPeriod: details['clearingPeriod'] ?? null,
    transactionNumber: details['transactionNumber'] ?? null,
    status: 'ACCEPTED',
    transactionType: details['transactionType'] ?? null,
    orderOrigin: details['orderOrigin'] ?? null,
    currency: money.currency,
    merchantReferenceNumber: money.reference,
    paymentMethod: 'qrcode',
    documentNumber: money.documentNumber,
  };
}

const moment = z.iso.datetime({ offset: true });

/** Converts a rail's time to ISO 8601 in UTC. Returns null for a text that is not ISO 8601. */
function readRailTime(text: string | null | undefined): string | null {
  const read = moment.safeParse(text);
  return read.success ? new Date(read.data).toISOString() : null;
}

const CALLBACK_BODIES: Record<string, (money: CallbackFunds) => object> = {
  'callback.ppr': viewPprCallback,
  'callback.qrcode': viewQrCallback,
};

/**
 * Returns a fictitious transaction for a test of an endpoint, with `test-` in its id.
 * @param id the delivery's id, so that each test has a different transaction
 */
function sampleMoney(type: string, id: string, at: Date): CallbackFunds {
  const common = { transactionNumber: '1', clearingPeriod: '1' };
  const details: Record<string, string> =
    type === 'callback.qrcode'
      ? { ...common, transactionType: 'TEST', orderOrigin: 'TEST' }
      : { ...common, terminalType: 'ATM', terminalId: '0000000001', terminalLocation: 'Luanda TESTE' };
  const reference = type === 'callback.qrcode' ? 'TESTE' : '000000000';
  const sums = { amountMinor: 150_000, currency: 'AOA' };
  return { id, providerRef: `test-${id}`, ...sums, reference, occurredAt: at, details, documentNumber: null };
}

type WebhookMessage = {
  /** The event's id, which is the same at every attempt. */
  id: string;
  /** The time of this attempt. Receivers reject a message whose time differs by minutes from their own clock. */
  timestamp: Date;
  /** The exact text of the request body. */
  body: string;
  /**
   * Signing secrets with the prefix `whsec_`.
   * During a rotation several secrets sign, and a receiver needs only one.
   */
  secrets: readonly string[];
};

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** Builds the three headers of a webhook. The signature header has one `v1,…` for each secret. */
export function signWebhook({ id, timestamp, body, secrets }: WebhookMessage): Record<string, string> {
  const seconds = String(Math.floor(timestamp.getTime() / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': signatures.join(' ') };
}

export function makeSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/** The most secrets of a webhook. A rotation beyond this number removes the oldest secret. */
const MAX_SECRETS = 8;

/** Creates the first secret of a webhook. `sealed`: its encrypted value for the column `secrets`. */
export function sealFirstSecret(keyring: Keyring): { secret: string; sealed: string } {
  const secret = makeSecret();
  return { secret, sealed: sealSecrets(keyring, [{ secret, until: null }]) };
}

/** Decrypts all stored secrets, newest first, including secrets that no longer sign. */
function openSecrets(keyring: Keyring, sealed: string): SigningSecret[] {
  return JSON.parse(keyring.open(sealed, SEALED_SECRETS)) as SigningSecret[];
}

/** Adds a new secret before the others. No earlier secret signs longer than the overlap from now. */
export function sealNextSecret(
  keyring: Keyring,
  sealed: string,
  { now, overlapHours }: { now: Date; overlapHours: number },
): { secret: string; sealed: string; until: Date } {
  const secret = makeSecret();
  const until = new Date(now.getTime() + overlapHours * HOUR_MS);
  const others = openSecrets(keyring, sealed)
    .map((old) => ({ ...old, until: earlier(old.until, until) }))
    .filter((old) => old.until > now.toISOString());
  return { secret, sealed: sealSecrets(keyring, [{ secret, until: null }, ...others].slice(0, MAX_SECRETS)), until };
}

function earlier(until: string | null, limit: Date): string {
  const iso = limit.toISOString();
  return until !== null && until < iso ? until : iso;
}

function sealSecrets(keyring: Keyring, secrets: SigningSecret[]): string {
  return keyring.seal(JSON.stringify(secrets), SEALED_SECRETS);
}
