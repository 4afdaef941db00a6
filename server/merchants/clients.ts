// Endpoints for a merchant's API clients: list, create, revoke, rotate the secret.
import { z } from 'zod';
import { isScope, SCOPES } from '../../shared/scopes.ts';
import { createClient, revokeClient, rotateClient } from '../oauth/clients.ts';
import { Client } from '../oauth/entities.ts';
import type { Core } from '../core.ts';
import { em } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { actorOf } from '../audit/record.ts';
import { fault } from '../http/validate.ts';
import { integer, knownValues, pageOf, pageQuery, viewPage, matching } from '../http/fields.ts';
import { invalidFields, type Fault } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { runKeyed } from '../http/idempotency.ts';
import { byMerchant, requireOwn } from './find.ts';
import { name } from './schemas.ts';

const PATH = '/api/merchants/{merchantId}/clients';
const NO_KEY = 'Idempotency-Key is not supported, because its stored answer would contain the secret.';

const reads = { tag: 'Clients', access: { kind: 'bearer', scope: 'merchant:read' }, bucket: 'read' } as const;
const writes = { tag: 'Clients', access: { kind: 'bearer', scope: 'merchant:write' }, bucket: 'write' } as const;

export function clientRoutes(core: Core): Route[] {
  return [declareList(core), declareCreate(core), declareRevoke(core), declareRotate(core)];
}

function declareList(core: Core): Route {
  return route({
    ...reads,
    method: 'GET',
    path: PATH,
    operationId: 'listClients',
    summary: 'List API clients, newest first',
    params: byMerchant,
    query: z.object(pageQuery),
    answers: { 200: { description: 'A page of clients', schema: viewPage.schema(clientAnswer) } },
    async run({ caller, params, query }) {
      requireOwn(caller, params);
      // A merchant has at most 32 clients, so the query reads all of them and cuts the page in memory.
      const live = { merchantId: caller.merchantId, revokedAt: null };
      const all = await em(core).find(Client, live, { orderBy: { createdAt: 'desc', id: 'desc' } });
      const { limit, offset } = pageOf(query);
      const now = core.clock.now();
      const data = all.slice(offset, offset + limit).map((client) => viewClient(client, now));
      return { status: 200, body: viewPage(data, query, all.length) };
    },
  });
}

function declareCreate(core: Core): Route {
  return route({
    ...writes,
    method: 'POST',
    path: PATH,
    operationId: 'createClient',
    summary: 'Create an API client',
    description:
      'Gets tokens by client_credentials, with scopes that your own token has. ' +
      `Only creation and rotation return \`clientSecret\`. At most 32 clients. ${NO_KEY}`,
    params: byMerchant,
    body: clientRequest,
    checkAlso: async (input, { scopes }) => findScopeFaults(scopes, input),
    example: { name: 'ERP', scopes: ['payments:read', 'payments:write'] },
    refusals: { 409: 'too_many_clients' },
    answers: { 201: { description: 'Created', schema: createdClient } },
    async run({ caller, params, body, address }) {
      requireOwn(caller, params);
      const faults = findScopeFaults(caller.scopes, body);
      if (faults.length > 0) throw invalidFields(faults);
      const given = { merchantId: caller.merchantId, name: body.name, scopes: body.scopes ?? [...caller.scopes] };
      const actor = actorOf(caller, address);
      const client = await inTransaction(core, (db) => createClient(core, db, { ...given, actor }));
      return { status: 201, body: client };
    },
  });
}

/** Returns faults of known scopes that the caller lacks. The schema reports unknown scopes. */
function findScopeFaults(own: ReadonlySet<string>, input: unknown): Fault[] {
  const { scopes } = (input ?? {}) as { scopes?: unknown };
  if (!Array.isArray(scopes)) return [];
  return scopes.flatMap((scope, nth): Fault[] =>
    own.has(scope) || !isScope(String(scope)) ? [] : [{ pointer: `/scopes/${nth}`, code: 'scope_not_grantable' }],
  );
}

function declareRevoke(core: Core): Route {
  return route({
    ...writes,
    method: 'DELETE',
    path: `${PATH}/{clientId}`,
    operationId: 'revokeClient',
    summary: 'Revoke an API client',
    description:
      'Refuses its secrets at once, and its tokens within 30 s. ' +
      'Your own token needs every scope of the client. A client may always revoke itself.',
    params: byClient,
    idempotent: true,
    refusals: {
      403: 'client_not_grantable: the client has scopes that your token lacks; or your token lacks merchant:write',
    },
    answers: { 204: { description: 'Revoked' } },
    run({ caller, params, keyed, address }) {
      requireOwn(caller, params);
      const { merchantId, scopes } = caller;
      const by = { actor: actorOf(caller, address), scopes };
      return runKeyed(core, { merchantId, keyed }, async (db) => {
        await revokeClient(core, db, { merchantId, clientId: params.clientId }, by);
        return { status: 204 };
      });
    },
  });
}

function declareRotate(core: Core): Route {
  return route({
    ...writes,
    method: 'POST',
    path: `${PATH}/{clientId}/rotate-secret`,
    operationId: 'rotateClientSecret',
    summary: 'Give an API client a new secret',
    description:
      'The old secret stays valid for `overlapHours`, so that your systems can switch without refused requests. ' +
      '0 ends it at once. Only the newest two secrets are valid. ' +
      `Issued tokens stay valid. ${NO_KEY}`,
    params: byClient,
    body: clientRotation.optional(),
    bodyDoc: clientRotation,
    example: { overlapHours: 24 },
    refusals: {
      403: 'client_not_grantable: the client has scopes that your token lacks; or your token lacks merchant:write',
    },
    answers: { 200: { description: 'The new secret', schema: rotatedClient } },
    async run({ caller, params, body, address }) {
      requireOwn(caller, params);
      const owned = { merchantId: caller.merchantId, clientId: params.clientId };
      const by = { actor: actorOf(caller, address), scopes: caller.scopes };
      const overlapHours = body?.overlapHours ?? OVERLAP_HOURS;
      const rotated = await inTransaction(core, (db) => rotateClient(core, db, owned, { overlapHours, by }));
      return { status: 200, body: rotated };
    },
  });
}

/** Body of `POST /api/merchants/{merchantId}/clients`. */
const clientRequest = z.object({
  name: name('For the people who manage the client'),
  scopes: z
    .array(
      z
        .string()
        .refine(isScope, fault('unknown_scope', { values: SCOPES.join(', ') }))
        .meta(knownValues(SCOPES)),
    )
    .min(1)
    .max(64)
    .transform((scopes) => [...new Set(scopes)].filter(isScope))
    .nullish()
    .describe(`Scopes of your own token; absent: all of them. Possible: ${SCOPES.join(', ')}`),
});

/** Default of `overlapHours`: how long the previous client secret stays valid after a rotation. */
const OVERLAP_HOURS = 24;

/** Body of `POST /api/merchants/{merchantId}/clients/{clientId}/rotate-secret`. */
const clientRotation = z.object({
  overlapHours: integer(0, 168).meta({
    override: { default: OVERLAP_HOURS },
    description: 'Hours for which the old secret stays valid; 0: it ends at once',
  }),
});

/** Any printable client id. The lookup answers 404 to an unknown id, so the schema must not answer 400. */
const clientId = matching(/^[\x21-\x7e]{1,100}$/, 'visible100');
const byClient = byMerchant.extend({ clientId: clientId.describe('`clientId` of a client in the list') });

/** Returns an API client for the API. @param now decides whether the previous secret is still valid */
function viewClient(client: Client, now: Date) {
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
  scopes: z.array(z.string().meta(knownValues(SCOPES))),
  createdAt: z.iso.datetime(),
};
const secret = z.string().describe('Not returned again');
const overlapUntil = z.iso.datetime().describe('The secret before the last rotation is valid until then');

const clientAnswer = z
  .object({ ...clientFields, rotatedAt: z.iso.datetime().nullable(), overlapUntil: overlapUntil.nullable() })
  .meta({ id: 'Client', description: 'An API client. Creation and rotation return its secret once.' });

export const createdClient = z.object({ ...clientFields, clientSecret: secret }).meta({ id: 'CreatedClient' });

const rotatedClient = z
  .object({ clientId: z.string(), clientSecret: secret, overlapUntil })
  .meta({ id: 'RotatedClient' });
