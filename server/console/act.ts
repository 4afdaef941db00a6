// Runs a screen's form once, however often the browser sends it. Shows refusals and failures at the form.
import { PROBLEMS, type ProblemCode } from '../../shared/errors.ts';
import type { Act, Ask, Opened, ScreenRules } from '../../shared/console.ts';
import { logFailure } from '../http/log.ts';
import { invalid, Problem, problemOf, type Answer } from '../http/problem.ts';
import { plain, type Admitted } from './call.ts';
import { enterMerchant, showConsolePage } from './door.ts';
import { readFiles, seeOther } from './form.ts';
import type { SentForm } from './multipart.ts';
import { languageFor, openedOf, show, type ConsoleDeps, type Entered } from './show.ts';

/** Maximum length of an Idempotency-Key. The keys in the forms of our pages are shorter. */
const MAX_KEY = 100;

/** Runs a form. A refusal is shown at the form, on a freshly rendered screen. */
export async function act(deps: ConsoleDeps, screen: ScreenRules, from: Entered, sent: SentForm): Promise<Answer> {
  const opened = openedOf(from.ctx);
  const { act: name = '', key: formKey, etag: ifMatch } = sent.texts;
  const declared = Object.hasOwn(screen.acts, name) ? screen.acts[name] : undefined;
  if (!declared) throw new Problem('not_found');
  let form = sent.texts;
  const refuse = ({ code, options: { faults = [], extra = {} } }: Problem, requestId: string | null = null) => {
    const firsts = faults.map((fault) => [fault.pointer.slice(1), fault.code]).reverse();
    const refused = { act: name, code, wrong: Object.fromEntries(firsts), faults, extra, typed: form, requestId };
    return show(deps, screen, from, opened, refused);
  };
  try {
    // Checks access and limits first, because reading a form costs work too.
    const admitted = await deps.operations.admit(from, declared.operation);
    const read = readFiles(declared.files, sent);
    form = read.form;
    if (read.faults.length > 0) throw invalid(read.faults);
    const asked = declared.ask(form, opened);
    if (typeof asked === 'string') throw invalid([{ pointer: `/${asked}`, code: 'invalid_format' }]);
    const key = formKey ? `console-${formKey}`.slice(0, MAX_KEY) : undefined;
    const ask = { operation: declared.operation, ...asked, ...(key && { key }), ...(ifMatch && { ifMatch }) };
    const tell = (body: unknown) => show(deps, screen, from, opened, null, { act: name, body, typed: form });
    return await carryOut(deps, from, { name, declared, admitted, ask, opened, tell });
  } catch (error) {
    return isRefusal(error) ? refuse(error) : tellFailure(deps, from, error, refuse);
  }
}

type Wanted = {
  name: string;
  declared: Act;
  admitted: Admitted;
  ask: Ask;
  opened: Opened;
  tell(body: unknown): Promise<Answer>;
};

async function carryOut(
  deps: ConsoleDeps,
  from: Entered,
  { name, declared, admitted, ask, opened, tell }: Wanted,
): Promise<Answer> {
  const { ctx, signedIn } = from;
  if (declared.isTrial) {
    await admitted.check(ask);
    return tell(ask.body);
  }
  const call = () => admitted.call(ask);
  const isOnce = declared.once && ask.key;
  const answer = isOnce ? await deps.callOnce({ userId: signedIn.userId, asked: ask }, call) : await call();
  if (!answer) return seeOther(ctx, `${ctx.path}?done=again`);
  if (declared.tells) return tell(plain(answer));
  if (declared.enters) await enterMerchant(deps.door, from, declared.enters(plain(answer)));
  const place = declared.leadsTo?.(plain(answer), opened, answer.headers ?? {}) ?? ctx.path;
  return seeOther(ctx, `${place}${place.includes('?') ? '&' : '?'}done=${name}`);
}

/** Errors after which the outcome is unknown: the operation may have succeeded. */
const UNKNOWN: ReadonlySet<ProblemCode> = new Set(['internal_error', 'service_unavailable']);

const isRefusal = (error: unknown): error is Problem => error instanceof Problem && !UNKNOWN.has(error.code);

/**
 * Reports an unknown outcome and the request id to find it in the log.
 * Without a screen, a page of its own shows it.
 */
async function tellFailure(
  { core, render }: ConsoleDeps,
  from: Entered,
  error: unknown,
  tell: (problem: Problem, requestId: string) => Promise<Answer>,
): Promise<Answer> {
  const { ctx, signedIn } = from;
  if (!(error instanceof Problem)) logFailure(core.log, error, ctx);
  const problem = error instanceof Problem ? error : problemOf(error);
  const { requestId } = ctx.state as { requestId: string };
  try {
    await tell(problem, requestId);
  } catch (another) {
    logFailure(core.log, another, ctx);
    const html = render.renderUnknown(languageFor(ctx, signedIn), requestId);
    showConsolePage(render, ctx, html, PROBLEMS[problem.code].status);
  }
  ctx.set(problem.options.headers ?? {});
  return { status: 0 };
}
