// Problems about people, their access, and a merchant's limits: a part of the table in errors.ts.

export type ProblemEntry = { status: number; title: string; detail: string };

/** The problems about people, access and limits, by their `code`. */
export const PEOPLE_PROBLEMS = {
  link_invalid: {
    status: 400,
    title: 'Link invalid',
    detail: 'This link was used, has expired, or was replaced by a newer one. Ask for another.',
  },
  user_required: {
    status: 403,
    title: 'Person required',
    detail: 'Only a person can do this: use a token of the password grant, not of client credentials.',
  },
  role_not_grantable: {
    status: 403,
    title: 'Role not grantable',
    detail: 'You cannot grant, change or revoke a role with scopes that your own token does not carry.',
  },
  last_owner: {
    status: 409,
    title: 'Last Owner',
    detail: 'A merchant always has an Owner. First make another person Owner: that person must sign in once.',
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
    detail: 'This client has scopes that your own token does not carry. You need all of them to receive its secret.',
  },
  too_many_failures: {
    status: 429,
    title: 'Too many failures',
    detail: 'Too many failed attempts in a row. Wait Retry-After seconds before the next one.',
  },
} satisfies Record<string, ProblemEntry>;
