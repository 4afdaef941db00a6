// Runs a screen's form once, even if the browser sends it again. Shows refusals and failures at the form.
import { PROBLEMS, type ProblemCode } from '../../shared/errors.ts';
import type { Act, OperationCall, ScreenLocation, ScreenRules } from '../../shared/console.ts';
import { logFailure } from '../http/log.ts';
import { invalidFields, Problem, problemOf, type Answer, type Fault } from '../http/problem.ts';
import { plainBody, type AdmittedCall } from './call-operation.ts';
import { enterMerchant, showConsolePage } from './sign-in.ts';
import { readFiles, seeOther } from './form.ts';
import type { SentForm } from './multipart.ts';
import { languageFor, locationOf, renderScreen, type ConsoleDeps, type SignedInRequest } from './render-screen.ts';

/** Maximum length of an Idempotency-Key. The keys in our forms are shorter. */
const MAX_KEY = 100;

/** Runs a form. After a refusal, the screen is rendered again with the reason at the form. */
export async function submitForm(
  deps: ConsoleDeps,
  screen: ScreenRules,
  from: SignedInRequest,
  sent: SentForm,
): Promise<Answer> {
  const opened = locationOf(from.ctx);
  const { act: name = '', key: formKey, etag: ifMatch } = sent.texts;
  const declared = Object.hasOwn(screen.acts, name) ? screen.acts[name] : undefined;
  if (!declared) throw new Problem('not_found');
  let form = sent.texts;
  const refuse = ({ code, options: { faults = [], extra = {} } }: Problem, requestId: string | null = null) => {
    const firsts = faults.map((fault) => [fault.pointer.slice(1), fault.code]).reverse();
    const refused = { act: name, code, wrong: Object.fromEntries(firsts), faults, extra, typed: form, requestId };
    return renderScreen(deps, screen, from, opened, refused);
  };
  try {
    // Access and limits are checked first, because reading a form costs work too.
    const operation = declared.operationFor?.(form) ?? declared.operation;
    const admitted = await deps.operations.admit(from, operation);
    const read = readFiles(declared.files, sent);
    form = read.form;
    if (read.faults.length > 0) throw invalidFields(read.faults);
    const built = declared.buildCall(form, opened);
    if (typeof built === 'string') throw invalidFields([{ pointer: `/${built}`, code: 'invalid_format' }]);
    const key = formKey ? `console-${formKey}`.slice(0, MAX_KEY) : undefined;
    const { faults: ownFaults = [], ...request } = built;
    const operationCall = {
      operation,
      ...request,
      ...(key && { key }),
      ...(ifMatch && { ifMatch }),
    };
    if (ownFaults.length > 0) throw invalidFields([...ownFaults, ...(await findFaults(admitted, operationCall))]);
    const { showsResultOnce: isShown = false } = declared;
    const isShownOnce = typeof isShown === 'function' ? isShown(form) : isShown;
    const showResult = (body: unknown) =>
      renderScreen(deps, screen, from, opened, null, { act: name, body, typed: form });
    return await runForm(deps, from, { name, declared, admitted, operationCall, opened, isShownOnce, showResult });
  } catch (error) {
    if (!isRefusal(error)) return showFailure(deps, from, error, refuse);
    const answer = await refuse(error);
    // The page's script needs this mark, because the error page of a proxy may have the same status.
    from.ctx.set('X-Balcao-Refused', error.code);
    return answer;
  }
}

/** The faults of the API's own checks, so that one answer names all wrong fields. */
async function findFaults(admitted: AdmittedCall, operationCall: OperationCall): Promise<readonly Fault[]> {
  try {
    await admitted.check(operationCall);
    return [];
  } catch (error) {
    if (isRefusal(error)) return error.options.faults ?? [];
    throw error;
  }
}

type FormRun = {
  name: string;
  declared: Act;
  admitted: AdmittedCall;
  operationCall: OperationCall;
  opened: ScreenLocation;
  isShownOnce: boolean;
  showResult(body: unknown): Promise<Answer>;
};

async function runForm(
  deps: ConsoleDeps,
  from: SignedInRequest,
  { name, declared, admitted, operationCall, opened, isShownOnce, showResult }: FormRun,
): Promise<Answer> {
  const { ctx, signedIn } = from;
  if (declared.isDryRun) {
    await admitted.check(operationCall);
    return showResult(operationCall.body);
  }
  const call = () => admitted.call(operationCall);
  const isOnce = declared.once && operationCall.key;
  const answer = isOnce ? await deps.runOnce({ userId: signedIn.userId, operationCall }, call) : await call();
  if (!answer) return seeOther(ctx, `${ctx.path}?done=again`);
  if (isShownOnce) return showResult(plainBody(answer));
  if (declared.switchesToMerchant)
    await enterMerchant(deps.signInCore, from, declared.switchesToMerchant(plainBody(answer)));
  const target = declared.resultPath?.(plainBody(answer), opened, answer.headers ?? {}) ?? ctx.path;
  const done = declared.nameResult?.(answer.status) ?? name;
  return seeOther(ctx, `${target}${target.includes('?') ? '&' : '?'}done=${done}`);
}

/** Problem codes with an unknown outcome: the operation may have succeeded. */
const UNKNOWN: ReadonlySet<ProblemCode> = new Set(['internal_error', 'service_unavailable']);

const isRefusal = (error: unknown): error is Problem => error instanceof Problem && !UNKNOWN.has(error.code);

/**
 * Shows an unknown outcome, and the request id by which the log has the request.
 * If the form's screen cannot be rendered, a separate page shows the unknown outcome.
 */
async function showFailure(
  { core, render }: ConsoleDeps,
  from: SignedInRequest,
  error: unknown,
  refuse: (problem: Problem, requestId: string) => Promise<Answer>,
): Promise<Answer> {
  const { ctx, signedIn } = from;
  if (!(error instanceof Problem)) logFailure(core.log, error, ctx);
  const problem = error instanceof Problem ? error : problemOf(error);
  const { requestId } = ctx.state as { requestId: string };
  try {
    await refuse(problem, requestId);
  } catch (another) {
    logFailure(core.log, another, ctx);
    const html = render.renderUnknownOutcome(languageFor(ctx, signedIn), requestId);
    showConsolePage(render, ctx, html, PROBLEMS[problem.code].status);
  }
  ctx.set(problem.options.headers ?? {});
  return { status: 0 };
}
