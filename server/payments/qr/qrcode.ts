// Creates a QR code: the rail makes it before the creation is answered, so the idempotency key is leased until then.
import { QR_SIZES } from '../../../shared/methods.ts';
import type { Core } from '../../core.ts';
import { finishKey, isSameRequest, replay, type Keyed, type StoredAnswer } from '../../http/idempotency.ts';
import { Problem, tryLater, type Answer } from '../../http/problem.ts';
import type { QrOrder, QrOutcome } from '../../providers/provider.ts';
import { idsOf, notifyUrlOf } from '../core/account.ts';
import type { Attempt, Payment } from '../core/entities.ts';
import type { PendingCreation } from '../core/method.ts';
import { findMaker, findPayment } from '../core/rows.ts';
import { noteOutcome } from '../core/submit.ts';
import { clientTokenOf, hideToken, showTokens } from '../core/token.ts';
import { viewPayment } from '../core/view.ts';
import { applyCode } from './apply-code.ts';
import { drawQrPng, drawQrSvg, isPicture } from './image.ts';

/**
 * Has the rail make the recorded code, and answers with it.
 * @throws Problem rail_unavailable when it was not made, and never will be: the payment is `Failed`; terminal_closed
 */
export async function answerWithCode(
  core: Core,
  payment: Payment,
  attempt: Pick<Attempt, 'id' | 'rail'>,
  asked: PendingCreation,
): Promise<Answer> {
  const outcome = await makeCode(core, payment, attempt, asked.metadata.description);
  await applyCode(core, attempt.id, outcome, 'answer');
  return finishCode(core, payment.id, asked);
}

/** Has the account of the attempt make a code. */
export async function makeCode(
  core: Core,
  payment: Payment,
  attempt: Pick<Attempt, 'id' | 'rail'>,
  described: string | null | undefined,
): Promise<QrOutcome> {
  const rail = await core.rails.gpo(attempt.rail);
  const outcome = await rail.createQrCode(await qrOrderOf(core, payment, attempt, described));
  noteOutcome(core, attempt.rail, outcome);
  return outcome;
}

/** The first answer again; after a crash, when its time is over, the answer that is recorded at the rail. */
export async function replayCode(core: Core, stored: StoredAnswer, asked: PendingCreation): Promise<Answer> {
  const keyed = asked.keyed as Keyed;
  const paymentId = stored.paymentId as string;
  if (stored.status !== null) return repeatCode(core, paymentId, replay(stored, keyed));
  if (!isSameRequest(stored, keyed)) throw new Problem('idempotency_key_reused');
  const leftMs = (stored.inFlightUntil?.getTime() ?? 0) - core.clock.now().getTime();
  if (leftMs > 0) throw tryLater('idempotency_in_progress', leftMs / 1000);
  const attempt = await findMaker(core, paymentId, 'qrcode');
  await applyCode(core, attempt.id, await queryCode(core, attempt), 'sync');
  return finishCode(core, paymentId, asked);
}

/** What the account that made a code says of it now. */
export async function queryCode(
  core: Pick<Core, 'rails'>,
  { id: attemptId, rail, railOrderId = null, sentAt }: Pick<Attempt, 'id' | 'rail' | 'railOrderId' | 'sentAt'>,
): Promise<QrOutcome> {
  return (await core.rails.gpo(rail)).queryQrCode({ attemptId, railOrderId, sentAt });
}

/** Writes the answer under its key; whoever writes first decides, and everybody sends that. */
async function finishCode(
  core: Core,
  paymentId: string,
  { keyed, merchantId, ...asked }: PendingCreation,
): Promise<Answer> {
  const payment = await findPayment.first(core, { id: paymentId });
  if (!payment?.qrContent) {
    const isClosed = payment?.failureCode === 'terminal_closed';
    throw isClosed ? new Problem('terminal_closed') : tryLater('rail_unavailable', 5);
  }
  const answer = asked.wantsRepresentation
    ? { status: 201, body: JSON.stringify(await describeCode(core, payment)), headers: addressOf(payment) }
    : await drawAnswer(core, payment);
  if (!keyed) return answer;
  const text =
    typeof answer.body === 'string' ? hideToken(answer.body, paymentId, clientTokenOf(core.keyring, paymentId)) : null;
  const stored = await finishKey(core, { merchantId, key: keyed.key, status: answer.status, body: text });
  const isOurs = !stored || (stored.status === answer.status && stored.body === text);
  return isOurs ? answer : repeatCode(core, paymentId, replay(stored, keyed));
}

/** A stored answer: an image is drawn again, from what never changes; anything else is sent as it was. */
async function repeatCode(core: Core, paymentId: string, stored: Answer): Promise<Answer> {
  const payment = await findPayment.one(core, { id: paymentId });
  if (stored.status !== 200)
    return {
      ...stored,
      body: showTokens(core.keyring, String(stored.body)),
      headers: { ...stored.headers, ...addressOf(payment) },
    };
  const image = await drawAnswer(core, payment);
  return { ...image, headers: { ...image.headers, ...stored.headers } };
}

/** 200 with the image; where to go on is in the headers (decisions §3). */
async function drawAnswer(core: Core, payment: Payment): Promise<Answer> {
  return {
    status: 200,
    ...(await drawCode(payment, 'png')),
    headers: {
      ...addressOf(payment),
      'Payment-Id': payment.id,
      'Client-Token': clientTokenOf(core.keyring, payment.id),
    },
  };
}

function addressOf({ id }: Payment): { Location: string } {
  return { Location: `/api/payments/${id}` };
}

async function describeCode(core: Core, payment: Payment): Promise<object> {
  const content = payment.qrContent as string;
  const shown = { content: isPicture(content) ? null : content, svg: drawQrSvg(content), deeplink: payment.qrDeeplink };
  return { ...viewPayment(core, payment, []), qrCode: shown };
}

/**
 * The code as an image in the size asked for at creation.
 * @throws Problem not_found for a payment without a code
 */
export async function drawCode(
  payment: Payment,
  form: 'png' | 'svg',
): Promise<{ type: string; body: Buffer | string }> {
  if (!payment.qrContent) throw new Problem('not_found');
  if (form === 'svg') return { type: 'image/svg+xml', body: drawQrSvg(payment.qrContent) };
  return { type: 'image/png', body: await drawQrPng(payment.qrContent, QR_SIZES[payment.qrSize ?? 'MEDIUM']) };
}

/** What the rail makes a payment's QR code from; described as `metadata.description` has it, else by its reference (decisions §3). */
async function qrOrderOf(
  core: Core,
  payment: Payment,
  attempt: Pick<Attempt, 'id' | 'rail'>,
  described: string | null | undefined,
): Promise<QrOrder> {
  const { reference, amountMinor, currency, qrType, maxTransactions, expiresAt } = payment;
  if (!expiresAt) throw new Error(`payment ${payment.id} has no end`);
  const description = described ?? reference;
  // A page's code is paid once, by whoever looks at the page.
  const [type, times] = [qrType ?? 'DYNAMIC', maxTransactions ?? 1] as const;
  const code = { reference, amountMinor, currency, description, type, maxTransactions: times, endDate: expiresAt };
  return { attemptId: attempt.id, ...idsOf(payment), ...code, notifyUrl: await notifyUrlOf(core, attempt) };
}
