// Rules that the connectors of SMS providers share: final refusals, credential tests, lists and ids.
import { explainStatus, parseAnswer, readFields, type CallFailure, type RailAnswer } from './rail-call.ts';
import type { Probe } from './connector.ts';
import type { SmsOutcome } from './message.ts';

/** Creates an unknown outcome of an SMS with its reason, and with the rail's id of the message if it is known. */
export function makeUnknownSms(reason = 'rail_error', railMessageId: string | null = null): SmsOutcome {
  return { result: 'unknown', reason, railMessageId, occurredAt: null };
}

/** Creates the outcome of an SMS that was certainly not sent. */
export function makeFailedSms(reason: string): SmsOutcome {
  return { result: 'failed', reason, occurredAt: null };
}

/**
 * HTTP statuses that do not refuse the SMS itself:
 * wrong credentials (401, 403), wrong URL (404, 405), timeout or rate limit (408, 425, 429), key in use (409).
 */
const INCONCLUSIVE_STATUSES = [401, 403, 404, 405, 408, 409, 425, 429];

/** True if the provider finally refused the SMS. A 4xx without the API's own format may come from a proxy. */
export function isRefusal({ status }: RailAnswer, isInForm: boolean): boolean {
  return isInForm && status >= 400 && status < 500 && !INCONCLUSIVE_STATUSES.includes(status);
}

/** Returns the unknown outcome of an answer that neither accepts nor refuses the SMS. */
export function readUnexpectedAnswer(answer: RailAnswer): SmsOutcome {
  const isOutside = answer.status === 401 || answer.status === 403;
  return makeUnknownSms(isOutside ? 'token_refused' : explainStatus(answer).reason);
}

/** Returns a JSON array: the body itself or one of its usual fields (`messages`, `data`). Null without an array. */
export function findList(value: unknown): Record<string, unknown>[] | null {
  const { messages, data } = readFields(value);
  const found = [value, messages, data, readFields(data).messages].find((one) => Array.isArray(one));
  return found ? found.map(readFields) : null;
}

/** True for a JSON object or array, as in every answer of these providers. */
export function isObjectOrList(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** Judges the credentials by the answer to a request without side effects. */
export function readProbe({ status, body }: RailAnswer): Probe {
  if (status === 401) return { result: 'wrong_secret', detail: 'The provider does not know this key.' };
  if (status === 403) return { result: 'not_allowed', detail: 'The provider knows the key but refuses it this use.' };
  if (status === 402) return { result: 'not_allowed', detail: 'The account has no credit left.' };
  if (status === 429 || status >= 500)
    return { result: 'no_connection', detail: `The provider answers ${status} at the moment; try again later.` };
  if (status === 200 && isObjectOrList(parseAnswer(body))) return { result: 'ok' };
  return { result: 'wrong_host', detail: `This address answers ${status}, but not as the provider's API.` };
}

/** Judges the credentials if the request got no answer. */
export function failedProbe({ code }: CallFailure): Probe {
  if (code === 'blocked') return { result: 'wrong_host', detail: 'This gateway may not call that address.' };
  if (code === 'too_large') return { result: 'wrong_host', detail: 'The answer from this address is too large.' };
  return { result: 'no_connection', detail: `The provider did not answer (${code}).` };
}
