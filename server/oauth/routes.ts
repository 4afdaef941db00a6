// Endpoints for tokens and their verification: /oauth/token, /oauth/revoke, JWKS, server metadata.
import { z } from 'zod';
import { PROBLEMS } from '../../shared/errors.ts';
import { SCOPES } from '../../shared/scopes.ts';
import type { Core } from '../core.ts';
import { invalidClient, OAuthError } from '../http/oauth-error.ts';
import type { Answer, Problem } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import type { Origin } from '../people/sessions.ts';
import { revokeToken } from './revoke.ts';
import { GRANTS, issueToken, type TokenRequest } from './token-endpoint.ts';
import type { SigningKeys } from './tokens.ts';
import type { Tokens } from './verify.ts';

const tokenAnswer = z
  .object({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.int(),
    scope: z.string(),
    refresh_token: z.string().optional().describe('People only: gets the next access token; works once'),
    merchant_id: z.string().nullable().describe('The merchant of the token. Null for a person without a merchant'),
  })
  .meta({ id: 'TokenAnswer' });
const oauthError = z
  .object({
    error: z.string(),
    error_description: z.string(),
    mfa_token: z.string().optional().describe('With `mfa_required`: send it with the code'),
    expires_in: z.int().optional().describe('With `mfa_required`: lifetime of mfa_token in seconds'),
  })
  .meta({ id: 'OAuthError' });
const tokenRequest = z
  .object({
    grant_type: z.enum(Object.keys(GRANTS)),
    client_id: z.string().optional().describe('`web` is the platform’s own client, without secret, for people'),
    client_secret: z.string().optional(),
    scope: z.string().optional().describe('Scopes separated by spaces. Absent: all allowed scopes'),
    username: z.string().optional().describe('With `password`: the e-mail address'),
    password: z.string().optional(),
    merchant_id: z.string().optional().describe('`password` with `web`: the merchant. Absent: the oldest access'),
    refresh_token: z.string().optional(),
    mfa_token: z.string().optional(),
    otp: z.string().optional().describe('A code of the authenticator, or a recovery code'),
  })
  .meta({ id: 'TokenRequest' });
const revokeRequest = z
  .object({
    token: z.string(),
    token_type_hint: z.string().optional(),
    client_id: z.string().optional(),
    client_secret: z.string().optional(),
  })
  .meta({ id: 'RevokeRequest' });

const oauth = {
  method: 'POST',
  tag: 'Tokens',
  access: { kind: 'public' },
  bucket: 'public',
  acceptsForm: true,
  refuse: refuseAsOAuth,
} as const;

const refusals = {
  400: { description: 'RFC 6749 §5.2 error', schema: oauthError },
  401: { description: 'Client authentication failed', schema: oauthError },
  413: { description: 'Body too large', schema: oauthError },
  429: { description: 'Too many requests, or too many failures; see Retry-After', schema: oauthError },
};

export function tokenRoutes(core: Core, keys: SigningKeys, tokens: Tokens): Route[] {
  return [
    route({
      ...oauth,
      path: '/oauth/token',
      operationId: 'issueToken',
      summary: 'Issue an access token',
      description:
        'Parameters as form or JSON. A merchant’s system uses `client_credentials` (RFC 6749 §4.4), ' +
        'with the client in Basic authentication or in the body. A person uses `password`. ' +
        'If two-step sign-in is on, the answer is 400 `mfa_required` with an `mfa_token`; ' +
        'continue with `urn:balcao:params:oauth:grant-type:mfa-otp`.\n\n' +
        'A refresh token works once; the answer has the next one. ' +
        'Use of an older one ends the session, because somebody has a copy. ' +
        'A token of a merchant’s client has access to that merchant; a token of `web` to the requested merchant. ' +
        'Repeated failures delay the next attempts: 429 with `Retry-After`.',
      bodyDoc: tokenRequest,
      example: { grant_type: 'client_credentials', client_id: 'demo', client_secret: 'demo-secret' },
      answers: { 200: { description: 'An access token', schema: tokenAnswer }, ...refusals },
      run: ({ ctx, body, address }) =>
        answerOAuth(async () => {
          const request = readTokenRequest(body, ctx.get('authorization'), {
            address,
            userAgent: ctx.get('user-agent').slice(0, MAX_AGENT),
          });
          return { status: 200, body: await issueToken(core, keys, request), headers: NO_CACHE };
        }),
    }),
    route({
      ...oauth,
      path: '/oauth/revoke',
      operationId: 'revokeToken',
      summary: 'Revoke a token (RFC 7009)',
      description:
        'A refresh token or a person’s access token ends the person’s session. ' +
        'Only the client itself, with its secret, may revoke its access token; its other tokens stay valid. ' +
        'Other nodes refuse a revoked token within 30 s. Unknown tokens are answered 200.',
      bodyDoc: revokeRequest,
      example: { token: 'eyJhbGciOiJFUzI1NiIs…', client_id: 'demo', client_secret: 'demo-secret' },
      answers: { 200: { description: 'The token is invalid now' }, ...refusals },
      run: ({ ctx, body, address }) =>
        answerOAuth(async () => {
          const field = readFields(body);
          const token = field('token');
          if (token === undefined) throw new OAuthError('invalid_request', 'token is required');
          await revokeToken(core, tokens, { token, address, ...readClient(field, ctx.get('authorization')) });
          return { status: 200, body: null, headers: NO_CACHE };
        }),
    }),
    declareJwks(keys),
    declareMetadata(core),
  ];
}

/** Maximum characters of the User-Agent header that a session stores for the person's list of sessions. */
const MAX_AGENT = 300;

const NO_CACHE = { Pragma: 'no-cache' };

function declareJwks(keys: SigningKeys): Route {
  return route({
    method: 'GET',
    path: '/.well-known/jwks.json',
    operationId: 'readJwks',
    tag: 'Tokens',
    summary: 'Public keys of access tokens (RFC 7517)',
    access: { kind: 'public' },
    bucket: 'public',
    answers: { 200: { description: 'The key set', schema: z.object({ keys: z.array(z.looseObject({})) }) } },
    run: async () => ({ status: 200, body: await keys.jwks(), headers: { 'Cache-Control': 'public, max-age=300' } }),
  });
}

function declareMetadata({ publicUrl }: Core): Route {
  const metadata = {
    issuer: publicUrl,
    token_endpoint: `${publicUrl}/oauth/token`,
    revocation_endpoint: `${publicUrl}/oauth/revoke`,
    jwks_uri: `${publicUrl}/.well-known/jwks.json`,
    grant_types_supported: Object.keys(GRANTS),
    response_types_supported: [],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    scopes_supported: SCOPES,
    service_documentation: `${publicUrl}/openapi.json`,
  };
  return route({
    method: 'GET',
    path: '/.well-known/oauth-authorization-server',
    operationId: 'readAuthorizationServer',
    tag: 'Tokens',
    summary: 'Authorization server metadata (RFC 8414)',
    access: { kind: 'public' },
    bucket: 'public',
    answers: { 200: { description: 'The metadata', schema: z.looseObject({ issuer: z.string() }) } },
    run: () => ({ status: 200, body: metadata }),
  });
}

async function answerOAuth(run: () => Promise<Answer>): Promise<Answer> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    const challenge = error.status === 401 ? { 'WWW-Authenticate': 'Basic realm="balcao"' } : {};
    return {
      status: error.status,
      body: { error: error.error, error_description: error.message, ...error.extra },
      headers: { ...NO_CACHE, ...challenge, ...error.headers },
    };
  }
}

/** Converts problems of a request body to RFC 6749 errors. A wrong media type becomes 400; other statuses stay. */
function refuseAsOAuth({ code, options }: Problem): Answer {
  const { status, detail } = PROBLEMS[code];
  return {
    status: status === 415 ? 400 : status,
    body: { error: 'invalid_request', error_description: DESCRIPTIONS[code] ?? detail },
    headers: options.headers ?? {},
  };
}

/** Texts of OAuth errors that replace the general texts, which mention JSON and a list of faults. */
const DESCRIPTIONS: Partial<Record<Problem['code'], string>> = {
  unsupported_media_type:
    'Send the parameters as application/x-www-form-urlencoded or JSON, in UTF-8, without encoding.',
  validation_failed: 'A parameter is sent twice.',
};

type Field = TokenRequest['field'];

function readTokenRequest(body: unknown, authorization: string, from: Origin): TokenRequest {
  const field = readFields(body);
  // The grant type is checked before the client, so that a request without both gets this error.
  if (field('grant_type') === undefined) throw new OAuthError('invalid_request', 'grant_type is required');
  return { ...readClient(field, authorization), field, from };
}

/** Returns a reader of text fields by name. An empty field counts as absent. */
function readFields(body: unknown): Field {
  const fields = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  return (name) => {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (value === undefined || value === null || value === '') return undefined;
    if (typeof value !== 'string') throw new OAuthError('invalid_request', `${name} must be a string`);
    return value;
  };
}

/** Reads the client's id and secret, either from Basic (form-encoded) or from the body. Both together are refused. */
function readClient(field: Field, authorization: string): Pick<TokenRequest, 'clientId' | 'clientSecret'> {
  const [id, secret] = [field('client_id'), field('client_secret')];
  const basic = readBasic(authorization);
  if (basic && secret) throw new OAuthError('invalid_request', 'authenticate in one way only');
  if (basic && id && id !== basic.id) throw new OAuthError('invalid_request', 'client_id names another client');
  const clientId = basic?.id ?? id;
  // Only Basic can carry NUL, since bodies with NUL are refused. No client id has a NUL.
  if (clientId?.includes('\0')) throw invalidClient();
  return { clientId, clientSecret: basic?.secret ?? secret };
}

function readBasic(authorization: string): { id: string; secret: string } | null {
  const encoded = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(authorization)?.[1];
  if (!encoded) return null;
  const [id = '', ...secret] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  const decode = (value: string) => {
    try {
      return decodeURIComponent(value.replaceAll('+', ' '));
    } catch {
      return value;
    }
  };
  return { id: decode(id), secret: decode(secret.join(':')) };
}
