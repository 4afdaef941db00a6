// What the token endpoints are asked, as form or JSON, and the client's credentials in it or in Basic (RFC 6749 §2.3.1).
import type { TokenRequest } from './grants.ts';
import { invalidClient, OAuthError } from './oauth.ts';
import type { Origin } from './sessions.ts';

type Field = TokenRequest['field'];

export function readTokenRequest(body: unknown, authorization: string, from: Origin): TokenRequest {
  const field = readFields(body);
  // Told before a client that is missing.
  if (field('grant_type') === undefined) throw new OAuthError('invalid_request', 'grant_type is required');
  return { ...readClient(field, authorization), field, from };
}

/** Text fields by name; empty ones count as absent. */
export function readFields(body: unknown): Field {
  const fields = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  return (name) => {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (value === undefined || value === null || value === '') return undefined;
    if (typeof value !== 'string') throw new OAuthError('invalid_request', `${name} must be a string`);
    return value;
  };
}

/** The client that is named: form-encoded inside Basic, or in the body; one way only. */
export function readClient(field: Field, authorization: string): Pick<TokenRequest, 'clientId' | 'clientSecret'> {
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
