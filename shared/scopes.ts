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
