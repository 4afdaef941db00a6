// Pushes through AppyPay, for Multicaixa Express and Unitel Money. The call returns before the payer decides.
// Later queries return the payer's decision.
import {
  UNKNOWN_OUTCOME,
  TERMINAL_UNSUPPORTED,
  makeUnknown,
  readFields,
  readText,
  type CallFailure,
  type RailAnswer,
} from '../rail-call.ts';
import type { GpoRail, OrderQuery, PushOrder, RailOrder, RailOutcome } from '../provider.ts';
import { createAppyPayCall, type AppyPayCall } from './access.ts';
import {
  explainError,
  explainFailure,
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

/** The value of `wallet` in orders to Unitel Money. */
export const UNITEL_MONEY = 'unitel_money';
export const UNITEL_MONEY_MIN_MINOR = 50_00;

/** The payer has 90 s to approve a push. After this time, a charge with a system failure has really failed. */
const WINDOW_MS = 95_000;
const ASYNC_MEDIA_TYPE = 'application/vnd.appypay.asyncapi+json';

/** Creates the GPO client of one AppyPay account. */
export function createGpoClient(account: AppyPayAccount): GpoRail {
  const call = createAppyPayCall(account);
  return {
    async send(order) {
      return isPush(order) ? sendPush(call, account.settings, order) : UNSUPPORTED;
    },
    async query(order) {
      return order.kind === 'purchase' ? queryPush(call, account, order) : UNSUPPORTED;
    },
    ...createQrCodes(call, account),
    moveTerminal: async () => TERMINAL_UNSUPPORTED,
    queryTerminal: async () => TERMINAL_UNSUPPORTED,
  };
}

function isPush(order: RailOrder): order is PushOrder {
  return order.kind === 'purchase';
}

function sendPush(call: AppyPayCall, settings: AppyPaySettings, order: PushOrder): Promise<RailOutcome> | RailOutcome {
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
  return call({
    method: 'POST',
    path: '/charges',
    headers: { Accept: ASYNC_MEDIA_TYPE },
    body,
    read: readPushAnswer,
    onFailure: onPushFailure,
  });
}

/** Creates the outcome of a failed push. Without a token no order was sent. Otherwise the payer may be charged. */
function onPushFailure(error: CallFailure): RailOutcome {
  const details = explainFailure(error);
  if (error.code !== 'token_refused') return { ...UNKNOWN_OUTCOME, details };
  return { ...UNKNOWN_OUTCOME, result: 'declined', failureCode: 'acquirer_setup', details };
}

/** Reads the answer to a push. A 200 or 202 may be a refusal. An approval lacks its amount, so a query follows. */
function readPushAnswer(answer: RailAnswer): RailOutcome {
  if (answer.status !== 200 && answer.status !== 202) return { ...UNKNOWN_OUTCOME, details: explainError(answer) };
  const { id, responseStatus } = parseCharge(answer.body);
  const railOrderId = readText(id);
  const judged = judgeStatus(readStatus(responseStatus), false);
  const outcome = { ...UNKNOWN_OUTCOME, railOrderId, ...judged };
  return judged.result === 'approved' ? { ...outcome, result: 'pending' } : outcome;
}

/** Queries a push by AppyPay's id, else by our id. Only an empty list proves that AppyPay has no such charge. */
async function queryPush(call: AppyPayCall, account: AppyPayAccount, order: OrderQuery): Promise<RailOutcome> {
  const { attemptId, railOrderId, sentAt } = order;
  const key = keyOf(attemptId);
  const isExpired = account.clock.now().getTime() - sentAt.getTime() >= WINDOW_MS;
  const readOwn = (value: unknown): RailOutcome => {
    const { id, merchantTransactionId } = readFields(value);
    if (merchantTransactionId === key && (railOrderId === null || id === railOrderId))
      return readCharge(value, isExpired);
    return makeUnknown(readText(id) ? 'other_charge' : 'unreadable');
  };
  if (railOrderId === null) {
    const list = await listCharges(call, { merchantTransactionId: key, limit: 1 });
    if (list.charges === null) return { ...UNKNOWN_OUTCOME, details: list.details };
    return list.isEmpty ? { ...UNKNOWN_OUTCOME, result: 'not_found' } : readOwn(list.charges[0]);
  }
  return call({
    method: 'GET',
    path: `/charges/${encodeURIComponent(railOrderId)}`,
    read: (answer): RailOutcome =>
      answer.status === 200
        ? readOwn(parseCharge(answer.body).payment)
        : { ...UNKNOWN_OUTCOME, details: explainError(answer) },
    onFailure: (error) => ({ ...UNKNOWN_OUTCOME, details: explainFailure(error) }),
  });
}

/** The outcome of authorizations, captures and voids, which AppyPay does not have. No request is sent. */
const UNSUPPORTED: RailOutcome = {
  ...UNKNOWN_OUTCOME,
  result: 'declined',
  failureCode: 'issuer_refused',
  details: { reason: 'unsupported' },
};
