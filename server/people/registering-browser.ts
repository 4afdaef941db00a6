// Recognizes the browser that registered, so that the confirmation link asks it for no password again.
import type { Context } from 'koa';
import { v4 as uuid } from 'uuid';
import { HOUR_MS } from '../../shared/durations.ts';
import type { Core } from '../core.ts';
import { equalsSecret } from '../secrets.ts';
import type { User } from './entities.ts';

const PURPOSE = 'registering browser';
const LIFE_MS = HOUR_MS;

type Deps = Pick<Core, 'publicUrl' | 'keyring' | 'clock'>;
export type Registrant = Pick<User, 'id' | 'passwordHash'>;

const isSecure = ({ publicUrl }: Pick<Core, 'publicUrl'>) => publicUrl.startsWith('https:');
const cookieName = (core: Deps) => (isSecure(core) ? '__Host-balcao-new' : 'balcao-new');

/** True if a page of this node sent the form. Account pages send no referrer, so browsers hide their origin. */
export const isSameOrigin = (ctx: Context): boolean => ctx.get('sec-fetch-site') === 'same-origin';

/**
 * Gives the browser a proof of this registration for an hour. Nothing is stored.
 * The cookie is a MAC over the person and the stored password hash. So a cookie of an earlier registration with
 * the same e-mail does not match a later one.
 * Lax: browsers withhold a strict cookie on a link from a mail.
 * @param registrant null if no registration was written. The cookie then proves nothing, but looks the same.
 */
export function rememberBrowser(core: Deps, ctx: Context, registrant: Registrant | null): void {
  const until = core.clock.now().getTime() + LIFE_MS;
  const mac = macsOf(core, registrant ?? { id: uuid() }, until)[0] as Buffer;
  setCookie(core, ctx, `${until}.${mac.toString('base64url')}`, LIFE_MS / 1000);
}

export function forgetBrowser(core: Deps, ctx: Context): void {
  setCookie(core, ctx, '', 0);
}

/** True if this browser registered this person within the last hour. */
export function isRegisteringBrowser(core: Deps, ctx: Context, user: Registrant): boolean {
  const [, until = '', mac = ''] = /^(\d{1,15})\.([\w-]{43})$/.exec(ctx.cookies.get(cookieName(core)) ?? '') ?? [];
  if (Number(until) <= core.clock.now().getTime()) return false;
  const sent = Buffer.from(mac, 'base64url');
  return macsOf(core, user, Number(until)).some((own) => equalsSecret(own, sent));
}

const macsOf = ({ keyring }: Deps, { id, passwordHash }: Partial<Registrant>, until: number) =>
  keyring.digests(`${id}.${passwordHash}.${until}`, PURPOSE);

function setCookie(core: Deps, ctx: Context, value: string, maxAge: number): void {
  const attributes = ['Path=/', 'HttpOnly', 'SameSite=Lax', ...(isSecure(core) ? ['Secure'] : []), `Max-Age=${maxAge}`];
  ctx.append('Set-Cookie', `${cookieName(core)}=${value}; ${attributes.join('; ')}`);
}
