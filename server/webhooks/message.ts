// What a delivery says and how it is proved: the two callbacks field for field as decisions §13 has them, webhooks signed as the
// Standard Webhooks specification has it, and the secrets they are signed with.
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

/** Where sealed values may be opened: bound into each (see Keyring). */
export const SEALED_ACCESS_KEY = 'callback access key';
export const SEALED_SECRETS = 'webhook secrets';

/** A webhook's signing secret; a rotated one signs along until its time is over. */
type SigningSecret = { secret: string; until: string | null };

/** The events that claimed webhooks tell, by their seq. */
export async function loadEvents(
  core: Core,
  describe: DescribeEvents,
  seqs: number[],
): Promise<Map<number, EventBody>> {
  if (seqs.length === 0) return new Map();
  try {
    const events = await findEvents.all(core, { seqs });
    const told = await describe(events);
    return new Map(
      events.map((event, nth) => [event.seq, { id: event.id, body: viewEvent(event, told[nth] ?? null) }]),
    );
  } catch (error) {
    const [seq, ...others] = seqs;
    if (others.length > 0) return loadEach(core, describe, seqs);
    core.log.error({ err: error, eventSeq: seq }, 'an event could not be read');
    return new Map();
  }
}

const findEvents = prepared((tables, { seqs }: { seqs: number[] }) =>
  tables
    .selectFrom('events')
    .selectAll()
    .where('seq', ...isAny(seqs)),
);

/** One that cannot be told must not hold up all others. */
async function loadEach(core: Core, describe: DescribeEvents, seqs: number[]): Promise<Map<number, EventBody>> {
  const loaded = await Promise.all(seqs.map((seq) => loadEvents(core, describe, [seq])));
  return new Map(loaded.flatMap((one) => [...one]));
}

export type EventBody = { id: string; body: object };

/** What is told: a callback's body, a sample, or the event. @throws when it is an event that could not be read */
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
  const told = money ?? sampleMoney(type, id, createdAt);
  return { id, body: CALLBACK_BODIES[type]?.(told) ?? {} };
}

export type WebhookRequest = { url: string; headers: Record<string, string>; body: string };

/**
 * The whole request. @throws when a secret cannot be opened: its key is gone from SECRETS_KEYS
 */
export function makeMessage(core: Core, claimed: ClaimedDelivery, told: EventBody): WebhookRequest {
  const { endpoint, number } = claimed;
  const body = JSON.stringify(told.body);
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
    const known = openSecrets(core.keyring, endpoint.secrets);
    const secrets = known.filter(({ until }) => until === null || new Date(until) > now).map(({ secret }) => secret);
    Object.assign(headers, signWebhook({ id: told.id, timestamp: core.clock.outside(), body, secrets }));
  }
  return { url: endpoint.url, headers, body };
}

/** The body of a delivery, as its attempts send it: for those who want to see it. */
export async function describeBody(core: Core, describe: DescribeEvents, delivery: Delivery): Promise<object | null> {
  const { eventSeq, transactionId } = delivery;
  if (eventSeq != null) return (await loadEvents(core, describe, [eventSeq])).get(eventSeq)?.body ?? null;
  const money = transactionId == null ? null : await findMoney.first(core, { transactionId });
  return bodyOf({ ...delivery, money }).body;
}

/** Of money that was paid to a reference (decisions §13). */
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
    // Ours, and the same as in the payment's `transactions`: money that the rail told of twice is told on once.
    Id: money.id,
    nib: details['nib'] ?? null,
    banco: details['bank'] ?? null,
    paymentMethod: 'reference',
    documentNumber: money.documentNumber,
  };
}

/** Of a scan of a QR code (decisions §13); refused scans are never told of. */
function viewQrCallback(money: CallbackFunds) {
  const { details } = money;
  return {
    creationDate: readTime(details['creationDate']) ?? money.occurredAt.toISOString(),
    updatedDate: readTime(details['updatedDate']) ?? money.occurredAt.toISOString(),
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

/** The rail's words for a moment, as ISO 8601 in UTC; what is none is not guessed. */
function readTime(text: string | null | undefined): string | null {
  const read = moment.safeParse(text);
  return read.success ? new Date(read.data).toISOString() : null;
}

const CALLBACK_BODIES: Record<string, (money: CallbackFunds) => object> = {
  'callback.ppr': viewPprCallback,
  'callback.qrcode': viewQrCallback,
};

/** Money that never was, for trying an endpoint: its ids say so. @param id of the delivery, so that each test is a new one */
function sampleMoney(type: string, id: string, at: Date): CallbackFunds {
  const common = { transactionNumber: '1', clearingPeriod: '1' };
  const details: Record<string, string> =
    type === 'callback.qrcode'
      ? { ...common, transactionType: 'TEST', orderOrigin: 'TEST' }
      : { ...common, terminalType: 'ATM', terminalId: '0000000001', terminalLocation: 'Luanda TESTE' };
  const what = { amountMinor: 150_000, currency: 'AOA', reference: type === 'callback.qrcode' ? 'TESTE' : '000000000' };
  return { id, providerRef: `test-${id}`, ...what, occurredAt: at, details, documentNumber: null };
}

type WebhookMessage = {
  /** The event's id: the same at every attempt. */
  id: string;
  /** Of this attempt: receivers refuse what is minutes away from their own clock. */
  timestamp: Date;
  /** Exactly as it is sent. */
  body: string;
  /** Each `whsec_…`: during a rotation the new one and the old one, and whoever has either believes the message. */
  secrets: readonly string[];
};

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** The three headers that go with a webhook; the signature has one `v1,…` for each secret. */
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

/** Signatures that a webhook carries at most; whoever rotates more often loses the oldest. */
const MAX_SECRETS = 8;

/** The first secret of a webhook, and the column it is kept in. */
export function sealFirst(keyring: Keyring): { secret: string; sealed: string } {
  const secret = makeSecret();
  return { secret, sealed: seal(keyring, [{ secret, until: null }]) };
}

/** All that are kept, the newest first; some of them may be over. */
function openSecrets(keyring: Keyring, sealed: string): SigningSecret[] {
  return JSON.parse(keyring.open(sealed, SEALED_SECRETS)) as SigningSecret[];
}

/** A new secret before the others, none of which signs longer than the overlap from now. */
export function sealNext(
  keyring: Keyring,
  sealed: string,
  { now, overlapHours }: { now: Date; overlapHours: number },
): { secret: string; sealed: string; until: Date } {
  const secret = makeSecret();
  const until = new Date(now.getTime() + overlapHours * HOUR_MS);
  const others = openSecrets(keyring, sealed)
    .map((old) => ({ ...old, until: earlier(old.until, until) }))
    .filter((old) => old.until > now.toISOString());
  return { secret, sealed: seal(keyring, [{ secret, until: null }, ...others].slice(0, MAX_SECRETS)), until };
}

function earlier(until: string | null, limit: Date): string {
  const iso = limit.toISOString();
  return until !== null && until < iso ? until : iso;
}

function seal(keyring: Keyring, secrets: SigningSecret[]): string {
  return keyring.seal(JSON.stringify(secrets), SEALED_SECRETS);
}
