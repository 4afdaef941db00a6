// Refusals of the simulator, and how they and everything unforeseen are answered.
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

/** Ends the request with `{ code, message }`. */
export function refuse(status: number, code: string, message: string): never {
  throw new Refusal(status, code, message);
}

/** Refusals with their status; anything else, such as a database that is away, is a 503 and logged. */
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
