// Access to the sandbox: only people on this machine, or with its password. Requests of other websites are refused.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Context, Middleware } from 'koa';

export type GuardOptions = {
  /** The sandbox's password. Null if the sandbox listens only on loopback. */
  password: string | null;
  publicUrl: () => string;
};

/**
 * Guards `/sandbox` and `/demo`. With a password, it requires HTTP Basic with any user name.
 * Without a password, every request must have a loopback name in its `Host` header.
 * Otherwise a website could use the demo's public credentials by pointing its own domain here (DNS rebinding).
 * The rail's signed calls (`/sandbox/rail/v1/`) and the calls to the demo shop have their own credentials.
 */
export function guardSandbox({ password, publicUrl }: GuardOptions): Middleware {
  return async (ctx, next) => {
    const { headers } = ctx.req;
    const isMachine = MACHINE_PATHS.test(ctx.path);
    if (password === null && !isMachine && !LOOPBACK_HOST.test(headers.host ?? '')) {
      return refuse(ctx, 403, 'Without a password the sandbox answers to localhost only.');
    }
    if (!/^\/(sandbox|demo)(\/|$)/i.test(ctx.path) || isMachine) return next();
    if (password !== null && !isPassword(headers.authorization, password)) {
      ctx.set('WWW-Authenticate', 'Basic realm="Balcao sandbox", charset="UTF-8"');
      return refuse(ctx, 401, 'Sign in with the password SANDBOX_PASSWORD and any user name.');
    }
    if (!['GET', 'HEAD', 'OPTIONS'].includes(ctx.method) && !isOwnPage(headers, publicUrl())) {
      return refuse(ctx, 403, 'The sandbox refuses requests of other websites.');
    }
    return next();
  };
}

/** Paths for programs: signed by the rail, protected by the demo shop's access key, or without any content. */
const MACHINE_PATHS = /^\/(sandbox\/rail\/v1\/|sandbox\/callbacks\/hook$|rails\/|healthz$|readyz$)/;

const LOOPBACK_HOST = /^(localhost|[\w-]+\.localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;

function isPassword(header: string | undefined, password: string): boolean {
  const encoded = /^Basic +([A-Za-z0-9+/]+=*) *$/i.exec(header ?? '')?.[1] ?? '';
  const pair = Buffer.from(encoded, 'base64').toString('utf8');
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(pair.slice(pair.indexOf(':') + 1)), digest(password));
}

/**
 * True, except for a request in which a browser names another origin.
 * A client without these headers is not a browser, so a website cannot control it.
 */
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
