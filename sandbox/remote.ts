// Calls from the sandbox's pages to the gateway and to the simulated rail, over HTTP like anybody's.
import { z } from 'zod';
import { isProblemCode, type ProblemCode } from '../shared/errors.ts';
import type { Clock } from '../server/clock.ts';
import { OutgoingError, sendRequest } from '../server/http/client/outgoing.ts';

export type RemoteAnswer = { status: number; body: unknown };

/** The other side did not answer as it should; a person may try again in a moment. */
export class RemoteError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'RemoteError';
  }
}

/** The API understood, and says no: trying again changes nothing. */
export class RefusedError extends Error {
  readonly code: ProblemCode;
  /** What is wrong, field by field, in words. */
  readonly faults: string[];

  constructor(code: ProblemCode, faults: string[]) {
    super(code);
    this.name = 'RefusedError';
    this.code = code;
    this.faults = faults;
  }
}

export type RemoteRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  url: string;
  headers?: Record<string, string>;
  body?: string;
};

/** Sends a request and parses its JSON answer, whatever its status; 204 has none. @throws RemoteError without a JSON answer */
export async function callJson(clock: Clock, request: RemoteRequest): Promise<RemoteAnswer> {
  const { pathname } = new URL(request.url);
  try {
    const answer = await sendRequest({ ...request, timeoutMs: 10_000, maxBytes: 1_048_576, clock });
    return { status: answer.status, body: answer.status === 204 ? null : JSON.parse(answer.body) };
  } catch (error) {
    const reason = error instanceof OutgoingError ? error.code : 'not JSON';
    throw new RemoteError(`${request.method} ${pathname}: ${reason}`, error);
  }
}

const problemSchema = z.object({
  code: z.string().refine(isProblemCode),
  errors: z.array(z.object({ pointer: z.string(), message: z.string() })).default([]),
});

/** @throws RefusedError for a problem that is the request's own, and not the moment's */
export function checkAccepted({ status, body }: RemoteAnswer): void {
  if (status < 400 || status >= 500 || status === 429) return;
  const { success, data } = problemSchema.safeParse(body);
  if (!success) return;
  const faults = data.errors.map(({ pointer, message }) => `${pointer.slice(1).replaceAll('/', '.')} ${message}`);
  throw new RefusedError(data.code, faults);
}

/** The answer's body as `schema` knows it. @throws RemoteError for another status or shape */
export function readAnswer<S extends z.ZodType>(answer: RemoteAnswer, schema: S): z.output<S> {
  const parsed = answer.status < 300 ? schema.safeParse(answer.body) : null;
  if (parsed?.success) return parsed.data;
  throw new RemoteError(`answered ${answer.status} in an unexpected form`, parsed?.error);
}
