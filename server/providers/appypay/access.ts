// How AppyPay lets us in: a token an account, kept until shortly before its end, fetched once however many calls wait for it.
import { OutgoingError, sendRequest, type OutgoingAnswer } from '../../http/client/outgoing.ts';
import { TokenRefused, createAskWith, parseAnswer, readFields, readText } from '../ask.ts';
import type { Probe } from '../connector.ts';
import { hostsOf, type AppyPayAccount } from './settings.ts';

/** A token that ends while its call is on its way is worth nothing. */
const SPARE_MS = 60_000;
const MAX_TOKEN = 8_192;

type KeptToken = { token: string; until: number };

/** A way to ask AppyPay as this account; it never throws for what the rail or the network does. */
export function createAccess(account: AppyPayAccount) {
  const { timeoutMs, clock, connections } = account;
  const findToken = createTokens(account);
  return createAskWith({
    url: hostsOf(account).api,
    timeoutMs,
    clock,
    connections,
    renewsOn401: true,
    // English, should a person ever read it: messages are never parsed.
    authorize: async ({ isRenewal }) => ({
      'Accept-Language': 'en',
      Authorization: `Bearer ${await findToken(isRenewal)}`,
    }),
  });
}

export type AppyPayAsk = ReturnType<typeof createAccess>;

function createTokens(account: AppyPayAccount): (isRenewal: boolean) => Promise<string> {
  let kept: KeptToken | null = null;
  let coming: Promise<string> | null = null;
  return async (isRenewal) => {
    if (isRenewal) kept = null;
    if (kept && account.clock.now().getTime() < kept.until) return kept.token;
    coming ??= fetchToken(account)
      .then((fetched) => (kept = fetched).token)
      .finally(() => (coming = null));
    return coming;
  };
}

/**
 * Whatever goes wrong here, nothing was asked of the API yet.
 * @throws TokenRefused; OutgoingError `unreachable` or `blocked`, even where the token's own address was reached
 */
async function fetchToken(account: AppyPayAccount): Promise<KeptToken> {
  const askedAt = account.clock.now().getTime();
  const answer = await requestToken(account).catch((error: unknown) => {
    if (!(error instanceof OutgoingError) || error.code === 'unreachable' || error.code === 'blocked') throw error;
    throw new OutgoingError('unreachable', error);
  });
  if (REFUSALS.includes(answer.status)) throw new TokenRefused(`no token: HTTP ${answer.status}`);
  const read = readToken(answer);
  if (!read) throw new OutgoingError('unreachable', { code: `token: HTTP ${answer.status}` });
  return { token: read.token, until: askedAt + read.lifeMs - SPARE_MS };
}

const REFUSALS = [400, 401, 403];

function requestToken(account: AppyPayAccount): Promise<OutgoingAnswer> {
  const { settings, secrets, timeoutMs, clock, connections } = account;
  const form = {
    grant_type: 'client_credentials',
    client_id: secrets.clientId,
    client_secret: secrets.clientSecret,
    resource: settings.resource,
  };
  return sendRequest({
    url: hostsOf(account).token,
    method: 'POST',
    headers: { Accept: 'application/json', 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
    timeoutMs,
    maxBytes: 64 * 1024,
    clock,
    connections,
  });
}

/** A token and its life (written as text there); without a life it serves the call at hand and no other. */
function readToken({ status, body }: OutgoingAnswer): { token: string; lifeMs: number } | null {
  const answer = status === 200 ? readFields(parseAnswer(body)) : {};
  const token = readText(answer.access_token, MAX_TOKEN);
  const seconds = readText(answer.expires_in) ?? '';
  return token && !token.includes(' ')
    ? { token, lifeMs: /^\d{1,7}$/.test(seconds) ? Number(seconds) * 1000 : 0 }
    : null;
}

/** Fetches a token, which is used for nothing. */
export async function probeAccess(account: AppyPayAccount): Promise<Probe> {
  try {
    const answer = await requestToken(account);
    return readToken(answer) ? { result: 'ok' } : explainRefusal(answer.status);
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    return error.code === 'blocked' || error.code === 'too_large'
      ? { result: 'wrong_host', detail: `The token address cannot be used: ${error.message}.` }
      : { result: 'no_connection', detail: `The token address did not answer: ${error.message}.` };
  }
}

function explainRefusal(status: number): Probe {
  if (status === 400 || status === 401) {
    return { result: 'wrong_secret', detail: 'AppyPay does not accept the client id, its secret or the resource.' };
  }
  if (status === 403)
    return { result: 'not_allowed', detail: 'AppyPay knows these credentials and does not let them in.' };
  return status === 429 || status >= 500
    ? { result: 'no_connection', detail: `The token address answered with HTTP ${status}.` }
    : { result: 'wrong_host', detail: `The token address answered with HTTP ${status} and no token.` };
}
