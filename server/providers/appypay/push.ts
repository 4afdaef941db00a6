// Pushes over AppyPay: asked for without waiting for the payer, then asked about; Multicaixa Express and Unitel Money.
import {
  NOTHING_HEARD,
  TERMINAL_UNSUPPORTED,
  makeUnknown,
  readFields,
  readText,
  type Missed,
  type RailAnswer,
} from '../ask.ts';
import type { GpoRail, OrderQuery, PushOrder, RailOrder, RailOutcome } from '../provider.ts';
import { createAccess, type AppyPayAsk } from './access.ts';
import {
  explainError,
  explainMiss,
  judgeStatus,
  keyOf,
  listCharges,
  parseCharge,
  readCharge,
  writeAmount,
  writeDescription,
} from './charges.ts';
import { readStatus } from './codes.ts';
import { createQrCodes } from './qrcode.ts';
import type { AppyPayAccount, AppyPaySettings } from './settings.ts';

/** The other wallet, as orders name it. */
export const UNITEL_MONEY = 'unitel_money';
export const UNITEL_MONEY_MIN_MINOR = 50_00;

/** The payer has 90 s: a failure of transport that still stands then is the end of it. */
const OVER_MS = 95_000;
const ASYNC = 'application/vnd.appypay.asyncapi+json';

/** The GPO client of one account. */
export function createGpoClient(account: AppyPayAccount): GpoRail {
  const ask = createAccess(account);
  return {
    async send(order) {
      return isPush(order) ? sendPush(ask, account.settings, order) : UNSUPPORTED;
    },
    async query(order) {
      return order.kind === 'purchase' ? queryPush(ask, account, order) : UNSUPPORTED;
    },
    ...createQrCodes(ask, account),
    moveTerminal: async () => TERMINAL_UNSUPPORTED,
    queryTerminal: async () => TERMINAL_UNSUPPORTED,
  };
}

function isPush(order: RailOrder): order is PushOrder {
  return order.kind === 'purchase';
}

function sendPush(ask: AppyPayAsk, settings: AppyPaySettings, order: PushOrder): Promise<RailOutcome> | RailOutcome {
  const { wallet, amountMinor, currency, attemptId } = order;
  if (wallet !== null && wallet !== UNITEL_MONEY) return UNSUPPORTED;
  const paymentMethod = wallet === UNITEL_MONEY ? settings.methods.umm : settings.methods.gpo;
  if (!paymentMethod) return { ...UNSUPPORTED, failureCode: 'acquirer_setup', details: { reason: 'method_missing' } };
  if (wallet === UNITEL_MONEY && amountMinor < UNITEL_MONEY_MIN_MINOR) {
    return { ...UNSUPPORTED, details: { reason: 'amount_too_low' } };
  }
  const description = writeDescription(order.description);
  const body = JSON.stringify({
    amount: writeAmount(amountMinor, currency),
    currency,
    merchantTransactionId: keyOf(attemptId),
    paymentMethod,
    paymentInfo: { phoneNumber: order.phone.replace(/^\+(244)?/, '') },
    ...(description && { description }),
  });
  return ask({
    method: 'POST',
    path: '/charges',
    headers: { Accept: ASYNC },
    body,
    read: readPushAnswer,
    miss: missPush,
  });
}

/** Without a token nothing was asked; with any other miss the money may have moved or may not. */
function missPush(error: Missed): RailOutcome {
  const details = explainMiss(error);
  if (error.code !== 'token_refused') return { ...NOTHING_HEARD, details };
  return { ...NOTHING_HEARD, result: 'declined', failureCode: 'acquirer_setup', details };
}

/** A refusal comes with 200 or 202 too. An approval names no money there: the query tells how much was taken. */
function readPushAnswer(answer: RailAnswer): RailOutcome {
  if (answer.status !== 200 && answer.status !== 202) return { ...NOTHING_HEARD, details: explainError(answer) };
  const { id, responseStatus } = parseCharge(answer.body);
  const railOrderId = readText(id);
  const judged = judgeStatus(readStatus(responseStatus), false);
  const outcome = { ...NOTHING_HEARD, railOrderId, ...judged };
  return judged.result === 'approved' ? { ...outcome, result: 'pending' } : outcome;
}

/** By the rail's id where its answer was heard, else by ours: only an empty list means that it never saw it. */
async function queryPush(ask: AppyPayAsk, account: AppyPayAccount, order: OrderQuery): Promise<RailOutcome> {
  const { attemptId, railOrderId, sentAt } = order;
  const key = keyOf(attemptId);
  const isOver = account.clock.now().getTime() - sentAt.getTime() >= OVER_MS;
  const readOwn = (value: unknown): RailOutcome => {
    const { id, merchantTransactionId } = readFields(value);
    if (merchantTransactionId === key && (railOrderId === null || id === railOrderId)) return readCharge(value, isOver);
    return makeUnknown(readText(id) ? 'other_charge' : 'unreadable');
  };
  if (railOrderId === null) {
    const list = await listCharges(ask, { merchantTransactionId: key, limit: 1 });
    if (list.charges === null) return { ...NOTHING_HEARD, details: list.details };
    return list.isEmpty ? { ...NOTHING_HEARD, result: 'not_found' } : readOwn(list.charges[0]);
  }
  return ask({
    method: 'GET',
    path: `/charges/${encodeURIComponent(railOrderId)}`,
    read: (answer): RailOutcome =>
      answer.status === 200
        ? readOwn(parseCharge(answer.body).payment)
        : { ...NOTHING_HEARD, details: explainError(answer) },
    miss: (error) => ({ ...NOTHING_HEARD, details: explainMiss(error) }),
  });
}

/** It has no authorizations, captures or withdrawals: nothing is asked, and that is the end of it. */
const UNSUPPORTED: RailOutcome = {
  ...NOTHING_HEARD,
  result: 'declined',
  failureCode: 'issuer_refused',
  details: { reason: 'unsupported' },
};
