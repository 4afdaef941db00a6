// Merchants, clients, people and audit entries as the API shows them; secrets only where they are made.
import { z } from 'zod';
import { LANGUAGES } from '../../shared/language.ts';
import { ROLE_NAMES, roleOf } from '../../shared/roles.ts';
import type { Membership } from '../people/entities.ts';
import type { Client } from '../oauth/entities.ts';
import type { AuditEntry } from '../events/entities.ts';
import type { Merchant } from './entities.ts';

export function viewMerchant(merchant: Merchant) {
  const { id, name, defaultLanguage, uniqueReferences, allowedOrigins, returnOrigins } = merchant;
  const { gpoMerchantIds, gpoPosIds, entity, createdAt } = merchant;
  return {
    id,
    name,
    defaultLanguage,
    brandColor: merchant.brandColor ?? null,
    brandLogo: merchant.brandLogo ?? null,
    allowedOrigins,
    returnOrigins,
    uniqueReferences,
    gpoMerchantIds,
    gpoPosIds,
    entity: entity ?? null,
    createdAt,
  };
}

export const merchantAnswer = z
  .object({
    id: z.uuid(),
    name: z.string(),
    defaultLanguage: z.enum(LANGUAGES),
    brandColor: z.string().nullable(),
    brandLogo: z.string().nullable().describe('A `data:` URL'),
    allowedOrigins: z.array(z.string()).describe('Origins whose pages may frame the checkout'),
    returnOrigins: z.array(z.string()).describe('Origins that `returnUrl` and `cancelUrl` may point to'),
    uniqueReferences: z.boolean(),
    gpoMerchantIds: z.array(z.string()).describe('Assigned by the operator, as the next two are'),
    gpoPosIds: z.array(z.string()).describe('The terminals'),
    entity: z.string().nullable().describe('Payment references are paid to it'),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Merchant' });

/** @param now whether the secret before the last rotation still counts */
export function viewClient(client: Client, now: Date) {
  const { id, name, scopes, createdAt, rotatedAt, previousUntil } = client;
  const isOverlapping = !!previousUntil && previousUntil > now;
  return {
    clientId: id,
    name,
    scopes,
    createdAt,
    rotatedAt: rotatedAt ?? null,
    overlapUntil: isOverlapping ? previousUntil : null,
  };
}

const clientFields = {
  clientId: z.string(),
  name: z.string(),
  scopes: z.array(z.string()),
  createdAt: z.iso.datetime(),
};
const secret = z.string().describe('It is not told again');
const overlapUntil = z.iso.datetime().describe('Until then the secret before the last rotation is accepted too');

export const clientAnswer = z
  .object({ ...clientFields, rotatedAt: z.iso.datetime().nullable(), overlapUntil: overlapUntil.nullable() })
  .meta({ id: 'Client', description: 'An API client. Its secret is told once, at creation.' });

export const createdClient = z.object({ ...clientFields, clientSecret: secret }).meta({ id: 'CreatedClient' });

export const rotatedClient = z
  .object({ clientId: z.string(), clientSecret: secret, overlapUntil })
  .meta({ id: 'RotatedClient' });

export type Person = { email: string; firstName: string; lastName: string };

/** Until they take it up only the address is told, which was given: nobody learns whether it has an account. */
export function viewMember({ userId, role, createdAt, acceptedAt, expiresAt, ...person }: Membership & Person) {
  const isActive = !!acceptedAt;
  return {
    userId,
    email: person.email,
    firstName: isActive ? person.firstName : null,
    lastName: isActive ? person.lastName : null,
    role,
    roleId: roleOf(role).id,
    status: isActive ? 'Active' : 'Invited',
    createdAt,
    expiresAt: expiresAt ?? null,
  };
}

const status = z.enum(['Invited', 'Active']).describe('Invited until they first sign in for this merchant');

export const memberAnswer = z
  .object({
    userId: z.uuid(),
    email: z.string(),
    firstName: z.string().nullable().describe('null while Invited'),
    lastName: z.string().nullable(),
    role: z.enum(ROLE_NAMES),
    roleId: z.uuid(),
    status,
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime().nullable().describe('Until when an invitation can be taken up'),
  })
  .meta({ id: 'Member' });

/** Answer of granting and revoking (interface.md: `{ message }`). */
export const grantAnswer = z
  .object({
    message: z.string(),
    userId: z.uuid().optional(),
    role: z.enum(ROLE_NAMES).optional(),
    status: status.optional(),
  })
  .meta({ id: 'GrantAnswer', description: 'Fields beside `message` come with `Prefer: return=representation`.' });

export type ActorName = { actorName: string | null };

export function viewAudit(entry: AuditEntry & ActorName) {
  const { id, action, actorKind, actorId, actorName, address, target, changes, occurredAt } = entry;
  const actor = { kind: actorKind, id: actorId, name: actorName };
  return { id, action, actor, address: address ?? null, target: target ?? null, changes, occurredAt };
}

export const auditAnswer = z
  .object({
    id: z.uuid(),
    action: z.string().describe('A noun and what happened to it: `client.created`'),
    actor: z.object({
      kind: z.enum(['user', 'client', 'operator', 'system']),
      id: z.string(),
      name: z.string().nullable().describe('The person’s e-mail address, the client’s name'),
    }),
    address: z.string().nullable().describe('From where; an IPv6 address as its /64'),
    target: z.string().nullable().describe('What it was done to, by its id'),
    changes: z.looseObject({}).describe('What changed, by field; of a secret only that it changed'),
    occurredAt: z.iso.datetime(),
  })
  .meta({ id: 'AuditEntry' });
