// Who may call the rails: whoever signs with the rail's key.
import type { Middleware } from 'koa';
import { verifySignature } from '../../server/http/signature.ts';
import { readBody } from './body.ts';
import { refuse } from './refusal.ts';
import type { Simulation } from './simulation.ts';

/** Refuses what is not signed with the key; leaves the raw body in `ctx.state.body`. */
export function requireSignature({ clock }: Simulation, key: string): Middleware {
  return async (ctx, next) => {
    const body = await readBody(ctx.req);
    const message = { method: ctx.method, path: ctx.url, body };
    if (!verifySignature(key, message, ctx.headers, clock.now())) {
      refuse(401, 'BAD_SIGNATURE', 'Rail-Timestamp and Rail-Signature do not sign this message, or are too old.');
    }
    ctx.state.body = body;
    await next();
  };
}
