// Refusals of the simulator, and the middleware that turns errors into HTTP answers.
import type { Middleware } from 'koa';

export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Ends the request with the error body `{ code, message }`. */
export function refuse(status: number, code: string, message: string): never {
  throw new Refusal(status, code, message);
}

/**
 * Answers a refused request with the refusal's status.
 * Any other error, such as an unavailable database, is logged and answered with the status 503.
 */
export function answerRefusals(log: (message: string, error: unknown) => void): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const isRefusal = error instanceof Refusal;
      if (!isRefusal) log(`${ctx.method} ${ctx.path} failed`, error);
      ctx.status = isRefusal ? error.status : 503;
      ctx.body = isRefusal
        ? { code: error.code, message: error.message }
        : { code: 'UNAVAILABLE', message: 'The simulator cannot answer just now.' };
    }
  };
}
