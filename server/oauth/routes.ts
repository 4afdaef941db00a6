// Tokens and what others need to check them: /oauth/token, /oauth/revoke, JWKS, server metadata.
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
    refresh_token: z.string().optional().describe('Of people: for the next access token; works once'),
    merchant_id: z.string().nullish().describe('Of people: whose data the token reaches; null without a merchant'),
  })
  .meta({ id: 'TokenAnswer' });
const oauthError = z
  .object({
    error: z.string(),
    error_description: z.string(),
    mfa_token: z.string().optional().describe('Of `mfa_required`: to be sent with the code'),
    expires_in: z.int().optional().describe('Of `mfa_required`: how long it is good, in seconds'),
  })
  .meta({ id: 'OAuthError' });
const tokenRequest = z
  .object({
    grant_type: z.enum(Object.keys(GRANTS)),
    client_id: z.string().optional().describe('`web` is the platform’s own client, without secret, for people'),
    client_secret: z.string().optional(),
    scope: z.string().optional().describe('Scopes separated by spaces; all that are allowed when omitted'),
    username: z.string().optional().describe('password: the e-mail address'),
    password: z.string().optional(),
    merchant_id: z.string().optional().describe('password with `web`: which merchant; else the oldest access'),
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
      description: `As form or JSON. A merchant’s system: \`client_credentials\` (RFC 6749 §4.4), the client by Basic or in the body. A person: \`password\`, answered 400 \`mfa_required\` with an \`mfa_token\` where two-step sign-in is on; then \`urn:balcao:params:oauth:grant-type:mfa-otp\`.

A refresh token works once, and the answer brings the next one; using an older one ends the session of both, as somebody has a copy. The token of a merchant’s client reaches that merchant; that of \`web\` the one asked for. Failures in a row slow the next tries down: 429 with \`Retry-After\`.`,
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
        'A refresh token, or an access token of a person, ends their session; a client’s access token dies alone, and only the client itself may say so, with its secret. Other nodes refuse what was revoked within 30 s. Unknown tokens are answered 200.',
      bodyDoc: revokeRequest,
      example: { token: 'eyJhbGciOiJFUzI1NiIs…', client_id: 'demo', client_secret: 'demo-secret' },
      answers: { 200: { description: 'It is valid no more' }, ...refusals },
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

/** Of what a browser or app calls itself, as the list of sessions shows it. */
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

/** Body problems in the format of RFC 6749: 400 also for a wrong media type. Size and limits keep their status. */
function refuseAsOAuth({ code, options }: Problem): Answer {
  const { status, detail } = PROBLEMS[code];
  return {
    status: status === 415 ? 400 : status,
    body: { error: 'invalid_request', error_description: DESCRIPTIONS[code] ?? detail },
    headers: options.headers ?? {},
  };
}

/** The general sentences speak of JSON alone, and of a list of faults that OAuth errors do not have. */
const DESCRIPTIONS: Partial<Record<Problem['code'], string>> = {
  unsupported_media_type:
    'Send the parameters as application/x-www-form-urlencoded or JSON, in UTF-8, without encoding.',
  validation_failed: 'A parameter is sent twice.',
};

type Field = TokenRequest['field'];

function readTokenRequest(body: unknown, authorization: string, from: Origin): TokenRequest {
  const field = readFields(body);
  // Told before a client that is missing.
  if (field('grant_type') === undefined) throw new OAuthError('invalid_request', 'grant_type is required');
  return { ...readClient(field, authorization), field, from };
}

/** Text fields by name; empty ones count as absent. */
function readFields(body: unknown): Field {
  const fields = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  return (name) => {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (value === undefined || value === null || value === '') return undefined;
    if (typeof value !== 'string') throw new OAuthError('invalid_request', `${name} must be a string`);
    return value;
  };
}

/** The client that is named: form-encoded inside Basic, or in the body; one way only. */
function readClient(field: Field, authorization: string): Pick<TokenRequest, 'clientId' | 'clientSecret'> {
  const [id, secret] = [field('client_id'), field('client_secret')];
  const basic = readBasic(authorization);
  if (basic && secret) throw new OAuthError('invalid_request', 'authenticate in one way only');
  if (basic && id && id !== basic.id) throw new OAuthError('invalid_request', 'client_id names another client');
  const clientId = basic?.id ?? id;
  // Only Basic can carry it this far (a body with NUL is refused); no client has such an id.
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
