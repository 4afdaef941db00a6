// The OAuth scopes of access tokens. Each API operation needs one of them.

export const SCOPES = [
  'payments:read',
  'payments:write',
  'refunds:write',
  'references:read',
  'references:write',
  'terminals',
  'merchant:read',
  'merchant:write',
  'users:write',
  'sms:read',
  'sms:write',
  'notifications',
  'billing:read',
  'billing:write',
  'rails:write',
  'books:write',
  'privacy',
] as const;

export type Scope = (typeof SCOPES)[number];

export function isScope(name: string): name is Scope {
  return (SCOPES as readonly string[]).includes(name);
}

/** Choices of scopes for common systems. `all`: every scope of the person who creates the API client. */
export const SCOPE_PRESETS = {
  shop: ['payments:read', 'payments:write', 'references:read', 'references:write'],
  read: SCOPES.filter((scope) => scope.endsWith(':read')),
  all: null,
} as const satisfies Record<string, readonly Scope[] | null>;
export type ScopePreset = keyof typeof SCOPE_PRESETS;
