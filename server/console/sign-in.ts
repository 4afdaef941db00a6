// Console sign-in: the password, the second step, the switch to another merchant, and sign-out.
import type { Context } from 'koa';
import type { ConsoleRender, SignInView } from '../../shared/console.ts';
import { DEMO_SIGN_IN_PATH, DEMO_PEOPLE } from '../../shared/sandbox.ts';
import type { Core } from '../core.ts';
import { em, type Db } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { recordAudit } from '../audit/record.ts';
import { readTexts } from '../http/body.ts';
import { clientAddress } from '../http/limits.ts';
import { languageOf, pagePolicy, sendPage, type Assets } from '../http/pages.ts';
import { OAuthError } from '../http/oauth-error.ts';
import { Problem, type Answer } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { beginSession } from '../oauth/token-endpoint.ts';
import { User } from '../people/entities.ts';
import { CONSOLE_CLIENT, endSession, type Origin } from '../people/sessions.ts';
import { checkPerson, checkSecondStep } from '../people/sign-in.ts';
import { formBody, isOwnForm, isOwnPage, refuseForm, seeOther } from './form.ts';
import { readSignedIn, setCookie, type SignedIn } from './session.ts';

/** The OAuth client of the console. It may act at every merchant of the person, with all scopes of their role. */
const CLIENT = { id: CONSOLE_CLIENT, merchantId: null, scopes: null };

export const hidden = { tag: 'Console', access: { kind: 'public' }, isHidden: true } as const;
export const page = { 200: { description: 'The page', contentType: 'text/html' } };

const form = { ...hidden, bucket: 'public', method: 'POST', acceptsForm: true, body: formBody, answers: page } as const;

export const SIGN_IN = '/console/sign-in';
/** The script of this page deletes the worker. `Clear-Site-Data` would also delete the settings of the device. */
const SIGNED_OUT = `${SIGN_IN}?out`;

/** The script of the pages that ask for a password. */
export const ACCOUNT_SCRIPT = 'checkout/account/account.client.ts';

/** `core`: the core with the real clock. */
export type SignInDeps = { core: Core; render: ConsoleRender; assets: Assets };

/** Routes of the pages before the sign-in, and of the forms that end or switch a session. */
export function signInRoutes(deps: SignInDeps): Route[] {
  const { core, render } = deps;
  const every = [
    declareSignInPage(deps),
    declareRegister(),
    declareSignIn(deps),
    declareSignOut(core),
    declareMerchant(core, render),
  ];
  return core.config.isSandbox ? [...every, declareDemo(core)] : every;
}

function declareSignInPage(deps: SignInDeps): Route {
  return route({
    ...hidden,
    bucket: 'public',
    method: 'GET',
    path: SIGN_IN,
    operationId: 'console:door',
    summary: 'The sign-in page',
    answers: page,
    run({ ctx }) {
      const wrong = (['lost', 'ended'] as const).find((reason) => ctx.query[reason] !== undefined) ?? null;
      return showSignIn(deps, ctx, { to: readTarget(ctx.query['to']), wrong });
    },
  });
}

/** Redirects to the registration page, which is one of the account pages. */
function declareRegister(): Route {
  return route({
    ...hidden,
    bucket: 'public',
    method: 'GET',
    path: '/console/register',
    operationId: 'console:register',
    summary: 'Redirects to registration',
    answers: page,
    run: ({ ctx }) => seeOther(ctx, `/account/register?lang=${languageOf(ctx)}`),
  });
}

function declareSignIn(deps: SignInDeps): Route {
  const { core, render } = deps;
  return route({
    ...form,
    path: SIGN_IN,
    operationId: 'console:signIn',
    summary: 'Signs in by password, or by the code of the second step',
    async run({ ctx, body, address }) {
      // Prevents login CSRF: a form of another website must not sign a visitor in to the attacker's account.
      if (!isOwnPage(core, ctx)) return refuseForm(core, render, ctx);
      const fields = readTexts(body);
      const to = readTarget(fields['to']);
      const { refused } = await trySignIn(core, ctx, fields, address);
      return refused ? showSignIn(deps, ctx, { ...refused, to }) : seeOther(ctx, to);
    },
  });
}

/** A refused sign-in, as its page shows it. */
type RefusedSignIn = Partial<SignInView> & { status?: number };

/** Signs in by the fields of the sign-in page, and starts a session. Returns the session's id, or the refusal. */
export async function trySignIn(
  core: Core,
  ctx: Context,
  { email = '', password = '', mfaToken = '', code = '' }: Record<string, string>,
  address: string,
): Promise<{ sessionId: string; refused: null } | { refused: RefusedSignIn }> {
  const from = originOf(ctx, address);
  try {
    const user = mfaToken
      ? (await checkSecondStep(core, { mfaToken, code, clientId: CONSOLE_CLIENT }, from)).user
      : await checkPerson(core, { username: email, password, ...ANYWHERE }, from);
    return { sessionId: await startSession(core, ctx, user, null, from), refused: null };
  } catch (error) {
    return { refused: { email: email.slice(0, 254), ...explain(error, mfaToken) } };
  }
}

/** Signs in a person after a mailed link has proved the e-mail address. */
export async function signInPerson(core: Core, ctx: Context, user: User, address: string): Promise<Answer> {
  await startSession(core, ctx, user, null, originOf(ctx, address));
  return seeOther(ctx, '/console');
}

const ANYWHERE = { clientId: CONSOLE_CLIENT, merchantId: null, scope: undefined };

/** Maps a refused sign-in to the page's message. @throws the error itself if it is not a refusal */
function explain(error: unknown, mfaToken: string): RefusedSignIn {
  if (error instanceof Problem && error.code === 'too_many_failures')
    return { wrong: 'later', step: mfaToken ? 'code' : 'password', mfaToken, status: 429 };
  if (!(error instanceof OAuthError)) throw error;
  if (error.error === 'mfa_required') return { step: 'code', mfaToken: String(error.extra['mfa_token']), wrong: null };
  return mfaToken
    ? { step: 'code', mfaToken, wrong: 'code', status: 400 }
    : { step: 'password', wrong: 'password', status: 400 };
}

/** Sandbox only, behind the sandbox's guard: signs in a person of the demo merchant without a password. */
function declareDemo(core: Core): Route {
  return route({
    ...form,
    path: DEMO_SIGN_IN_PATH,
    operationId: 'console:demo',
    summary: 'Signs a demo user in (sandbox only)',
    async run({ ctx, body, address }) {
      const { who = '' } = readTexts(body);
      const person = isOwnPage(core, ctx) && Object.hasOwn(DEMO_PEOPLE, who) && DEMO_PEOPLE[who as 'owner'];
      const user = person && (await em(core).findOne(User, { id: person.id }));
      if (!user) throw new Problem('not_found');
      await startSession(core, ctx, user, null, originOf(ctx, address));
      return seeOther(ctx, '/console');
    },
  });
}

const originOf = (ctx: Context, address: string): Origin => ({
  address,
  userAgent: ctx.get('user-agent').slice(0, 300),
});

/**
 * Starts a new session with a new cookie at every sign-in.
 * The previous session cookie becomes invalid, even if an attacker planted it. Returns the session's id.
 */
async function startSession(
  core: Core,
  ctx: Context,
  user: User,
  merchantId: string | null,
  from: Origin,
): Promise<string> {
  const before = await readSignedIn(core, ctx, false);
  const { session } = await beginSession(core, { user, client: CLIENT, merchantId, scope: undefined, from });
  if (before) await inTransaction(core, (db) => closeSession(core, db, before, from.address));
  setCookie(core, ctx, session.id);
  return session.id;
}

async function closeSession(core: Core, db: Db, { userId, sessionId }: SignedIn, address: string): Promise<void> {
  const at = core.clock.now();
  if (!(await endSession(db, sessionId, at))) return;
  const actor = { kind: 'user', id: userId, address } as const;
  const entry = { merchantId: null, action: 'session.ended', target: userId, changes: { sessionId } };
  await recordAudit(db, { ...entry, actor, at });
}

function declareSignOut(core: Core): Route {
  return route({
    ...form,
    path: '/console/sign-out',
    operationId: 'console:signOut',
    summary: 'Signs out',
    async run({ ctx, body, address }) {
      const signedIn = await readSignedIn(core, ctx, false);
      if (signedIn && isOwnForm(core, ctx, signedIn, readTexts(body))) {
        await inTransaction(core, (db) => closeSession(core, db, signedIn, address));
        setCookie(core, ctx, null);
        return seeOther(ctx, SIGNED_OUT);
      }
      return seeOther(ctx, SIGN_IN);
    },
  });
}

function declareMerchant(core: Core, render: ConsoleRender): Route {
  return route({
    ...form,
    path: '/console/merchant',
    operationId: 'console:merchant',
    summary: 'Switches to another merchant of the user',
    async run({ ctx, body }) {
      const signedIn = await readSignedIn(core, ctx, true);
      if (!signedIn) return seeOther(ctx, `${SIGN_IN}?ended`);
      const fields = readTexts(body);
      if (!isOwnForm(core, ctx, signedIn, fields)) return refuseForm(core, render, ctx);
      await enterMerchant(core, { ctx, signedIn }, fields['merchantId'] ?? '-');
      return seeOther(ctx, '/console');
    },
  });
}

/** Switches to a merchant in a new session. @throws Problem not_found if the person is not a member of that merchant */
export async function enterMerchant(
  core: Core,
  { ctx, signedIn }: { ctx: Context; signedIn: SignedIn },
  merchantId: string,
): Promise<void> {
  const user = await em(core).findOneOrFail(User, { id: signedIn.userId });
  await startSession(core, ctx, user, merchantId, originOf(ctx, clientAddress(ctx))).catch((error: unknown) => {
    throw error instanceof OAuthError ? new Problem('not_found') : error;
  });
}

export function showSignIn(
  { core, render, assets }: SignInDeps,
  ctx: Context,
  { status = 200, ...changes }: RefusedSignIn,
): Answer {
  const lang = languageOf(ctx);
  const nothing = { step: 'password', email: '', mfaToken: '', to: '/console', wrong: null, kept: null } as const;
  const isCrossSite = ctx.method === 'GET' && ctx.get('sec-fetch-site') === 'cross-site';
  const html = render.renderSignIn({
    lang,
    sandbox: core.config.isSandbox,
    isCrossSite,
    script: assets.url(ACCOUNT_SCRIPT),
    ...nothing,
    ...changes,
  });
  showConsolePage(render, ctx, html, status);
  return { status: 0 };
}

/** Sends a page with the console's CSP. `same-origin` keeps the Origin of forms, which `no-referrer` sets to "null". */
export function showConsolePage(
  render: ConsoleRender,
  ctx: Context,
  html: string,
  status = 200,
  holdsFrames = false,
): void {
  const more = ["manifest-src 'self'", "worker-src 'self'", ...(holdsFrames ? ["frame-src 'self'"] : [])];
  sendPage(ctx, html, pagePolicy(render.styles, [], [], more), status);
  ctx.set('Referrer-Policy', 'same-origin');
}

/** Accepts only redirect targets in the console, so that a crafted link cannot redirect a person to another website. */
export function readTarget(to: unknown): string {
  return typeof to === 'string' && /^\/console(\/[\w-]+)*(\?[\w=&.%+-]*)?$/.test(to) ? to : '/console';
}
