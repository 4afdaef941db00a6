// Rules that the SMS connectors of other providers share: which refusals are final, how an account is tried, lists and ids.
import { explainStatus, parseAnswer, readFields, type Missed, type RailAnswer } from './ask.ts';
import type { Probe } from './connector.ts';
import type { SmsOutcome } from './message.ts';

/** An outcome of which only the reason for not knowing is known, and perhaps the rail's id of the message. */
export function makeUnknownSms(reason = 'rail_error', railMessageId: string | null = null): SmsOutcome {
  return { result: 'unknown', reason, railMessageId, occurredAt: null };
}

/** It surely was not sent. */
export function makeFailedSms(reason: string): SmsOutcome {
  return { result: 'failed', reason, occurredAt: null };
}

/**
 * Not let in (401, 403), no such address (404, 405), too slow, too early, too often, or its key is in use (409): the message
 * itself is not refused.
 */
const NOT_ABOUT_IT = [401, 403, 404, 405, 408, 409, 425, 429];

/** Whether a sending was refused for good. A 4xx that is not in the API's own form may be anybody's on the way. */
export function isRefusal({ status }: RailAnswer, isInForm: boolean): boolean {
  return isInForm && status >= 400 && status < 500 && !NOT_ABOUT_IT.includes(status);
}

/** What an answer leaves open that is neither the thing asked for nor a refusal of it. */
export function readOddAnswer(answer: RailAnswer): SmsOutcome {
  const isOutside = answer.status === 401 || answer.status === 403;
  return makeUnknownSms(isOutside ? 'token_refused' : explainStatus(answer).reason);
}

/** A list, bare or under one of the names that lists go by; null where there is none. */
export function findList(value: unknown): Record<string, unknown>[] | null {
  const { messages, data } = readFields(value);
  const found = [value, messages, data, readFields(data).messages].find((one) => Array.isArray(one));
  return found ? found.map(readFields) : null;
}

/** An object or a list, as all APIs here answer. */
export function isStructure(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** What the answer to a harmless question says of an account. */
export function readProbe({ status, body }: RailAnswer): Probe {
  if (status === 401) return { result: 'wrong_secret', detail: 'The provider does not know this key.' };
  if (status === 403) return { result: 'not_allowed', detail: 'The provider knows the key but refuses it this use.' };
  if (status === 402) return { result: 'not_allowed', detail: 'The account has no credit left.' };
  if (status === 429 || status >= 500)
    return { result: 'no_connection', detail: `The provider answers ${status} at the moment; try again later.` };
  if (status === 200 && isStructure(parseAnswer(body))) return { result: 'ok' };
  return { result: 'wrong_host', detail: `What answers at this address (${status}) is not the provider's API.` };
}

/** The same where no answer came. */
export function missProbe({ code }: Missed): Probe {
  if (code === 'blocked') return { result: 'wrong_host', detail: 'This address may not be reached from here.' };
  if (code === 'too_large') return { result: 'wrong_host', detail: 'What answers there is far too large.' };
  return { result: 'no_connection', detail: `No answer came from the provider (${code}).` };
}
