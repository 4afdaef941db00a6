// Creating a payment: validated and built, then written with its events, attempt and idempotency key in one statement.
import { randomUUID } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import type { Core } from '../core.ts';
import { leaseMs } from '../jobs/schedule.ts';
import type { Keyed, StoredAnswer } from '../http/idempotency.ts';
import { findStored } from '../http/stored.ts';
import { invalid, Problem, type Fault } from '../http/problem.ts';
import type { Answer } from '../http/answer.ts';
import type { Merchant } from '../merchants/entities.ts';
import { findMerchant } from '../merchants/find.ts';
import type { GpoRail } from '../providers/provider.ts';
import { buildPayment } from './build.ts';
import { insertCapture } from './capture.ts';
import { answerWithCode, replayCode, type Asked } from './code.ts';
import type { AttemptKind, Payment } from './entities.ts';
import { insertCreation, type Creation } from './insert.ts';
import { methodOf } from './methods/registry.ts';
import type { RecordedAttempt } from './orders.ts';
import { eventTypeOf } from './states.ts';
import { hideToken, replayShown } from './token.ts';
import { viewPayment } from './view.ts';

/** The answer to send, and the order to give the rail when this call (not a replay) created one. */
export type Created = { answer: Answer; paymentId: string | null; order: RecordedAttempt | null };

/**
 * Creates a GPO payment for the merchant and commits before it returns. Only a QR code asks the rail first, which makes it.
 * @throws Problem 400 (GPO ids, origins, authorization), reference_in_use, reference_in_flight, terminal_closed, authorization_busy,
 * authorization_not_capturable, rail_unavailable, idempotency_key_reused, idempotency_in_progress
 */
export async function createPayment(core: Core, rail: GpoRail, asked: Asked): Promise<Created> {
  const { request, keyed } = asked;
  const merchant = await findMerchant(core, asked.merchantId);
  const payment = await buildOrReplay(core, rail, merchant, asked);
  if ('answer' in payment) return payment;
  const method = methodOf(payment);
  if (merchant.uniqueReferences) payment.referenceClaim = payment.reference;
  const attempt = method.start === 'checkout' ? null : makeAttempt(core, payment, method.asks);
  const view = viewPayment(core, { ...payment, customMetadata: request.metadata?.custom ?? null }, []);
  const body = JSON.stringify(view);
  const creation: Creation = {
    payment,
    events: eventTypesOf(payment).map((type) => ({ id: randomUUID(), type })),
    attempt,
    key: keyed && { ...keyed, ...storedAnswer(body, view, attempt) },
  };
  const found =
    method.start === 'capture' ? await insertCapture(core, creation, request) : await insertCreation(core, creation);
  if (found.keyed && keyed) return replayCreation(core, rail, found.keyed, asked);
  if (found.isReferenceTaken) throw invalid([REFERENCE_IN_USE]);
  if (found.busyId) throw new Problem('reference_in_flight', { extra: { internalId: found.busyId } });
  if (found.isTerminalClosed) throw new Problem('terminal_closed');
  if (attempt?.kind === 'qrcode')
    return { ...NO_ORDER, answer: await answerWithCode(core, rail, payment, attempt.id, asked) };
  return {
    answer: { status: 201, body },
    paymentId: payment.id,
    order: attempt && { payment, attempt: { ...attempt, phone: payment.phone, createdAt: payment.createdAt } },
  };
}

/** What is kept under the key: the answer, or until when it may take to come from the rail. */
function storedAnswer(
  body: string,
  { id, clientToken }: { id: string; clientToken: string },
  attempt: Creation['attempt'],
): Pick<NonNullable<Creation['key']>, 'body' | 'inFlightUntil'> {
  if (attempt?.kind === 'qrcode') return { body: null, inFlightUntil: attempt.dueAt };
  return { body: hideToken(body, id, clientToken) };
}

/** As of a payment reference, which names its entity. */
const REFERENCE_IN_USE: Fault = { pointer: '/reference', code: 'reference_in_use', params: { entity: 'GPO' } };

const NO_ORDER = { paymentId: null, order: null } as const;

function makeAttempt(core: Core, payment: Payment, kind: AttemptKind | null): Creation['attempt'] {
  if (!kind) return null;
  const dueAt = new Date(payment.createdAt.getTime() + leaseMs(core.config));
  return { id: uuid(), kind, dueAt };
}

/** What was answered once is answered again, although the merchant's settings would refuse it by now. */
async function buildOrReplay(core: Core, rail: GpoRail, merchant: Merchant, asked: Asked): Promise<Payment | Created> {
  try {
    return buildPayment(core, merchant, asked.request);
  } catch (refusal) {
    const stored = asked.keyed && (await findStored(core, merchant.id, asked.keyed.key));
    if (!stored) throw refusal;
    return replayCreation(core, rail, stored, asked);
  }
}

async function replayCreation(core: Core, rail: GpoRail, stored: StoredAnswer, asked: Asked): Promise<Created> {
  const keyed = asked.keyed as Keyed;
  if (stored.paymentId) return { ...NO_ORDER, answer: await replayCode(core, rail, stored, asked) };
  return { ...NO_ORDER, answer: replayShown(core.keyring, stored, keyed) };
}

/** A push at creation is told too. */
function eventTypesOf({ status }: Payment): string[] {
  return status === 'Processing' ? ['payment.created', eventTypeOf(status)] : ['payment.created'];
}
