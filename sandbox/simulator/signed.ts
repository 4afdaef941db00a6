// Who may call the rails: whoever signs with the rail's key.
import type { Middleware } from 'koa';
import { verifySignature } from '../../server/http/signature.ts';
import { readBody } from './body.ts';
import { refuse } from './refusal.ts';
import type { RailName, Simulation } from './simulation.ts';

/**
 * Refuses what is not signed with the key of one of these rails; leaves the raw body in `ctx.state.body`, and in
 * `ctx.state.signedFor` the rails whose key it is.
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
