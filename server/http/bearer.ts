// Bearer authentication (RFC 6750); what a token means is told by accounts/verify, handed in by app.ts.
import type { Context } from 'koa';
import type { Scope } from '../../shared/scopes.ts';
import { Problem } from './problem.ts';

/** Whose request this is. Everything they may touch belongs to `merchantId`. */
export type Caller = {
  /** Empty: a person without a merchant, who has no scopes either. */
  merchantId: string;
  clientId: string;
  /** Null: a merchant's system, not a person. */
  userId: string | null;
  /** Of a person: the sign-in that the token is of. */
  sessionId: string | null;
  scopes: ReadonlySet<Scope>;
};

/** Resolves a token's caller; null when it is forged, expired, or its client is no longer allowed. */
export type Verify = (token: string) => Promise<Caller | null>;

/** @throws Problem invalid_token, with the challenge RFC 6750 §3 asks for */
export async function verifyBearer(ctx: Context, verify: Verify): Promise<Caller> {
  const header = ctx.get('authorization');
  const token = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(header)?.[1];
  const caller = token ? await verify(token) : null;
  if (caller) return caller;
  const reason = header ? ', error="invalid_token"' : '';
  throw new Problem('invalid_token', { headers: { 'WWW-Authenticate': `Bearer realm="balcao"${reason}` } });
}
