// The client's only error class. Its `code` distinguishes the errors.
import type { Problem } from './contract.ts';

export type FieldError = { pointer: string; code: string; message: string };

/** Codes of the gateway's problems (listed at the gateway's `/problems`), of its token endpoint, and of the client. */
export type ErrorCode = Problem['code'] | 'invalid_client' | 'invalid_scope' | OwnCode;

/**
 * Error codes of the client itself.
 * `connection_failed`: no complete response, so the outcome is unknown.
 * `deadline_exceeded`: the call's deadline passed.
 * `unexpected_answer`: the response is not from a gateway.
 * `payment_ended`: the payment has a final status and will not be paid.
 * `verification_failed`: the gateway did not send this callback or webhook.
 * `unreadable_body`: the body of a callback or webhook is too long, or other code has already parsed it.
 */
export type OwnCode =
  | 'connection_failed'
  | 'deadline_exceeded'
  | 'unexpected_answer'
  | 'payment_ended'
  | 'verification_failed'
  | 'unreadable_body';

export class BalcaoError<Code extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'BalcaoError';
  readonly code: Code;
  /** HTTP status of the gateway's response, or 0 without one. For `unreadable_body`: the status to send back. */
  readonly status: number;
  /** All wrong fields of the request, each with its JSON pointer. */
  readonly errors: Code extends 'validation_failed' ? [FieldError, ...FieldError[]] : FieldError[];
  /** The request's id in the gateway's log. Send it when you contact support. */
  readonly requestId: string | null;
  /** The whole problem document. `reference_in_flight` has the other payment's `internalId`. */
  readonly problem: Code extends 'reference_in_flight' ? { internalId: string } : Record<string, unknown>;

  constructor(code: Code, message: string, { status = 0, requestId = null, problem = {}, cause }: ErrorDetails = {}) {
    super(message, { cause });
    this.code = code;
    this.status = status;
    this.requestId = requestId;
    this.errors = (problem['errors'] ?? []) as typeof this.errors;
    this.problem = problem as typeof this.problem;
  }
}

export type ErrorDetails = {
  status?: number;
  requestId?: string | null;
  problem?: Record<string, unknown>;
  cause?: unknown;
};

/** A union of the errors by code, so that a `switch` over `code` narrows the error's type. */
export type KnownError = { [Code in ErrorCode]: BalcaoError<Code> }[ErrorCode];

/** True if the client threw the error. Compares names, because a process may load the package as ESM and CommonJS. */
export function isBalcaoError(error: unknown): error is KnownError {
  return error instanceof Error && error.name === 'BalcaoError';
}

/** Reads the problem document of a failed response. */
export async function readProblem(response: Response): Promise<BalcaoError> {
  const { status, headers } = response;
  const text = await response.text().catch(() => '');
  let problem: Record<string, unknown> = {};
  try {
    problem = Object(JSON.parse(text));
  } catch {
    // The body is not JSON, such as a proxy's error page.
  }
  const code = (problem['code'] ?? problem['error'] ?? 'unexpected_answer') as ErrorCode;
  const detail = problem['detail'] ?? problem['error_description'] ?? `the response was ${status}`;
  const [first] = (problem['errors'] ?? []) as FieldError[];
  // The message contains the first wrong field, because error trackers show only the message.
  const field = first ? ` (${first.pointer}: ${first.message})` : '';
  const requestId = headers.get('x-request-id');
  return new BalcaoError(code, `${code}: ${detail}${field}`, { status, requestId, problem });
}
