// A QR code: the rail is asked before the answer is given, so its idempotency key is leased meanwhile (decisions §1, §3); and what the
// rail says of a code, with every payment it accepted through it.
import { QR_SIZES } from '../../shared/methods.ts';
import type { Core } from '../core.ts';
import { prepared } from '../database/db.ts';
import { finishKey, releaseKeyOf, replay, type Keyed, type StoredAnswer } from '../http/idempotency.ts';
import { Problem, tryLater, type Answer } from '../http/problem.ts';
import type { GpoRail, QrOutcome, QrScan } from '../providers/provider.ts';
import { applyNews } from './apply-outcome.ts';
import type { Payment } from './entities.ts';
import { nextCodePollAt } from './poll-schedule.ts';
import { drawQrPng, drawQrSvg } from './qrcode-image.ts';
import {
  findMoney,
  findNewMoney,
  recordTransaction,
  UP_TO_MAX,
  type AttemptSubject,
  type Settled,
  type Subject,
  type Via,
} from './record-transaction.ts';
import { changeAttempt, changePayment, findPayment } from './rows.ts';
import type { GpoCreation } from './schemas.ts';
import { transition } from './states.ts';
import { insertVoid, qrOrderOf } from './submit.ts';
import { clientTokenOf, hideToken, showTokens } from './token.ts';
import { viewPayment } from './view.ts';

/** Whose creation it is, and how the caller wants it answered. */
export type CreationAsked = {
  merchantId: string;
  request: GpoCreation;
  keyed: Keyed | null;
  /** `Prefer: return=representation` */
  wantsRepresentation: boolean;
};

/**
 * Has the rail make the recorded code, and answers with it.
 * @throws Problem rail_unavailable when it was not made, and never will be: the payment is `Failed`; terminal_closed
 */
export async function answerWithCode(
  core: Core,
  rail: GpoRail,
  payment: Payment,
  attemptId: string,
  asked: CreationAsked,
): Promise<Answer> {
  const outcome = await rail.createQrCode(qrOrderOf(payment, attemptId, asked.request.metadata?.description));
  await applyCode(core, attemptId, outcome, 'answer');
  return finishCode(core, payment.id, asked);
}

/** The first answer again; after a crash, when its time is over, the answer that is recorded at the rail. */
export async function replayCode(
  core: Core,
  rail: GpoRail,
  stored: StoredAnswer,
  asked: CreationAsked,
): Promise<Answer> {
  const keyed = asked.keyed as Keyed;
  const paymentId = stored.paymentId as string;
  if (stored.status !== null) return repeatCode(core, paymentId, replay(stored, keyed));
  if (stored.fingerprint !== keyed.fingerprint) throw new Problem('idempotency_key_reused');
  const leftMs = (stored.inFlightUntil?.getTime() ?? 0) - core.clock.now().getTime();
  if (leftMs > 0) throw tryLater('idempotency_in_progress', leftMs / 1000);
  const attempt = await findMaker.first(core, { paymentId });
  if (attempt) await applyCode(core, attempt.id, await rail.queryQrCode(attempt.id), 'sync');
  return finishCode(core, paymentId, asked);
}

const findMaker = prepared((tables, { paymentId }: { paymentId: string }) =>
  tables.selectFrom('attempts').select('id').where('paymentId', '=', paymentId).where('kind', '=', 'qrcode'),
);

/** Writes the answer under its key; whoever writes first decides, and everybody sends that. */
async function finishCode(
  core: Core,
  paymentId: string,
  { keyed, merchantId, ...asked }: CreationAsked,
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
  return { ...viewPayment(core, payment, []), qrCode: { content, svg: drawQrSvg(content) } };
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

/** Records one payment of a code, once, whatever the code's state (decisions §3). */
export function applyScan(core: Core, attemptId: string, scan: QrScan, via: Via): Promise<Settled> {
  return applyCodeNews(core, attemptId, via, (subject) => recordScan(core, subject, scan));
}

/**
 * Records what the rail says of the code itself, with all its payments. A code that was not made by the time it is asked
 * about is closed: nobody has seen it, so no money can have moved, and it is withdrawn should it come to be after all.
 */
export function applyCode(core: Core, attemptId: string, outcome: QrOutcome, via: Via): Promise<Settled> {
  return applyCodeNews(core, attemptId, via, async (subject) => {
    const { db, payment, attempt, at } = subject;
    const isOpen = payment.status === 'Pending' && !payment.qrContent;
    // What was paid through it shows that somebody has it, whatever the call that made it heard.
    const isUnmade = isOpen && outcome.result !== 'made' && payment.amountPaidMinor === 0;
    if (isUnmade) await closeUnmade(subject, outcome);
    // Also of one that was paid, or ended, before the rail's answer came; a failed one is being withdrawn.
    const isNew = outcome.result === 'made' && !payment.qrContent && payment.status !== 'Failed';
    if (isNew) {
      const set = { qrContent: outcome.content };
      await changePayment.run(db, { id: payment.id, set });
    }
    let hasChanged = isNew || isUnmade;
    for (const scan of await findNewMoney(db, 'gpo', outcome.scans)) {
      const now = await findPayment.one(db, { id: payment.id });
      hasChanged = (await recordScan(core, { ...subject, payment: now }, scan)) || hasChanged;
    }
    if (isUnmade || attempt.status === 'Declined') return hasChanged;
    const closedAt = (await findPayment.first(db, { id: payment.id }))?.completedAt ?? null;
    const dueAt = nextCodePollAt({ createdAt: attempt.createdAt, endsAt: payment.expiresAt ?? null, closedAt }, at);
    await changeAttempt.run(db, { id: attempt.id, set: { status: 'Approved', dueAt } });
    return hasChanged;
  });
}

async function applyCodeNews(
  core: Core,
  attemptId: string,
  via: Via,
  record: (subject: AttemptSubject) => Promise<boolean>,
): Promise<Settled> {
  return applyNews(core, attemptId, via, async (subject) => {
    if (subject.attempt.kind !== 'qrcode') return 'unmatched';
    return (await record(subject)) ? 'changed' : 'unchanged';
  });
}

async function recordScan(core: Core, subject: Subject, scan: QrScan): Promise<boolean> {
  const known = await findMoney(subject, scan);
  if (known && known.attemptId !== subject.attemptId)
    core.log.error({ attemptId: subject.attemptId, transactionId: known.id }, 'one money for two payments');
  if (known) return false;
  await recordTransaction(subject, scan, UP_TO_MAX);
  return true;
}

/** The key stays free: the next request with it makes a new code. */
async function closeUnmade({ db, payment, attemptId, via, at }: Subject, outcome: QrOutcome): Promise<void> {
  const failureCode = outcome.failureCode ?? 'rail_unavailable';
  const set = { status: 'Declined', failureCode, resolvedAt: at, dueAt: null } as const;
  await changeAttempt.run(db, { id: attemptId, set });
  const details = { attemptId, failureCode, via };
  await transition(db, payment, 'fail', { set: { failureCode, dueAt: null }, details, at });
  await releaseKeyOf(db, payment);
  await insertVoid(db, payment.id, at, at);
}
