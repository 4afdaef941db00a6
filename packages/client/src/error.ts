// The one error of the client, told apart by `code`.
import type { Problem } from './contract.ts';

export type FieldError = { pointer: string; code: string; message: string };

/** A problem of the gateway (`/problems` of yours lists them), of its token endpoint, or one that the client met by itself. */
export type ErrorCode = Problem['code'] | 'invalid_client' | 'invalid_scope' | OwnCode;

/**
 * `connection_failed`: no answer, so nothing is known. `deadline_exceeded`: the call's time was over. `unexpected_answer`:
 * not one of a gateway. `payment_ended`: it will not be paid. `verification_failed`: not sent by the gateway.
 * `unreadable_body`: a notification's body is too long, or other code parsed it before its signature was compared.
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
  /** HTTP status of the gateway's answer, or of your answer to an `unreadable_body`; 0 without an answer. */
  readonly status: number;
  /** Every wrong field, by JSON pointer. */
  readonly errors: Code extends 'validation_failed' ? [FieldError, ...FieldError[]] : FieldError[];
  /** What the gateway's log calls the request: name it when you ask for help. */
  readonly requestId: string | null;
  /** The problem as it came; of `reference_in_flight` with the other payment's `internalId`. */
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

/** The error with each of its codes: a `switch` over `code` knows the rest. */
export type KnownError = { [Code in ErrorCode]: BalcaoError<Code> }[ErrorCode];

/** Whether the client threw it; `code` says why. By name, as a process may load the package as module and by `require`. */
export function isBalcaoError(error: unknown): error is KnownError {
  return error instanceof Error && error.name === 'BalcaoError';
}

/** What an answer that is no success says. */
export async function readProblem(response: Response): Promise<BalcaoError> {
  const { status, headers } = response;
  const text = await response.text().catch(() => '');
  let problem: Record<string, unknown> = {};
  try {
    problem = Object(JSON.parse(text));
  } catch {
    // A proxy's page.
  }
  const code = (problem['code'] ?? problem['error'] ?? 'unexpected_answer') as ErrorCode;
  const said = problem['detail'] ?? problem['error_description'] ?? `the answer was ${status}`;
  const [first] = (problem['errors'] ?? []) as FieldError[];
  // Logs and error trackers show the message alone.
  const field = first ? ` (${first.pointer}: ${first.message})` : '';
  const requestId = headers.get('x-request-id');
  return new BalcaoError(code, `${code}: ${said}${field}`, { status, requestId, problem });
}
