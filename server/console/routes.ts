// Routes of the console: sign-in, and for each screen its page, forms, files, documents and live stream.
import type { Context } from 'koa';
import { PROBLEMS } from '../../shared/errors.ts';
import type { ScreenRules } from '../../shared/console.ts';
import type { Core } from '../core.ts';
import type { Exports } from '../exports/send.ts';
import { PUBLIC_MAX_BYTES, readBody, readTexts, RESOURCE_MAX_BYTES } from '../http/body.ts';
import type { Limits } from '../http/limits.ts';
import { Problem, type Answer } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { submitForm } from './submit-form.ts';
import { openOperations } from './call-operation.ts';
import { hidden, page, readTarget, showConsolePage, showSignIn, SIGN_IN, signInRoutes, trySignIn } from './sign-in.ts';
import { isOwnForm, isOwnPage, readForm, refuseForm, seeOther } from './form.ts';
import { installRoutes } from './install.ts';
import { findSettings, PREVIEW, sendPreview } from './preview.ts';
import { createRunOnce } from './run-once.ts';
import { cookieName, findSignedIn, readSignedIn, recheckSignedIn, type SignedIn } from './session.ts';
import {
  describeVisitor,
  isLiveRequest,
  languageFor,
  locationOf,
  renderScreen,
  type ConsoleDeps,
  type SignedInRequest,
  type ConsoleServices,
} from './render-screen.ts';

/**
 * The pages below `/console`. They are not part of the published API, and each action is an operation of the API.
 * @param options.routes the API's routes @param options.limits, options.exports the API's own
 */
export function consoleRoutes(
  options: ConsoleServices & { routes: readonly Route[]; limits: Limits; exports: Exports },
): Route[] {
  const { core, assets, render, readPaymentReadiness, routes, limits, exports } = options;
  const deps: ConsoleDeps = {
    core,
    signInCore: options.signInCore,
    drawSpecimen: options.drawSpecimen,
    assets,
    render,
    readPaymentReadiness,
    operations: openOperations(routes, limits, exports),
    runOnce: createRunOnce(core),
  };
  return [
    declareHome(deps),
    ...installRoutes({ assets, render }),
    ...signInRoutes({ core: deps.signInCore, render, assets }),
    declareStream(deps),
    ...declarePreview(deps),
    ...render.screens.flatMap((screen) => [
      ...(screen.file ? [declareFile(deps, screen, screen.file)] : []),
      ...(screen.documents ?? []).map((document) => declareDocument(deps, document)),
      declareScreen(deps, screen),
      ...(Object.keys(screen.acts).length > 0 ? [declareActs(deps, screen)] : []),
    ]),
  ];
}

/** Finds the session of a request. Null without a session: the caller then redirects to the sign-in page. */
async function findSession({ signInCore }: ConsoleDeps, ctx: Context, isUse = true): Promise<SignedInRequest | null> {
  // A page's automatic request must not extend the session.
  const signedIn = await readSignedIn(signInCore, ctx, isUse && !isLiveRequest(ctx));
  return signedIn && describeRequest(signInCore, ctx, signedIn);
}

function describeRequest(signInCore: Core, ctx: Context, signedIn: SignedIn): SignedInRequest {
  const { caller, sessionId } = signedIn;
  ctx.state['merchantId'] = caller.merchantId;
  // The texts that an operation returns are in the page's language.
  ctx.req.headers['accept-language'] = languageFor(ctx, signedIn);
  return { ctx, caller, signedIn, recheck: () => recheckSignedIn(signInCore, sessionId) };
}

/** Redirects to the sign-in page. It tells a browser with an old cookie that the session has ended. */
function redirectToSignIn({ signInCore }: ConsoleDeps, ctx: Context): Answer {
  const to = readTarget(ctx.method === 'GET' ? ctx.url : ctx.path);
  const had = ctx.cookies.get(cookieName(signInCore)) !== undefined;
  const query = new URLSearchParams({ ...(to !== '/console' && { to }), ...(had && { ended: '' }) });
  return seeOther(ctx, query.size > 0 ? `${SIGN_IN}?${query}` : SIGN_IN);
}

const open = { ...hidden, bucket: null, answers: page } as const;

function declareHome(deps: ConsoleDeps): Route {
  return route({
    ...open,
    method: 'GET',
    path: '/console',
    operationId: 'console:home',
    summary: 'Redirects to the first screen that the user may open',
    async run({ ctx }) {
      const from = await findSession(deps, ctx);
      if (!from) return redirectToSignIn(deps, ctx);
      return seeOther(ctx, deps.render.homeOf(await describeVisitor(deps, from)));
    },
  });
}

function declareStream(deps: ConsoleDeps): Route {
  return route({
    ...open,
    method: 'GET',
    path: '/console/stream',
    operationId: 'console:stream',
    summary: 'Live events for an open screen',
    isStream: true,
    async run({ ctx }) {
      const from = await findSession(deps, ctx, false);
      if (!from) throw new Problem('invalid_token');
      const { after = 'now' } = locationOf(ctx).query;
      return deps.operations.call(from, { operation: 'streamEvents', query: { after } });
    },
  });
}

/** The preview of the brand: a GET shows the saved brand, and the form on the settings screen shows a typed one. */
function declarePreview(deps: ConsoleDeps): Route[] {
  const about = { ...open, path: PREVIEW, summary: 'The hosted page with a merchant’s brand' } as const;
  const show = async (ctx: Context, hasForm: boolean) => {
    const from = await findSession(deps, ctx);
    if (!from) return redirectToSignIn(deps, ctx);
    return inFrame(deps, from, async () => {
      const sent = hasForm ? await readForm(ctx, findSettings(deps.render)) : null;
      if (sent && !isOwnForm(deps.core, ctx, from.signedIn, sent.texts)) return refuseForm(deps.core, deps.render, ctx);
      return sendPreview(deps, from, sent);
    });
  };
  return [
    route({ ...about, method: 'GET', operationId: 'console:preview', run: ({ ctx }) => show(ctx, false) }),
    route({
      ...about,
      method: 'POST',
      operationId: 'console:preview:typed',
      acceptsForm: true,
      readsRawBody: true,
      bucket: 'public',
      run: ({ ctx }) => show(ctx, true),
    }),
  ];
}

function declareFile(deps: ConsoleDeps, screen: ScreenRules, file: NonNullable<ScreenRules['file']>): Route {
  return route({
    ...open,
    method: 'GET',
    path: file.path,
    operationId: `console:file:${file.path}`,
    summary: 'A screen’s list as a CSV file',
    async run({ ctx }) {
      const from = await findSession(deps, ctx);
      if (!from) return redirectToSignIn(deps, ctx);
      await deps.operations.sendFile(from, file.buildCall(locationOf(ctx)));
      return { status: 0 };
    },
  });
}

type ScreenDocument = NonNullable<ScreenRules['documents']>[number];

/** Sends an operation's answer unchanged, with the media type of this URL. */
function declareDocument(deps: ConsoleDeps, { path, type, buildCall }: ScreenDocument): Route {
  return route({
    ...open,
    method: 'GET',
    path,
    operationId: `console:document:${path}`,
    summary: 'A screen’s object as a document',
    async run({ ctx }) {
      const from = await findSession(deps, ctx);
      if (!from) return redirectToSignIn(deps, ctx);
      ctx.req.headers.accept = type;
      return inFrame(deps, from, () => deps.operations.call(from, buildCall(locationOf(ctx))));
    },
  });
}

function declareScreen(deps: ConsoleDeps, screen: ScreenRules): Route {
  return route({
    ...open,
    method: 'GET',
    path: screen.path,
    operationId: `console:${screen.path}`,
    summary: 'One screen',
    async run({ ctx }) {
      const from = await findSession(deps, ctx);
      if (!from) return redirectToSignIn(deps, ctx);
      const opened = locationOf(ctx);
      const elsewhere = screen.redirectTo?.(opened);
      return elsewhere
        ? seeOther(ctx, elsewhere)
        : inFrame(deps, from, () => renderScreen(deps, screen, from, opened, null));
    },
  });
}

function declareActs(deps: ConsoleDeps, screen: ScreenRules): Route {
  return route({
    ...open,
    method: 'POST',
    path: screen.path,
    operationId: `console:act:${screen.path}`,
    summary: 'Submits a form of a screen',
    acceptsForm: true,
    readsRawBody: true,
    // The public rate-limit bucket counts by IP address, before the server reads a form.
    bucket: 'public',
    async run({ ctx, address }) {
      const from = await findSession(deps, ctx);
      if (!from) return keepForm(deps, screen, ctx, address);
      return inFrame(deps, from, async () => {
        // A pasted list is large, so the server reads a form only for a signed-in user.
        const sent = await readForm(ctx, screen);
        const { kept } = sent.texts;
        // The person has signed in on another tab since then.
        if (kept !== undefined && isOwnPage(deps.core, ctx)) return showKeptForm(deps, screen, from, kept);
        if (!isOwnForm(deps.core, ctx, from.signedIn, sent.texts)) return refuseForm(deps.core, deps.render, ctx);
        return forScript(ctx, await submitForm(deps, screen, from, sent));
      });
    },
  });
}

/** The page's script sends some forms itself. It opens the result by its address, because it cannot read a redirect. */
const forScript = (ctx: Context, answer: Answer): Answer =>
  answer.status === 303 && ctx.get('x-balcao-sent') !== '' ? { status: 201 } : answer;

/** The largest form that the sign-in page keeps, and that form together with the fields of the sign-in. */
const KEPT_BYTES = PUBLIC_MAX_BYTES;
const SIGN_IN_BYTES = RESOURCE_MAX_BYTES;

/**
 * Keeps a form whose session has ended: the sign-in page carries it, at the same URL as the form.
 * After the sign-in, the screen shows the form again. The person sends it a second time.
 */
async function keepForm(deps: ConsoleDeps, screen: ScreenRules, ctx: Context, address: string): Promise<Answer> {
  const { signInCore: core, render, assets } = deps;
  // A form of another website is not kept, because it could fill in a form for the person.
  if (!isOwnPage(core, ctx)) return redirectToSignIn(deps, ctx);
  const isKeepable = ctx.is('urlencoded') && Number(ctx.get('content-length')) <= SIGN_IN_BYTES;
  const sent = isKeepable ? readTexts((await readBody(ctx, true, SIGN_IN_BYTES)) as object) : null;
  const kept = sent && (sent['kept'] ?? JSON.stringify(withoutSecrets(sent)));
  if (!sent || !kept || kept.length > KEPT_BYTES) return seeOther(ctx, `${SIGN_IN}?${lostForm(ctx)}`);
  const shown = { kept, to: readTarget(ctx.path) };
  if (sent['kept'] === undefined) return showSignIn({ core, render, assets }, ctx, { ...shown, wrong: 'kept' });
  const result = await trySignIn(core, ctx, sent, address);
  if (result.refused) return showSignIn({ core, render, assets }, ctx, { ...shown, ...result.refused });
  const signedIn = await findSignedIn(core, result.sessionId, true);
  if (!signedIn) return redirectToSignIn(deps, ctx);
  const from = describeRequest(core, ctx, signedIn);
  return inFrame(deps, from, () => showKeptForm(deps, screen, from, kept));
}

/** Shows the screen with the typed form, and the reason for its refusal. */
async function showKeptForm(
  deps: ConsoleDeps,
  screen: ScreenRules,
  from: SignedInRequest,
  kept: string,
): Promise<Answer> {
  const typed = readTexts(readJson(kept));
  const { act = '' } = typed;
  if (!Object.hasOwn(screen.acts, act)) return seeOther(from.ctx, from.ctx.path);
  const again = { act, code: 'invalid_token', wrong: {}, faults: [], extra: {}, typed, requestId: null };
  return renderScreen(deps, screen, from, locationOf(from.ctx), again);
}

const lostForm = (ctx: Context) => new URLSearchParams({ to: readTarget(ctx.path), lost: '' });

/** Removes secrets, and the fields that only the ended session could use. The form's key makes a repeat harmless. */
function withoutSecrets(fields: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).filter(([name]) => name === 'key' || !/password|secret|token|key|code|etag/i.test(name)),
  );
}

function readJson(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

/** Shows a problem as a page in the frame of the signed-in user. */
async function inFrame(deps: ConsoleDeps, from: SignedInRequest, work: () => Promise<Answer>): Promise<Answer> {
  const { ctx } = from;
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Problem) || PROBLEMS[error.code].status >= 500) throw error;
    const visitor = await describeVisitor(deps, from);
    const { status } = PROBLEMS[error.code];
    const again = ctx.method === 'GET' ? ctx.url : null;
    const { renderMissing, renderTrouble } = deps.render;
    const html = status === 404 ? renderMissing(visitor.lang, visitor) : renderTrouble(visitor.lang, again, visitor);
    showConsolePage(deps.render, ctx, html, status);
    if (error.options.headers) ctx.set(error.options.headers);
    return { status: 0 };
  }
}
