// The only definition of the roles of people at a merchant and their scopes.
import { SCOPES, type Scope } from './scopes.ts';

export const ROLE_NAMES = ['Viewer', 'Cashier', 'Developer', 'Administrator', 'Owner'] as const;
export type RoleName = (typeof ROLE_NAMES)[number];

export type Role = {
  /** The role's id. It is fixed and the same at every gateway. */
  id: string;
  name: RoleName;
  /** Description of a role for people who choose one. */
  about: string;
  scopes: readonly Scope[];
};

const READS = SCOPES.filter((scope) => scope.endsWith(':read'));

/** The roles, from Viewer with the fewest scopes to Owner with all. */
export const ROLES: readonly Role[] = [
  {
    id: '00000000-0000-4000-8000-000000000001',
    name: 'Viewer',
    about: 'Sees everything, changes nothing',
    scopes: READS,
  },
  {
    id: '00000000-0000-4000-8000-000000000002',
    name: 'Cashier',
    about: 'Takes payments, opens and closes terminals; gives money back as far as the merchant allows',
    scopes: [...READS, 'payments:write', 'refunds:write', 'references:write', 'terminals', 'notifications'],
  },
  {
    id: '00000000-0000-4000-8000-000000000003',
    name: 'Developer',
    about: 'Connects the merchant’s systems: clients, callbacks, webhooks, SMS',
    scopes: [...READS, 'merchant:write', 'notifications', 'sms:write'],
  },
  {
    id: '00000000-0000-4000-8000-000000000004',
    name: 'Administrator',
    about: 'Everything but the subscription, and the data of single people',
    scopes: SCOPES.filter((scope) => scope !== 'billing:write' && scope !== 'privacy'),
  },
  {
    id: '00000000-0000-4000-8000-000000000005',
    name: 'Owner',
    about: 'Everything; a merchant always has one',
    scopes: SCOPES,
  },
];

export function findRole(id: string): Role | undefined {
  return ROLES.find((role) => role.id === id.toLowerCase());
}

export function roleOf(name: RoleName): Role {
  return ROLES.find((role) => role.name === name) as Role;
}
