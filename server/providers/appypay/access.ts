// Authorizes calls to AppyPay with one access token per rail account, cached until shortly before its expiry.
// Concurrent calls share one token request to AppyPay.
import { OutgoingError, sendRequest, type OutgoingAnswer } from '../../http/client/outgoing.ts';
import { TokenRefused, createRailCall, parseAnswer, readFields, readText } from '../rail-call.ts';
import type { Probe } from '../connector.ts';
import { hostsOf, type AppyPayAccount } from './settings.ts';

/** A cached access token is renewed this long before its expiry, so that it does not expire during a call. */
const EXPIRY_MARGIN_MS = 60_000;
const MAX_TOKEN = 8_192;

type CachedToken = { token: string; until: number };

/** Creates a function that calls AppyPay for this rail account. Faults of AppyPay or the network do not throw. */
export function createAppyPayCall(account: AppyPayAccount) {
  const { timeoutMs, clock, connections } = account;
  const findToken = createTokenSource(account);
  return createRailCall({
    url: hostsOf(account).api,
    timeoutMs,
    clock,
    connections,
    renewsOn401: true,
    // English messages help support staff. The connector never parses messages.
    authorize: async ({ isRenewal }) => ({
      'Accept-Language': 'en',
      Authorization: `Bearer ${await findToken(isRenewal)}`,
    }),
  });
}

export type AppyPayCall = ReturnType<typeof createAppyPayCall>;

function createTokenSource(account: AppyPayAccount): (isRenewal: boolean) => Promise<string> {
  let cached: CachedToken | null = null;
  let fetching: Promise<string> | null = null;
  return async (isRenewal) => {
    if (isRenewal) cached = null;
    if (cached && account.clock.now().getTime() < cached.until) return cached.token;
    fetching ??= fetchToken(account)
      .then((fetched) => (cached = fetched).token)
      .finally(() => (fetching = null));
    return fetching;
  };
}

/**
 * Fetches an access token. A failure here means that no request reached the API.
 * @throws TokenRefused; OutgoingError `unreachable` or `blocked`, also after an answer from the token URL
 */
async function fetchToken(account: AppyPayAccount): Promise<CachedToken> {
  const requestedAt = account.clock.now().getTime();
  const answer = await requestToken(account).catch((error: unknown) => {
    if (!(error instanceof OutgoingError) || error.code === 'unreachable' || error.code === 'blocked') throw error;
    throw new OutgoingError('unreachable', error);
  });
  if (REFUSALS.includes(answer.status)) throw new TokenRefused(`no token: HTTP ${answer.status}`);
  const read = readToken(answer);
  if (!read) throw new OutgoingError('unreachable', { code: `token: HTTP ${answer.status}` });
  return { token: read.token, until: requestedAt + read.lifeMs - EXPIRY_MARGIN_MS };
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

/** Reads a token and its lifetime, which AppyPay writes as a string. A token without a lifetime is not cached. */
function readToken({ status, body }: OutgoingAnswer): { token: string; lifeMs: number } | null {
  const answer = status === 200 ? readFields(parseAnswer(body)) : {};
  const token = readText(answer.access_token, MAX_TOKEN);
  const seconds = readText(answer.expires_in) ?? '';
  return token && !token.includes(' ')
    ? { token, lifeMs: /^\d{1,7}$/.test(seconds) ? Number(seconds) * 1000 : 0 }
    : null;
}

/** Tests the credentials: fetches an access token and discards it. */
export async function probeAccess(account: AppyPayAccount): Promise<Probe> {
  try {
    const answer = await requestToken(account);
    return readToken(answer) ? { result: 'ok' } : explainRefusal(answer.status);
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    return error.code === 'blocked' || error.code === 'too_large'
      ? { result: 'wrong_host', detail: `This gateway cannot use the token address: ${error.message}.` }
      : { result: 'no_connection', detail: `The token address did not answer: ${error.message}.` };
  }
}

function explainRefusal(status: number): Probe {
  if (status === 400 || status === 401) {
    return { result: 'wrong_secret', detail: 'AppyPay does not accept the client id, its secret or the resource.' };
  }
  if (status === 403)
    return { result: 'not_allowed', detail: 'AppyPay knows these credentials but refuses them access.' };
  return status === 429 || status >= 500
    ? { result: 'no_connection', detail: `The token address answered with HTTP ${status}.` }
    : { result: 'wrong_host', detail: `The token address answered with HTTP ${status} but without a token.` };
}
