// Endpoints for people with access to a merchant: list, grant a role to an e-mail address, revoke access.
import { z } from 'zod';
import { normalizeEmail } from '../../shared/email.ts';
import { findRole, ROLE_NAMES, roleOf, type Role } from '../../shared/roles.ts';
import type { Core } from '../core.ts';
import { prepared } from '../database/db.ts';
import { actorOf } from '../audit/record.ts';
import { fault } from '../http/validate.ts';
import { pageOf, pageQuery, documentedAs, viewPage, uuidText } from '../http/fields.ts';
import { readPrefer, runKeyed } from '../http/idempotency.ts';
import { route, type Route } from '../http/route.ts';
import { byMerchant, findMerchant, requireOwn } from '../merchants/find.ts';
import type { Membership } from '../people/entities.ts';
import { isLive } from '../people/memberships.ts';
import { grantAccess, revokeAccess } from './members.ts';
import { roleRoutes } from './roles.ts';

const PATH = '/api/merchants/{merchantId}/users';

const writes = { tag: 'People', access: { kind: 'bearer', scope: 'users:write' }, bucket: 'write' } as const;

export function accessRoutes(core: Core): Route[] {
  return [declareList(core), declareGrant(core), declareRevoke(core), ...roleRoutes()];
}

const listPeople = prepared((tables, { merchantId, now }: { merchantId: string; now: Date }) =>
  tables
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.userId')
    .selectAll('memberships')
    .select(['users.email', 'users.firstName', 'users.lastName'])
    .where('memberships.merchantId', '=', merchantId)
    .where(isLive(now))
    .orderBy('memberships.createdAt', 'desc')
    .orderBy('memberships.userId', 'desc'),
);

function declareList(core: Core): Route {
  return route({
    tag: 'People',
    access: { kind: 'bearer', scope: 'merchant:read' },
    bucket: 'read',
    method: 'GET',
    path: PATH,
    operationId: 'listMembers',
    summary: 'List the people with access, newest first',
    description:
      'People are Invited until they first sign in for this merchant. Until then the list shows only their address.',
    params: byMerchant,
    query: z.object(pageQuery),
    answers: { 200: { description: 'A page of people', schema: viewPage.schema(memberAnswer) } },
    async run({ caller, params, query }) {
      requireOwn(caller, params);
      // A merchant has at most 500 people, so the query reads all of them and cuts the page.
      const all = await listPeople.all(core, { merchantId: caller.merchantId, now: core.clock.now() });
      const { limit, offset } = pageOf(query);
      const data = all.slice(offset, offset + limit).map(viewMember);
      return { status: 200, body: viewPage(data, query, all.length) };
    },
  });
}

function declareGrant(core: Core): Route {
  return route({
    ...writes,
    method: 'POST',
    path: PATH,
    operationId: 'grantAccess',
    mails: true,
    summary: 'Grant a person access',
    description:
      'Grants a role to an e-mail address, with or without an account. ' +
      'The person gets a mail and has 30 days to sign in for this merchant. A second grant changes the role. ' +
      'Your own token needs every scope of the granted and of the replaced role. The last Owner keeps the role. ' +
      'With `Prefer: return=representation` the answer also has `userId`, `role` and `status`.',
    params: byMerchant,
    body: grantRequest,
    idempotent: true,
    prefers: 'return=representation adds userId, role, status',
    example: { email: 'ana@loja.example', roleId: '00000000-0000-4000-8000-000000000002' },
    refusals: {
      403: 'role_not_grantable, or the token lacks the scope',
      409: 'last_owner, too_many_members, idempotency_in_progress',
    },
    answers: { 200: { description: 'Granted', schema: grantAnswer } },
    async run({ caller, params, body, keyed, address, ctx }) {
      requireOwn(caller, params);
      const { merchantId, scopes } = caller;
      const merchant = await findMerchant(core, merchantId);
      const by = { actor: actorOf(caller, address), scopes };
      const { wantsRepresentation } = readPrefer(ctx);
      return runKeyed(core, { merchantId, keyed }, async (db) => {
        const granted = await grantAccess(core, db, { merchant, email: body.email, role: body.roleId, by });
        return { status: 200, body: { message: 'Access granted.', ...(wantsRepresentation && granted) } };
      });
    },
  });
}

function declareRevoke(core: Core): Route {
  return route({
    ...writes,
    method: 'DELETE',
    path: `${PATH}/{userId}`,
    operationId: 'revokeAccess',
    summary: 'Revoke a person’s access',
    description:
      'Ends the person’s sessions for this merchant; their tokens stop working within 30 s. ' +
      'The access of the last Owner cannot be revoked. ' +
      'The person still knows the secrets of API clients that they created or rotated. ' +
      'The answer lists these clients as `clients`, and the merchant’s people are notified. ' +
      '`revokeClients=true` revokes these clients too. It requires a token with all their scopes; ' +
      'otherwise nothing changes.',
    params: byUser,
    query: z.object({
      revokeClients: z
        .enum(['true', 'false'])
        .optional()
        .describe('`true`: also revoke the clients whose secret the person knows'),
    }),
    idempotent: true,
    refusals: {
      403: 'role_not_grantable, client_not_grantable, or the token lacks the scope',
      409: 'last_owner, idempotency_in_progress',
    },
    answers: { 200: { description: 'Revoked', schema: revokeAnswer } },
    run({ caller, params, query, keyed, address }) {
      requireOwn(caller, params);
      const { merchantId, scopes } = caller;
      const by = { actor: actorOf(caller, address), scopes };
      return runKeyed(core, { merchantId, keyed }, async (db) => {
        const userId = params.userId.toLowerCase();
        const alsoClients = query.revokeClients === 'true';
        const clients = await revokeAccess(core, db, { merchantId, userId, by, alsoClients });
        return { status: 200, body: { message: 'Access revoked.', ...(clients.length > 0 && { clients }) } };
      });
    },
  });
}

const userId = uuidText;
const byUser = byMerchant.extend({ userId: userId.describe('`userId` of a person in the list') });

/** Body of `POST /api/merchants/{merchantId}/users`. */
const grantRequest = z.object({
  email: z
    .string()
    .refine((text) => normalizeEmail(text) !== null, fault('invalid_email'))
    .transform((text) => normalizeEmail(text) as string),
  roleId: z
    .string()
    .refine((id) => !!findRole(id), fault('unknown_role'))
    .transform((id) => findRole(id) as Role)
    .meta({ ...documentedAs({ type: 'string', format: 'uuid' }), description: 'Id of a role in GET /api/roles' }),
});

type Person = { email: string; firstName: string; lastName: string };

/** Returns a member for the API. Invited people show only the typed e-mail address, which hides their user accounts. */
function viewMember({ userId, role, createdAt, acceptedAt, expiresAt, ...person }: Membership & Person) {
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

const memberAnswer = z
  .object({
    userId: z.uuid(),
    email: z.string(),
    firstName: z.string().nullable().describe('null while Invited'),
    lastName: z.string().nullable(),
    role: z.enum(ROLE_NAMES),
    roleId: z.uuid(),
    status,
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime().nullable().describe('When an invitation expires'),
  })
  .meta({ id: 'Member' });

const revokeAnswer = z
  .object({
    message: z.string(),
    clients: z
      .array(
        z.object({
          clientId: z.string(),
          name: z.string(),
          scopes: z.array(z.string()),
          status: z.enum(['Active', 'Revoked']).describe('Revoked by `revokeClients=true`'),
        }),
      )
      .optional()
      .describe('API clients whose secret the person knows; absent without any'),
  })
  .meta({ id: 'RevokeAnswer' });

/** Answer of the endpoint that grants a role. */
const grantAnswer = z
  .object({
    message: z.string(),
    userId: z.uuid().optional(),
    role: z.enum(ROLE_NAMES).optional(),
    status: status.optional(),
  })
  .meta({ id: 'GrantAnswer', description: 'Fields other than `message` require `Prefer: return=representation`.' });
