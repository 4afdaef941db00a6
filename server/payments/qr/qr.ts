// Payments by QR code: the rail makes the code before the response of the creation. Each scan is a transaction.
import { QR_SIZES, QR_TYPES, type QrSize } from '../../../shared/methods.ts';
import { leaseMs } from '../../jobs/schedule.ts';
import { faultsOf } from '../../http/validate.ts';
import { integer, lastMoment, oneOf } from '../../http/fields.ts';
import type { Fault } from '../../http/problem.ts';
import { z } from 'zod';
import type { Method, MethodModule, Order } from '../core/method.ts';
import { closePending } from '../core/states.ts';
import { insertVoid } from '../core/void.ts';
import { applyCode, withdrawCode } from './apply-code.ts';
import { answerWithCode, queryCode, replayCode } from './qrcode.ts';
import { DAY_MS } from '../../../shared/durations.ts';

export const MAX_TRANSACTIONS = 10_000;

/** The fields of `metadata` that the method `qrcode` reads. Other methods ignore these fields. */
const qrOptions = z.object({
  qrSize: oneOf(Object.keys(QR_SIZES) as [QrSize, ...QrSize[]])
    .nullish()
    .transform((size) => size ?? 'MEDIUM'),
  qrType: oneOf(QR_TYPES)
    .nullish()
    .transform((type) => type ?? 'STATIC'),
  maxTransactions: integer(1, MAX_TRANSACTIONS).transform((count) => count ?? 1),
  endDate: lastMoment.nullish(),
});

/** The payment method `qrcode`. The rail makes the code before the payment can be canceled, paid or expired. */
const qrcode: Method = {
  name: 'qrcode',
  start: 'code',
  orderKind: 'qrcode',
  failedPush: 'decline',
  check(metadata) {
    const { error } = qrOptions.safeParse(metadata);
    return error ? faultsOf(error, metadata).map((f) => ({ ...f, pointer: `/metadata${f.pointer}` })) : [];
  },
  read(metadata, createdAt) {
    const { qrSize, qrType, maxTransactions, endDate = null } = qrOptions.parse(metadata);
    const expiresAt = endDate ?? new Date(createdAt.getTime() + DAY_MS);
    return { columns: { qrSize, qrType, maxTransactions, expiresAt }, faults: checkEnd(endDate, createdAt) };
  },
  answer: { first: answerWithCode, replay: replayCode },
  isUnmade: ({ qrContent }) => !qrContent,
  async cancel(core, db, payment, { at, by, cause }) {
    if (payment.status !== 'Pending' || !payment.qrContent) return null;
    await closePending(db, payment, 'cancel', at, by, cause);
    // The QR code is withdrawn after the response. Money that arrives through the code until then is recorded.
    const attempt = await insertVoid(db, payment, at, new Date(at.getTime() + leaseMs(core.config)));
    return { attempt, isAwaited: false };
  },
};

const YEAR_MS = 366 * DAY_MS;

/** Checks that a QR code's end is in the future, at most a year ahead. */
function checkEnd(endDate: Date | null, now: Date): Fault[] {
  if (!endDate) return [];
  const aheadMs = endDate.getTime() - now.getTime();
  const pointer = '/metadata/endDate';
  if (aheadMs <= 0) return [{ pointer, code: 'date_in_past' }];
  return aheadMs > YEAR_MS ? [{ pointer, code: 'date_too_far' }] : [];
}

const codeOrder: Order = {
  async send() {
    throw new Error('a QR code is made before its creation is answered');
  },
  async query(core, attempt, via) {
    const outcome = await queryCode(core, attempt);
    // Only the running creation may conclude that the rail made no QR code. Scans are recorded in any case.
    if (outcome.result === 'made' || outcome.scans.length > 0) await applyCode(core, attempt.id, outcome, via);
    return outcome.result !== 'unknown';
  },
  async resolve(core, attempt) {
    await applyCode(core, attempt.id, await queryCode(core, attempt), 'poll');
  },
  // Reports about QR codes use `applyCode` instead of this function.
  approved: async () => 'unmatched',
  refused: async () => 'unmatched',
  stuckEvent: 'payment.stuck',
};

export const qrModule: MethodModule = {
  methods: [qrcode],
  orders: { qrcode: codeOrder },
  withdrawOffer: withdrawCode,
  async afterMoney(core, { db, payment, at, by }) {
    if (by !== 'qrcode') await withdrawCode(core, db, payment, at);
  },
};
