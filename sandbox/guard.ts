// Who may use the sandbox: people on this machine, or those who know its password; never another website.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Context, Middleware } from 'koa';

export type GuardOptions = {
  /** Null when the sandbox listens on loopback only. */
  password: string | null;
  publicUrl: () => string;
};

/**
 * Guards `/sandbox` and `/demo`. With a password: HTTP Basic, any user name. Without: only loopback names in `Host`, on
 * every path, so that no website can use the demo's known credentials by pointing its own name at this machine. The rail's signed calls
 * (`/sandbox/rail/v1/`) and those to the demo shop carry their own proof.
 */
export function guardSandbox({ password, publicUrl }: GuardOptions): Middleware {
  return async (ctx, next) => {
    const { headers } = ctx.req;
    const isMachine = MACHINE_PATHS.test(ctx.path);
    if (password === null && !isMachine && !LOOPBACK_HOST.test(headers.host ?? '')) {
      return refuse(ctx, 403, 'The sandbox without a password answers to localhost only.');
    }
    if (!/^\/(sandbox|demo)(\/|$)/i.test(ctx.path) || isMachine) return next();
    if (password !== null && !isPassword(headers.authorization, password)) {
      ctx.set('WWW-Authenticate', 'Basic realm="Balcao sandbox", charset="UTF-8"');
      return refuse(ctx, 401, 'SANDBOX_PASSWORD is needed; any user name will do.');
    }
    if (!['GET', 'HEAD', 'OPTIONS'].includes(ctx.method) && !isOwnPage(headers, publicUrl())) {
      return refuse(ctx, 403, 'Another website may not act in the sandbox.');
    }
    return next();
  };
}

/** Signed by the rail, known by the shop's access key, or saying nothing. */
const MACHINE_PATHS = /^\/(sandbox\/rail\/v1\/|sandbox\/callbacks\/hook$|rails\/|healthz$|readyz$)/;

const LOOPBACK_HOST = /^(localhost|[\w-]+\.localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;

function isPassword(header: string | undefined, password: string): boolean {
  const encoded = /^Basic +([A-Za-z0-9+/]+=*) *$/i.exec(header ?? '')?.[1] ?? '';
  const pair = Buffer.from(encoded, 'base64').toString('utf8');
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(pair.slice(pair.indexOf(':') + 1)), digest(password));
}

/** Browsers say where a form comes from; what says nothing is no browser, and acts for nobody else. */
function isOwnPage(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  const { origin, host } = headers;
  if (origin === undefined) return true;
  return origin === new URL(publicUrl).origin || (URL.canParse(origin) && new URL(origin).host === host);
}

function refuse(ctx: Context, status: number, reason: string): void {
  ctx.status = status;
  ctx.set('Cache-Control', 'no-store');
  ctx.type = 'text';
  ctx.body = `${reason}\n`;
}
