// HTTP calls from the sandbox's pages to the gateway and to the simulated rail.
import { z } from 'zod';
import { isProblemCode, type ProblemCode } from '../shared/errors.ts';
import type { Clock } from '../server/clock.ts';
import { OutgoingError, sendRequest } from '../server/http/client/outgoing.ts';

export type RemoteAnswer = { status: number; body: unknown };

/** The called server failed or sent an unexpected answer. A later retry may succeed. */
export class RemoteError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'RemoteError';
  }
}

/** The API refused the request, so a retry of the same request cannot help. */
export class RefusedError extends Error {
  readonly code: ProblemCode;
  /** The faults of a refused request as sentences, one per field. */
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

/**
 * Sends a request and parses the JSON answer of any status. An answer with the status 204 has no body.
 * @throws RemoteError if the answer is not JSON
 */
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

/** Checks the status. @throws RefusedError if the request itself is wrong, so that a retry cannot help */
export function checkAccepted({ status, body }: RemoteAnswer): void {
  if (status < 400 || status >= 500 || status === 429) return;
  const { success, data } = problemSchema.safeParse(body);
  if (!success) return;
  const faults = data.errors.map(({ pointer, message }) => `${pointer.slice(1).replaceAll('/', '.')} ${message}`);
  throw new RefusedError(data.code, faults);
}

/** Validates the body of an answer. @throws RemoteError for another status or another shape */
export function readAnswer<S extends z.ZodType>(answer: RemoteAnswer, schema: S): z.output<S> {
  const parsed = answer.status < 300 ? schema.safeParse(answer.body) : null;
  if (parsed?.success) return parsed.data;
  throw new RemoteError(`unexpected answer with status ${answer.status}`, parsed?.error);
}
