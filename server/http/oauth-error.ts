// The errors that the token endpoints return (RFC 6749 §5.2).

export class OAuthError extends Error {
  readonly error: string;
  readonly status: number;
  readonly extra: Record<string, unknown>;
  readonly headers: Record<string, string>;
  constructor(
    error: string,
    description: string,
    options: { status?: number; extra?: Record<string, unknown>; headers?: Record<string, string> } = {},
  ) {
    super(description);
    this.error = error;
    this.status = options.status ?? 400;
    this.extra = options.extra ?? {};
    this.headers = options.headers ?? {};
  }
}

/** Returns the error of a failed sign-in. Its text does not say which part was wrong. */
export function invalidGrant(): OAuthError {
  return new OAuthError('invalid_grant', 'the e-mail address or the password is wrong');
}

export function invalidClient(description = 'client authentication failed'): OAuthError {
  return new OAuthError('invalid_client', description, { status: 401 });
}
