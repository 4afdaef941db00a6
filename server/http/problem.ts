// Responses of routes, and errors as RFC 9457 problem+json. Any code throws a Problem, and one middleware writes it.
import type { Context, Middleware } from 'koa';
import { isProblemCode, NOT_CONNECTED, PROBLEMS, type ProblemCode } from '../../shared/errors.ts';
import { messageOf, type FaultCode } from '../../shared/messages.ts';
import { isDatabaseUnavailable } from '../database/unavailable.ts';

export type Answer = {
  /** The HTTP status. 0: the handler wrote to `ctx` itself (pages, streams). */
  status: number;
  /** The body. An object is sent as JSON. A string is sent unchanged, as JSON unless `type` names another type. */
  body?: object | string | Buffer | null;
  type?: string;
  headers?: Record<string, string>;
  /** Fields of an accepted request that the caller may have misspelt. The response and the list of errors show them. */
  warnings?: Fault[];
};

/** One invalid field: its JSON pointer (RFC 6901), a code, and the values of its message. */
export type Fault = { pointer: string; code: FaultCode; params?: Record<string, unknown> };

export function pointerOf(path: readonly PropertyKey[]): string {
  return path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

type ProblemOptions = {
  faults?: Fault[];
  headers?: Record<string, string>;
  /** Problem members in addition to those of RFC 9457, for example `internalId`. */
  extra?: Record<string, unknown>;
};

export class Problem extends Error {
  readonly code: ProblemCode;
  readonly options: ProblemOptions;
  constructor(code: ProblemCode, options: ProblemOptions = {}) {
    super(code);
    this.name = 'Problem';
    this.code = code;
    this.options = options;
  }
}

/** The caller disconnected before its request was complete. No response is sent, and the error is not logged. */
export class CallerGone extends Error {}

/**
 * Returns a 400 for invalid fields.
 * If all faults have the code of one known problem, the response has that code too.
 */
export function invalidFields(faults: Fault[]): Problem {
  const codes = new Set(faults.map((fault) => fault.code));
  const [only] = codes;
  return new Problem(codes.size === 1 && only && isProblemCode(only) ? only : 'validation_failed', { faults });
}

/** Returns a temporary refusal with Retry-After. `seconds` is rounded up, to at least 1. */
export function tryLater(code: ProblemCode, seconds: number): Problem {
  return new Problem(code, { headers: { 'Retry-After': String(Math.max(1, Math.ceil(seconds))) } });
}

/** Returns the problem for an unexpected error. It has no internal details, and says only whether to try again. */
export function problemOf(error: unknown): Problem {
  return isDatabaseUnavailable(error) ? tryLater('service_unavailable', 2) : new Problem('internal_error');
}

/** The most faults in a response, unless its route allows more. A response must not grow far beyond its request. */
const MAX_FAULTS = 100;

type ProblemContext = {
  publicUrl: string;
  requestId: string;
  lang: 'en' | 'pt';
  maxFaults?: number | undefined;
  /** The operator's contact for merchants, from the settings. */
  operatorContact?: string | undefined;
};

export function describeProblem({ code, options }: Problem, context: ProblemContext): object {
  const { publicUrl, requestId, lang, maxFaults = MAX_FAULTS, operatorContact } = context;
  const { status, title, detail } = PROBLEMS[code];
  const { faults = [], extra } = options;
  const isConnected = ![code, ...faults.map((fault) => fault.code)].some((each) => NOT_CONNECTED.has(each));
  const contact = operatorContact ? ` The operator: ${operatorContact}.` : '';
  const howToConnect = `Contracts: ${publicUrl}/console/rails, or POST /api/merchants/{merchantId}/rail-accounts.`;
  return {
    type: `${publicUrl}/problems/${code}`,
    title,
    status,
    detail: isConnected ? detail : `${detail} ${howToConnect}${contact}`,
    instance: `urn:request:${requestId}`,
    code,
    ...extra,
    ...(options.faults && {
      errors: viewFaults(faults.slice(0, maxFaults), lang),
    }),
  };
}

/** Returns the language of a response's messages. */
export function languageOfMessages(ctx: Context): 'en' | 'pt' {
  return ctx.acceptsLanguages('en', 'pt') === 'pt' ? 'pt' : 'en';
}

/** Returns faults with their messages, as responses show them. */
export function viewFaults(faults: Fault[], lang: 'en' | 'pt') {
  return faults.map(({ pointer, code, params }) => ({ pointer, code, message: messageOf(code, lang, params) }));
}

function writeProblem(ctx: Context, problem: Problem, publicUrl: string): void {
  const lang = languageOfMessages(ctx);
  const { requestId, maxFaults } = ctx.state as { requestId: string; maxFaults?: number };
  const operatorContact = ctx.app?.context['operatorContact'] as string | undefined;
  ctx.status = PROBLEMS[problem.code].status;
  ctx.set({ ...problem.options.headers, Vary: 'Accept-Language', 'Content-Language': lang });
  ctx.body = JSON.stringify(describeProblem(problem, { publicUrl, requestId, lang, maxFaults, operatorContact }));
  ctx.type = 'application/problem+json';
}

/** Turns every error and every request without a response into a problem. Only the log runs before it. */
export function catchProblems(
  publicUrl: () => string,
  report: (error: unknown, ctx: Context) => void,
  note: (ctx: Context, problem: Problem) => void = () => {},
): Middleware {
  return async (ctx, next) => {
    try {
      await next();
      if (ctx.respond === false || ctx.body != null || ctx.status === 204) return;
      // A status 501 without the header Allow is an unknown path, requested by a rare method.
      if (ctx.status === 404 || (ctx.status === 501 && !ctx.response.get('Allow'))) throw new Problem('not_found');
      if (ctx.status === 405 || ctx.status === 501) throw new Problem('method_not_allowed');
    } catch (error) {
      if (error instanceof CallerGone) {
        ctx.respond = false;
        return;
      }
      const problem = error instanceof Problem ? error : problemOf(error);
      if (problem !== error || PROBLEMS[problem.code].status === 500) report(error, ctx);
      note(ctx, problem);
      writeProblem(ctx, problem, publicUrl());
    }
  };
}
