// The console's screens as pages: who may see one, what it reads of the API, and what its forms do there.
import { randomUUID } from 'node:crypto';
import type { Context } from 'koa';
import { PROBLEMS } from '../../shared/errors.ts';
import { LANGUAGES } from '../../shared/language.ts';
import type { Ask, ConsoleRender, Drawn, Opened, Refused, ScreenRules, Visitor } from '../../shared/console.ts';
import type { Core } from '../core.ts';
import type { Exports } from '../http/export.ts';
import type { Limits } from '../http/limits.ts';
import type { Assets } from '../http/page.ts';
import { Problem, type Answer } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { findMerchant } from '../merchants/find.ts';
import { openOperations, type CallFrom, type Operations } from './call.ts';
import { doorRoutes, hidden, page, readTarget, showConsolePage, SIGN_IN } from './door.ts';
import { formBody, isOwnForm, readTexts, refuseForm, seeOther } from './form.ts';
import { cookieName, formTokenOf, readSignedIn, recheckSignedIn, type SignedIn } from './session.ts';

type Stage = {
  core: Core;
  /** The same by everybody's time: who may come in does not go by a sandbox's own. */
  door: Core;
  assets: Assets;
  render: ConsoleRender;
};
type ConsoleDeps = Stage & { operations: Operations };

/**
 * The pages below `/console`, not part of the published interface: whatever they do is an operation of it.
 * @param given.routes those of the API @param given.limits and exports: the API's own
 */
export function consoleRoutes(given: Stage & { routes: readonly Route[]; limits: Limits; exports: Exports }): Route[] {
  const { core, door, assets, render, routes, limits, exports } = given;
  const deps = { core, door, assets, render, operations: openOperations(routes, limits, exports) };
  return [
    declareHome(deps),
    ...doorRoutes(door, render),
    declareStream(deps),
    ...render.screens.flatMap((screen) => [
      ...(screen.file ? [declareFile(deps, screen, screen.file)] : []),
      declareScreen(deps, screen),
      ...(Object.keys(screen.acts).length > 0 ? [declareActs(deps, screen)] : []),
    ]),
  ];
}

type Entered = CallFrom & { signedIn: SignedIn };

/** What every address asks first: whose session it is. Who has none is shown the way in, and comes back after it. */
async function enter({ door }: ConsoleDeps, ctx: Context, isUse = true): Promise<Entered | null> {
  // What a page asks by itself is no use of a person's.
  const signedIn = await readSignedIn(door, ctx, isUse && ctx.get('x-balcao-live') === '');
  if (!signedIn) return null;
  const { caller, sessionId } = signedIn;
  ctx.state['merchantId'] = caller.merchantId;
  return { ctx, caller, signedIn, recheck: () => recheckSignedIn(door, sessionId) };
}

/** Whoever had a session is told that it has ended. */
function goToDoor({ door }: ConsoleDeps, ctx: Context): Answer {
  const to = readTarget(ctx.method === 'GET' ? ctx.url : ctx.path);
  const had = ctx.cookies.get(cookieName(door)) !== undefined;
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
    summary: 'The first screen that the person may see',
    async run({ ctx }) {
      const from = await enter(deps, ctx);
      if (!from) return goToDoor(deps, ctx);
      return seeOther(ctx, deps.render.homeOf({ may: (name) => deps.operations.may(from.caller, name) }));
    },
  });
}

function declareStream(deps: ConsoleDeps): Route {
  return route({
    ...open,
    method: 'GET',
    path: '/console/stream',
    operationId: 'console:stream',
    summary: 'What changes at the merchant, while a screen is open',
    isStream: true,
    async run({ ctx }) {
      const from = await enter(deps, ctx, false);
      if (!from) throw new Problem('invalid_token');
      return deps.operations.call(from, { operation: 'streamEvents', query: { after: 'now' } });
    },
  });
}

function declareFile(deps: ConsoleDeps, screen: ScreenRules, file: NonNullable<ScreenRules['file']>): Route {
  return route({
    ...open,
    method: 'GET',
    path: file.path,
    operationId: `console:file:${file.path}`,
    summary: 'The list of a screen, whole',
    async run({ ctx }) {
      const from = await enter(deps, ctx);
      if (!from) return goToDoor(deps, ctx);
      await deps.operations.sendFile(from, file.ask(openedOf(ctx)));
      return { status: 0 };
    },
  });
}

function declareScreen(deps: ConsoleDeps, screen: ScreenRules): Route {
  return route({
    ...open,
    method: 'GET',
    path: screen.path,
    operationId: `console:${screen.path}`,
    summary: 'A screen',
    async run({ ctx }) {
      const from = await enter(deps, ctx);
      if (!from) return goToDoor(deps, ctx);
      const opened = openedOf(ctx);
      const elsewhere = screen.detour?.(opened);
      return elsewhere ? seeOther(ctx, elsewhere) : inFrame(deps, from, () => show(deps, screen, from, opened, null));
    },
  });
}

function declareActs(deps: ConsoleDeps, screen: ScreenRules): Route {
  return route({
    ...open,
    method: 'POST',
    path: screen.path,
    operationId: `console:act:${screen.path}`,
    summary: 'A form of a screen',
    acceptsForm: true,
    body: formBody,
    async run({ ctx, body }) {
      const from = await enter(deps, ctx);
      if (!from) return goToDoor(deps, ctx);
      const form = readTexts(body);
      if (!isOwnForm(deps.core, ctx, from.signedIn, form)) return refuseForm(deps.core, deps.render, ctx);
      return inFrame(deps, from, () => act(deps, screen, from, form));
    },
  });
}

/** Done once however often its form is sent; what is refused is told where it was asked, beside what has become of it meanwhile. */
async function act(
  deps: ConsoleDeps,
  screen: ScreenRules,
  from: Entered,
  form: Record<string, string>,
): Promise<Answer> {
  const { ctx } = from;
  const opened = openedOf(ctx);
  const { act: name = '', key: formKey } = form;
  const declared = Object.hasOwn(screen.acts, name) ? screen.acts[name] : undefined;
  if (!declared) throw new Problem('not_found');
  const refuse = (code: string, wrong: Record<string, string>) =>
    show(deps, screen, from, opened, { act: name, code, wrong, typed: form });
  const asked = declared.ask(form, opened);
  if (typeof asked === 'string') return refuse('validation_failed', { [asked]: 'invalid_format' });
  try {
    const { etag: ifMatch } = form;
    const key = formKey ? `console-${formKey}`.slice(0, MAX_KEY) : undefined;
    const answer = await deps.operations.call(from, {
      operation: declared.operation,
      ...asked,
      ...(key && { key }),
      ...(ifMatch && { ifMatch }),
    });
    if (declared.tells) return show(deps, screen, from, opened, null, { act: name, body: plain(answer) });
    const place = declared.leadsTo?.(plain(answer), opened, answer.headers ?? {}) ?? ctx.path;
    return seeOther(ctx, `${place}${place.includes('?') ? '&' : '?'}done=${name}`);
  } catch (error) {
    if (!(error instanceof Problem) || PROBLEMS[error.code].status >= 500) throw error;
    const faults = (error.options.faults ?? []).map(({ pointer, code }) => [pointer.slice(1), code]);
    return refuse(error.code, Object.fromEntries(faults.reverse()));
  }
}

/** Of an Idempotency-Key; longer than what a page writes into its forms. */
const MAX_KEY = 100;

/** What cannot be shown is told within the house of whoever is signed in. */
async function inFrame(deps: ConsoleDeps, from: Entered, work: () => Promise<Answer>): Promise<Answer> {
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

/** @throws Problem not_found for a screen that this person may not see, as for one that does not exist */
async function show(
  deps: ConsoleDeps,
  screen: ScreenRules,
  from: Entered,
  opened: Opened,
  refused: Refused | null,
  told: Drawn<unknown>['told'] = null,
): Promise<Answer> {
  const { core, render, operations, assets } = deps;
  const visitor = await describeVisitor(deps, from);
  if (!visitor.may(screen.needs)) throw new Problem('not_found');
  const tags: Record<string, string> = {};
  const read = async (asks: Record<string, Ask | null>) => {
    const answers = Object.entries(asks).map(async ([name, ask]) => {
      const answer = ask && (await operations.call(from, ask).catch((error: unknown) => orNull(ask, error)));
      if (answer?.headers?.['ETag']) tags[name] = answer.headers['ETag'];
      return [name, answer && plain(answer)] as const;
    });
    return Object.fromEntries(await Promise.all(answers)) as Record<string, unknown>;
  };
  const first = await read(screen.reads(opened, visitor));
  const data = { ...first, ...(screen.readsOn && (await read(screen.readsOn(first, opened)))) };
  const done = told?.act ?? opened.query['done'] ?? null;
  const at = { key: randomUUID(), now: core.clock.now() };
  const drawn: Drawn<unknown> = { visitor, opened, data, tags, told, done, refused, ...at };
  const html = render.renderScreen(screen.path, drawn, assets.url('console/live.client.ts'));
  showConsolePage(render, from.ctx, html, refused ? PROBLEMS[refused.code as 'not_found'].status : 200);
  return { status: 0 };
}

async function describeVisitor(
  { core, operations }: ConsoleDeps,
  { ctx, caller, signedIn }: Entered,
): Promise<Visitor> {
  const { merchantId } = caller;
  const { firstName, lastName, role, language, sessionId } = signedIn;
  return {
    lang: LANGUAGES.find((each) => each === ctx.query['lang']) ?? language,
    sandbox: core.config.isSandbox,
    name: `${firstName} ${lastName}`.trim(),
    role,
    merchant: merchantId ? { id: merchantId, name: (await findMerchant(core, merchantId)).name } : null,
    formToken: formTokenOf(core, sessionId),
    may: (operation) => operations.may(caller, operation),
  };
}

function openedOf(ctx: Context): Opened {
  const query = Object.entries(ctx.query).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value]] : [],
  );
  return { params: ctx['params'] as Record<string, string>, query: Object.fromEntries(query) };
}

function orNull(ask: Ask, error: unknown): null {
  if (ask.orNull && error instanceof Problem && error.code === 'not_found') return null;
  throw error;
}

/** An answer's body as its reader over HTTP has it: JSON, and a picture as what an `img` shows. */
function plain({ body, type }: Answer): unknown {
  if (body == null || body === '') return null;
  if (type?.startsWith('image/'))
    return `data:${type};base64,${Buffer.from(body as string | Uint8Array).toString('base64')}`;
  const isText = typeof body === 'string' || Buffer.isBuffer(body);
  return JSON.parse(isText ? String(body) : JSON.stringify(body));
}
