// Creates a QR code at the rail before the response of the creation. Until then, the idempotency key is leased.
import { QR_SIZES } from '../../../shared/methods.ts';
import type { Core } from '../../core.ts';
import { drawQrPng, drawQrSvg, isPicture } from '../../exports/qr-image.ts';
import { finishKey, replay, type Keyed, type StoredAnswer } from '../../http/idempotency.ts';
import { Problem, tryLater, type Answer } from '../../http/problem.ts';
import type { QrOutcome } from '../../providers/provider.ts';
import { gpoIdsOf, notifyUrlOf } from '../core/account.ts';
import type { Attempt, Payment } from '../core/entities.ts';
import type { PendingCreation } from '../core/method.ts';
import { findCreatingAttempt, findPayment } from '../core/rows.ts';
import { noteOutcome } from '../core/submit.ts';
import { clientTokenOf } from '../core/token.ts';
import { viewPayment } from '../core/view.ts';
import { applyCode } from './apply-code.ts';

/**
 * Waits for the QR code from the rail and returns the response with the code.
 * @throws Problem rail_unavailable if the rail never made the code (the payment is `Failed`); terminal_closed
 */
export async function answerWithCode(
  core: Core,
  payment: Payment,
  attempt: Pick<Attempt, 'id' | 'rail'>,
  input: PendingCreation,
): Promise<Answer> {
  const outcome = await makeCode(core, payment, attempt, input.metadata.description);
  await applyCode(core, attempt.id, outcome, 'answer');
  return finishCode(core, payment.id, input);
}

/** Requests a QR code from the attempt's account. Payers see `description` or, without one, the payment's reference. */
export async function makeCode(
  core: Core,
  payment: Payment,
  attempt: Pick<Attempt, 'id' | 'rail'>,
  description: string | null | undefined,
): Promise<QrOutcome> {
  const { reference, amountMinor, currency, expiresAt: endDate } = payment;
  if (!endDate) throw new Error(`payment ${payment.id} has no end`);
  // A checkout page's QR code accepts one payment.
  const [type, maxTransactions] = [payment.qrType ?? 'DYNAMIC', payment.maxTransactions ?? 1] as const;
  const code = {
    reference,
    amountMinor,
    currency,
    description: description ?? reference,
    type,
    maxTransactions,
    endDate,
  };
  const notifyUrl = await notifyUrlOf(core, attempt);
  const rail = await core.rails.gpo(attempt.rail);
  const outcome = await rail.createQrCode({ attemptId: attempt.id, ...gpoIdsOf(payment), ...code, notifyUrl });
  noteOutcome(core, attempt.rail, outcome);
  return outcome;
}

/**
 * Replays the stored response.
 * After a crash and the end of the lease, the response shows the rail's state of the code.
 */
export async function replayCode(core: Core, stored: StoredAnswer, input: PendingCreation): Promise<Answer> {
  const keyed = input.keyed as Keyed;
  const paymentId = stored.paymentId as string;
  if (stored.status !== null)
    return answerAgain(core, await findPayment.one(core, { id: paymentId }), replay(stored, keyed));
  if (stored.fingerprint !== keyed.fingerprint) throw new Problem('idempotency_key_reused');
  const leftMs = (stored.inFlightUntil?.getTime() ?? 0) - core.clock.now().getTime();
  if (leftMs > 0) throw tryLater('idempotency_in_progress', leftMs / 1000);
  const attempt = await findCreatingAttempt(core, paymentId, 'qrcode');
  await applyCode(core, attempt.id, await queryCode(core, attempt), 'sync');
  return finishCode(core, paymentId, input);
}

/** Queries the rail account that made the QR code. */
export async function queryCode(
  core: Pick<Core, 'rails'>,
  { id: attemptId, rail, railOrderId = null, sentAt }: Pick<Attempt, 'id' | 'rail' | 'railOrderId' | 'sentAt'>,
): Promise<QrOutcome> {
  return (await core.rails.gpo(rail)).queryQrCode({ attemptId, railOrderId, sentAt });
}

/** Stores a response under its idempotency key. The first writer wins, and every caller sends the stored response. */
async function finishCode(
  core: Core,
  paymentId: string,
  { keyed, merchantId, ...input }: PendingCreation,
): Promise<Answer> {
  const payment = await findPayment.first(core, { id: paymentId });
  if (!payment?.qrContent) {
    const isClosed = payment?.failureCode === 'terminal_closed';
    throw isClosed ? new Problem('terminal_closed') : tryLater('rail_unavailable', 5);
  }
  const status = input.wantsRepresentation ? 201 : 200;
  const stored = keyed && (await finishKey.first(core, { merchantId, key: keyed.key, status, body: null }));
  return stored && stored.status !== status
    ? answerAgain(core, payment, replay(stored, keyed))
    : answerOf(core, payment, status);
}

/** Builds the response of a repeat, in the form of the first one. A repeat of 201 gets its body in create.ts. */
function answerAgain(core: Core, payment: Payment, stored: Answer): Answer {
  const answer = answerOf(core, payment, stored.status);
  return { ...answer, headers: { ...answer.headers, ...stored.headers } };
}

/** Returns 201 with JSON, or 200 with the image of the QR code, whose headers name the payment and its page. */
function answerOf(core: Core, payment: Payment, status: number): Answer {
  const Location = `/api/payments/${payment.id}`;
  if (status === 201)
    return { status, body: { ...viewPayment(core, payment, []), ...describeCode(payment) }, headers: { Location } };
  const names = { 'Payment-Id': payment.id, 'Client-Token': clientTokenOf(core.keyring, payment.id) };
  return { status, ...drawCode(payment, 'png'), headers: { Location, ...names } };
}

/** Returns the QR code in the response of a creation. Empty for payments of other methods. */
export function describeCode({ paymentMethod, qrContent: content, qrDeeplink: deeplink = null }: Payment) {
  if (paymentMethod !== 'qrcode' || !content) return {};
  return { qrCode: { content: isPicture(content) ? null : content, svg: drawQrSvg(content), deeplink } };
}

/**
 * Draws the image of a payment's QR code, in the size that the creation requested.
 * @throws Problem not_found for a payment without a code
 */
export function drawCode(payment: Payment, form: 'png' | 'svg'): { type: string; body: Buffer | string } {
  if (!payment.qrContent) throw new Problem('not_found');
  if (form === 'svg') return { type: 'image/svg+xml', body: drawQrSvg(payment.qrContent) };
  return { type: 'image/png', body: drawQrPng(payment.qrContent, QR_SIZES[payment.qrSize ?? 'MEDIUM']) };
}
