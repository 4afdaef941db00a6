// The problems about people, their access and what a merchant pays for: a part of the table in errors.ts.

export type ProblemEntry = { status: number; title: string; detail: string };

/** By `code`, as in errors.ts. */
export const PEOPLE_PROBLEMS = {
  link_invalid: {
    status: 400,
    title: 'Link invalid',
    detail: 'This link was used, has expired, or was replaced by a newer one. Ask for another.',
  },
  user_required: {
    status: 403,
    title: 'Person required',
    detail: 'This is about a person: use a token of the password grant, not one of client credentials.',
  },
  role_not_grantable: {
    status: 403,
    title: 'Role not grantable',
    detail: 'Nobody gives, changes or takes away a role with scopes that their own token does not carry.',
  },
  last_owner: {
    status: 409,
    title: 'Last Owner',
    detail: 'A merchant always has an Owner. Make somebody else Owner first; they must have signed in since.',
  },
  too_many_clients: {
    status: 409,
    title: 'Too many clients',
    detail: 'A merchant has at most 32 API clients. Delete one first.',
  },
  too_many_members: {
    status: 409,
    title: 'Too many people',
    detail: 'A merchant has at most 500 people. Revoke the access of one first.',
  },
  too_many_merchants: {
    status: 409,
    title: 'Too many merchants',
    detail: 'A person creates at most 20 merchants. The operator can create more.',
  },
  mfa_enabled: {
    status: 409,
    title: 'Two-step sign-in is on',
    detail: 'Turn it off first, with a code of the current authenticator.',
  },
  mfa_not_enrolled: {
    status: 409,
    title: 'Two-step sign-in is not set up',
    detail: 'Begin with POST /api/profile/mfa/totp.',
  },
  client_not_grantable: {
    status: 403,
    title: 'Client not grantable',
    detail: 'This client may do what your own token may not; only who has all of its scopes is told its secret.',
  },
  too_many_failures: {
    status: 429,
    title: 'Too many failures',
    detail: 'Too many failed tries in a row. Wait Retry-After seconds before the next one.',
  },
} satisfies Record<string, ProblemEntry>;
