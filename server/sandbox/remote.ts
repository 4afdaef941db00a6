// Calls from the sandbox's pages to the gateway and to the simulated rail, over HTTP like anybody's.
import type { z } from 'zod';
import type { Clock } from '../clock.ts';
import { OutgoingError, sendRequest } from '../http/outgoing.ts';

export type RemoteAnswer = { status: number; body: unknown };

/** The other side did not answer as it should; a person may try again in a moment. */
export class RemoteError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'RemoteError';
  }
}

export type RemoteRequest = { method: 'GET' | 'POST'; url: string; headers?: Record<string, string>; body?: string };

/** Sends a request and parses its JSON answer, whatever its status. @throws RemoteError without a JSON answer */
export async function callJson(clock: Clock, request: RemoteRequest): Promise<RemoteAnswer> {
  const { pathname } = new URL(request.url);
  try {
    const answer = await sendRequest({ ...request, timeoutMs: 10_000, maxBytes: 1_048_576, clock });
    return { status: answer.status, body: JSON.parse(answer.body) };
  } catch (error) {
    const reason = error instanceof OutgoingError ? error.code : 'not JSON';
    throw new RemoteError(`${request.method} ${pathname}: ${reason}`, error);
  }
}

/** The answer's body as `schema` knows it. @throws RemoteError for another status or shape */
export function readAnswer<S extends z.ZodType>(answer: RemoteAnswer, schema: S): z.output<S> {
  const parsed = answer.status < 300 ? schema.safeParse(answer.body) : null;
  if (parsed?.success) return parsed.data;
  throw new RemoteError(`answered ${answer.status} in an unexpected form`, parsed?.error);
}
