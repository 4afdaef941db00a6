// Access to the rails' routes: requests must be signed with the rail's key.
import type { Middleware } from 'koa';
import { verifySignature } from '../../server/http/signature.ts';
import { readBody } from './body.ts';
import { refuse } from './refusal.ts';
import type { RailName, Simulation } from './simulation.ts';

/**
 * Refuses requests that are not signed with a key of these rails.
 * Stores the raw body in `ctx.state.body`, and the rails with a matching key in `ctx.state.signedFor`.
 */
export function requireSignature({ clock, rails }: Simulation, ...names: RailName[]): Middleware {
  return async (ctx, next) => {
    const body = await readBody(ctx.req);
    const message = { method: ctx.method, path: ctx.url, body };
    const signedFor = names.filter((name) => {
      const key = rails[name]?.key;
      return key && verifySignature(key, message, ctx.headers, clock.outside());
    });
    if (signedFor.length === 0) {
      refuse(401, 'BAD_SIGNATURE', 'Rail-Timestamp and Rail-Signature do not sign this message, or are too old.');
    }
    Object.assign(ctx.state, { body, signedFor });
    await next();
  };
}
