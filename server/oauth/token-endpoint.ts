// POST /oauth/token: one function per grant type.
import type { Core } from '../core.ts';
import { prepared } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { UUID } from '../http/fields.ts';
import { invalidClient, invalidGrant, OAuthError } from '../http/oauth-error.ts';
import type { Session, User } from '../people/entities.ts';
import { findAccess, findOldestAccess, scopesOf, acceptOffers } from '../people/memberships.ts';
import {
  endSession,
  readRefreshToken,
  refreshSession,
  refreshTokenOf,
  startSession,
  type Origin,
} from '../people/sessions.ts';
import { checkPerson, checkSecondStep } from '../people/sign-in.ts';
import { authenticateClient, identifyClient, type GrantClient } from './clients.ts';
import { cutScopes, readScopes, signToken, type SigningKeys, type TokenAnswer } from './tokens.ts';

/** A token request. `field` reads body fields, `clientId` comes from Basic or body, `from` is the caller's origin. */
export type TokenRequest = {
  clientId: string | undefined;
  clientSecret: string | undefined;
  /** Returns a text field of the body, or undefined if absent. @throws OAuthError invalid_request for another type */
  field(name: string): string | undefined;
  from: Origin;
};

type Grant = (core: Core, keys: SigningKeys, request: TokenRequest) => Promise<TokenAnswer>;

export const MFA_GRANT = 'urn:balcao:params:oauth:grant-type:mfa-otp';

/** The grant functions by `grant_type`. */
export const GRANTS: Record<string, Grant> = {
  client_credentials: grantClient,
  password: grantPassword,
  refresh_token: grantRefresh,
  [MFA_GRANT]: grantSecondStep,
};

/** Issues tokens. @throws OAuthError unsupported_grant_type, mfa_required, invalid_request, invalid_client (401), … */
export function issueToken(core: Core, keys: SigningKeys, request: TokenRequest): Promise<TokenAnswer> {
  const name = required(request, 'grant_type');
  const grant = Object.hasOwn(GRANTS, name) ? GRANTS[name] : undefined;
  if (!grant)
    throw new OAuthError('unsupported_grant_type', `grant_type must be one of ${Object.keys(GRANTS).join(', ')}`);
  return grant(core, keys, request);
}

async function grantClient(core: Core, keys: SigningKeys, request: TokenRequest): Promise<TokenAnswer> {
  const { clientId, clientSecret } = request;
  if (!clientId || !clientSecret) throw invalidClient('client credentials are required');
  const { id, merchantId, scopes } = await authenticateClient(core, clientId, clientSecret);
  const cut = cutScopes(request.field('scope'), scopes);
  return signToken(core, keys, { sub: id, clientId: id, merchantId, sessionId: null, scopes: cut });
}

async function grantPassword(core: Core, keys: SigningKeys, request: TokenRequest): Promise<TokenAnswer> {
  const [username, password] = [required(request, 'username'), required(request, 'password')];
  const client = await clientOf(core, request);
  const grant = {
    clientId: client.id,
    merchantId: request.field('merchant_id') ?? null,
    scope: request.field('scope'),
  };
  readScopes(grant.scope);
  const user = await checkPerson(core, { username, password, ...grant }, request.from);
  return grantSession(core, keys, { user, client, ...grant, from: request.from });
}

async function grantSecondStep(core: Core, keys: SigningKeys, request: TokenRequest): Promise<TokenAnswer> {
  const [mfaToken, code] = [required(request, 'mfa_token'), required(request, 'otp')];
  const client = await clientOf(core, request);
  const { user, grant } = await checkSecondStep(core, { mfaToken, code, clientId: client.id }, request.from);
  return grantSession(core, keys, { user, client, ...grant, from: request.from });
}

async function grantRefresh(core: Core, keys: SigningKeys, request: TokenRequest): Promise<TokenAnswer> {
  const token = readRefreshToken(core.keyring, required(request, 'refresh_token'));
  const client = await clientOf(core, request);
  const scope = request.field('scope');
  // The scopes are checked first, because a refused scope must not use up the refresh token.
  readScopes(scope);
  const ended = new OAuthError('invalid_grant', 'the refresh token is not valid (any more)');
  if (!token) throw ended;
  // The refresh has its own transaction: an exception inside would roll back the session's end after a reused token.
  const session = await inTransaction(core, (db) => refreshSession(core, db, token, request.from));
  if (!session) throw ended;
  const isAllowed = session.clientId === client.id && (await findConfirmed.first(core, { id: session.userId }));
  const membership = session.merchantId
    ? await findAccess(core, session.userId, session.merchantId, core.clock.now())
    : null;
  if (!isAllowed || (session.merchantId && !membership)) {
    await endSession(core, session.id, core.clock.now());
    throw ended;
  }
  const allowed = membership ? scopesOf(membership.role, client.scopes) : [];
  const granted = session.scopes ? allowed.filter((name) => session.scopes?.includes(name)) : allowed;
  return answerPerson(core, keys, session, membership ? cutScopes(scope, granted) : []);
}

type SessionRequest = {
  user: User;
  client: GrantClient;
  merchantId: string | null;
  scope: string | undefined;
  from: Origin;
};

async function grantSession(core: Core, keys: SigningKeys, request: SessionRequest): Promise<TokenAnswer> {
  const { session, scopes } = await beginSession(core, request);
  return answerPerson(core, keys, session, scopes);
}

/**
 * Starts a session at the client's merchant, else the requested merchant, else the person's oldest membership.
 * @throws OAuthError invalid_grant, invalid_scope
 */
export async function beginSession(
  core: Core,
  request: SessionRequest,
): Promise<{ session: Session; scopes: string[] }> {
  const { user, client, scope, from } = request;
  const at = core.clock.now();
  const requestedMerchant = client.merchantId ?? request.merchantId;
  if (client.merchantId && request.merchantId && request.merchantId.toLowerCase() !== client.merchantId)
    throw noAccess();
  const membership = requestedMerchant
    ? await findAccess(core, user.id, readMerchantId(requestedMerchant), at)
    : await findOldestAccess(core, user.id, at);
  if (requestedMerchant && !membership) throw noAccess();
  const scopes = membership ? cutScopes(scope, scopesOf(membership.role, client.scopes)) : [];
  const merchantId = membership?.merchantId ?? null;
  const session = await inTransaction(core, async (db) => {
    // A change of password or second factor ends all sessions, so a sign-in checked before it must not start one.
    const { id, passwordHash = null, totpConfirmedAt } = user;
    if (!(await lockIfUnchanged.first(db, { id, passwordHash, hasTotp: !!totpConfirmedAt }))) throw invalidGrant();
    // A sign-in accepts the merchant's offer, so that the merchant's people see this person from now on.
    if (merchantId) await acceptOffers(db, { userId: user.id, address: from.address, at, merchantId });
    return startSession(db, { userId: user.id, clientId: client.id, merchantId, scopes: readScopes(scope), from }, at);
  });
  return { session, scopes };
}

type CheckedCredentials = { id: string; passwordHash: string | null; hasTotp: boolean };

const lockIfUnchanged = prepared((tables, { id, passwordHash, hasTotp }: CheckedCredentials) =>
  tables
    .selectFrom('users')
    .select('id')
    .where('id', '=', id)
    .where('passwordHash', '=', passwordHash)
    .where((eb) => eb(eb.parens('totpConfirmedAt', 'is not', null), '=', hasTotp))
    .forShare(),
);

async function answerPerson(core: Core, keys: SigningKeys, session: Session, scopes: string[]): Promise<TokenAnswer> {
  const { id, userId, clientId } = session;
  const merchantId = session.merchantId ?? null;
  const answer = await signToken(core, keys, { sub: userId, clientId, merchantId, sessionId: id, scopes });
  return { ...answer, refresh_token: refreshTokenOf(core.keyring, session) };
}

const noAccess = () => new OAuthError('invalid_grant', 'this person has no access to this merchant');

/** Parses a merchant id. @throws OAuthError invalid_grant for text that is no id, as for a merchant without access */
function readMerchantId(text: string): string {
  if (!UUID.test(text)) throw noAccess();
  return text;
}

/** Identifies the OAuth client of a token request. @throws OAuthError invalid_client */
function clientOf(core: Core, { clientId, clientSecret }: TokenRequest): Promise<GrantClient> {
  if (!clientId) throw invalidClient('client_id is required');
  return identifyClient(core, clientId, clientSecret);
}

function required(request: TokenRequest, name: string): string {
  const value = request.field(name);
  if (value === undefined) throw new OAuthError('invalid_request', `${name} is required`);
  return value;
}

/** Finds a user with a confirmed e-mail address. Only such users may sign in. */
const findConfirmed = prepared((tables, { id }: { id: string }) =>
  tables.selectFrom('users').select('id').where('id', '=', id).where('verifiedAt', 'is not', null),
);
