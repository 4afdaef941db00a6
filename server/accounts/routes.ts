// Tokens and what others need to check them: /oauth/token, JWKS, server metadata.
import { z } from 'zod';
import { PROBLEMS } from '../../shared/errors.ts';
import { SCOPES } from '../../shared/scopes.ts';
import type { Core } from '../core.ts';
import type { Problem } from '../http/problem.ts';
import { route, type Answer, type Route } from '../http/route.ts';
import { issueToken, OAuthError, type TokenRequest } from './token.ts';
import type { SigningKeys } from './keys.ts';

const tokenAnswer = z
  .object({ access_token: z.string(), token_type: z.literal('Bearer'), expires_in: z.int(), scope: z.string() })
  .meta({ id: 'TokenAnswer' });
const oauthError = z.object({ error: z.string(), error_description: z.string() }).meta({ id: 'OAuthError' });
const tokenRequest = z
  .object({
    grant_type: z.literal('client_credentials'),
    client_id: z.string().optional(),
    client_secret: z.string().optional(),
    scope: z.string().optional().describe('Scopes separated by spaces; all of the client’s when omitted'),
  })
  .meta({ id: 'TokenRequest' });

export function accountRoutes(core: Core, keys: SigningKeys): Route[] {
  return [
    route({
      method: 'POST',
      path: '/oauth/token',
      operationId: 'issueToken',
      tag: 'Tokens',
      summary: 'Issue an access token',
      description:
        'client_credentials (RFC 6749 §4.4), as form or JSON; the client authenticates by Basic or in the body.',
      access: { kind: 'public' },
      bucket: 'public',
      acceptsForm: true,
      bodyDoc: tokenRequest,
      answers: {
        200: { description: 'An access token', schema: tokenAnswer },
        400: { description: 'RFC 6749 §5.2 error', schema: oauthError },
        401: { description: 'Client authentication failed', schema: oauthError },
        413: { description: 'Body too large', schema: oauthError },
        415: { description: 'Neither form nor JSON', schema: oauthError },
        429: { description: 'Too many requests; see Retry-After', schema: oauthError },
      },
      refuse: refuseAsOAuth,
      async run({ ctx, body }) {
        try {
          const request = readTokenRequest(body, ctx.get('authorization'));
          return { status: 200, body: await issueToken(core, keys, request), headers: { Pragma: 'no-cache' } };
        } catch (error) {
          if (error instanceof OAuthError) return oauthAnswer(error);
          throw error;
        }
      },
    }),
    route({
      method: 'GET',
      path: '/.well-known/jwks.json',
      operationId: 'readJwks',
      tag: 'Tokens',
      summary: 'Public keys of access tokens (RFC 7517)',
      access: { kind: 'public' },
      bucket: 'public',
      answers: { 200: { description: 'The key set', schema: z.object({ keys: z.array(z.looseObject({})) }) } },
      run: async () => ({ status: 200, body: await keys.jwks(), headers: { 'Cache-Control': 'public, max-age=300' } }),
    }),
    route({
      method: 'GET',
      path: '/.well-known/oauth-authorization-server',
      operationId: 'readAuthorizationServer',
      tag: 'Tokens',
      summary: 'Authorization server metadata (RFC 8414)',
      access: { kind: 'public' },
      bucket: 'public',
      answers: { 200: { description: 'The metadata', schema: z.looseObject({ issuer: z.string() }) } },
      run: () => ({ status: 200, body: describeServer(core.publicUrl) }),
    }),
  ];
}

function describeServer(publicUrl: string): object {
  return {
    issuer: publicUrl,
    token_endpoint: `${publicUrl}/oauth/token`,
    jwks_uri: `${publicUrl}/.well-known/jwks.json`,
    grant_types_supported: ['client_credentials'],
    response_types_supported: [],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    scopes_supported: SCOPES,
    service_documentation: `${publicUrl}/openapi.json`,
  };
}

/** Reads form or JSON fields and Basic credentials (RFC 6749 §2.3.1: form-encoded inside Basic; one way only). */
function readTokenRequest(body: unknown, authorization: string): TokenRequest {
  const fields = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const text = (name: string): string | undefined => {
    const value = fields[name];
    if (value === undefined || value === null || value === '') return undefined;
    if (typeof value !== 'string') throw new OAuthError('invalid_request', `${name} must be a string`);
    return value;
  };
  const grantType = text('grant_type');
  if (!grantType) throw new OAuthError('invalid_request', 'grant_type is required');
  const basic = readBasic(authorization);
  if (basic && text('client_secret')) throw new OAuthError('invalid_request', 'authenticate in one way only');
  if (basic && text('client_id') && text('client_id') !== basic.id)
    throw new OAuthError('invalid_request', 'client_id names another client');
  const clientId = basic?.id ?? text('client_id');
  const clientSecret = basic?.secret ?? text('client_secret');
  if (!clientId || !clientSecret) throw new OAuthError('invalid_client', 'client credentials are required', 401);
  // Only Basic can carry it this far (a body with NUL is refused); no client has such an id.
  if (clientId.includes('\0')) throw new OAuthError('invalid_client', 'client authentication failed', 401);
  return { grantType, clientId, clientSecret, scope: text('scope') };
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

function oauthAnswer(error: OAuthError): Answer {
  return {
    status: error.status,
    body: { error: error.error, error_description: error.message },
    headers: { Pragma: 'no-cache', ...(error.status === 401 ? { 'WWW-Authenticate': 'Basic realm="balcao"' } : {}) },
  };
}

/** Body problems in the words of RFC 6749; other refusals (limits) keep their status. */
function refuseAsOAuth(problem: Problem): Answer {
  const { status, detail } = PROBLEMS[problem.code];
  return {
    status,
    body: { error: 'invalid_request', error_description: detail },
    headers: problem.options.headers ?? {},
  };
}
