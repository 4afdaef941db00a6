// The request that one attempt makes: body and headers of a callback, of a test, or of a signed event.
import { VERSION } from '../config.ts';
import type { Core } from '../core.ts';
import { isAny, prepared } from '../database/db.ts';
import { viewEvent, type DescribeEvents } from '../events/view.ts';
import { CALLBACK_BODIES, sampleMoney } from './bodies.ts';
import { findMoney, type Claimed } from './claim.ts';
import type { Delivery } from './entities.ts';
import { signWebhook } from './sign.ts';

/** Where sealed values may be opened: bound into each (see Keyring). */
export const SEALED_ACCESS_KEY = 'callback access key';
export const SEALED_SECRETS = 'webhook secrets';

/** A webhook's signing secret; a rotated one signs along until its time is over. */
export type SigningSecret = { secret: string; until: string | null };

/** The events that claimed webhooks tell, by their seq. */
export async function loadEvents(core: Core, describe: DescribeEvents, seqs: number[]): Promise<Map<number, Told>> {
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
async function loadEach(core: Core, describe: DescribeEvents, seqs: number[]): Promise<Map<number, Told>> {
  const loaded = await Promise.all(seqs.map((seq) => loadEvents(core, describe, [seq])));
  return new Map(loaded.flatMap((one) => [...one]));
}

export type Told = { id: string; body: object };

/** What is told: a callback's body, a sample, or the event. @throws when it is an event that could not be read */
export function bodyOf(claimed: Pick<Claimed, 'id' | 'kind' | 'type' | 'createdAt' | 'money'>, event?: Told): Told {
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

export type Message = { url: string; headers: Record<string, string>; body: string };

/**
 * The whole request. @throws when a secret cannot be opened: its key is gone from SECRETS_KEYS
 */
export function makeMessage(core: Core, claimed: Claimed, told: Told): Message {
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
  if (endpoint.accessKey) headers['Access-Key'] = openOnce(core, endpoint.accessKey, SEALED_ACCESS_KEY);
  if (endpoint.secrets) {
    const now = core.clock.now();
    const known = JSON.parse(openOnce(core, endpoint.secrets, SEALED_SECRETS)) as SigningSecret[];
    const secrets = known.filter(({ until }) => until === null || new Date(until) > now).map(({ secret }) => secret);
    Object.assign(headers, signWebhook({ id: told.id, timestamp: now, body, secrets }));
  }
  return { url: endpoint.url, headers, body };
}

const opened = new Map<string, string>();
const MAX_OPENED = 10_000;

/** Every attempt needs it, and opening costs more than sending. */
function openOnce(core: Core, sealed: string, purpose: string): string {
  const known = opened.get(sealed);
  if (known !== undefined) return known;
  if (opened.size >= MAX_OPENED) opened.clear();
  const plain = core.keyring.open(sealed, purpose);
  opened.set(sealed, plain);
  return plain;
}

/** The body of a delivery, as its attempts send it: for those who want to see it. */
export async function describeBody(core: Core, describe: DescribeEvents, delivery: Delivery): Promise<object | null> {
  const { eventSeq, transactionId } = delivery;
  if (eventSeq != null) return (await loadEvents(core, describe, [eventSeq])).get(eventSeq)?.body ?? null;
  const money = transactionId == null ? null : await findMoney(core, transactionId);
  return bodyOf({ ...delivery, money }).body;
}
