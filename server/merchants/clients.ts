// The API clients of a merchant: listed, made, given a new secret, revoked.
import { z } from 'zod';
import { isScope, SCOPES } from '../../shared/scopes.ts';
import { createClient, revokeClient, rotateClient } from '../oauth/clients.ts';
import { Client } from '../oauth/entities.ts';
import type { Core } from '../core.ts';
import { em } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { actorOf } from '../audit/record.ts';
import { fault } from '../http/validate.ts';
import { integer, pageOf, pageQuery, viewPage } from '../http/fields.ts';
import { invalid, type Fault } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { runKeyed } from '../http/idempotency.ts';
import { byMerchant, requireOwn } from './find.ts';
import { name } from './schemas.ts';

const PATH = '/api/merchants/{merchantId}/clients';
const NO_KEY = 'Idempotency-Key is not honoured, since answers under keys are kept.';

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
    answers: { 200: { description: 'A page', schema: viewPage.schema(clientAnswer) } },
    async run({ caller, params, query }) {
      requireOwn(caller, params);
      // There are few (32 at most): all are read, a page is shown.
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
    description: `Takes tokens by client_credentials, with scopes that your own token carries. \`clientSecret\` is told only here, and by rotation. At most 32 clients. ${NO_KEY}`,
    params: byMerchant,
    body: clientRequest,
    checkAlso: async (input, { scopes }) => findScopeFaults(scopes, input),
    example: { name: 'ERP', scopes: ['payments:read', 'payments:write'] },
    refusals: { 409: 'too_many_clients' },
    answers: { 201: { description: 'Created', schema: createdClient } },
    async run({ caller, params, body, address }) {
      requireOwn(caller, params);
      const faults = findScopeFaults(caller.scopes, body);
      if (faults.length > 0) throw invalid(faults);
      const given = { merchantId: caller.merchantId, name: body.name, scopes: body.scopes ?? [...caller.scopes] };
      const actor = actorOf(caller, address);
      const client = await inTransaction(core, (db) => createClient(core, db, { ...given, actor }));
      return { status: 201, body: client };
    },
  });
}

/** Scopes that there are, but not for this caller; what is none is told by the schema. */
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
      'Its secrets are refused at once, and its tokens die within 30 s. Nobody revokes a client that may do what their own token may not; but a client may revoke itself: then this is the last it does.',
    params: byClient,
    idempotent: true,
    refusals: { 403: 'client_not_grantable: it may do what your token may not; or your token lacks the scope' },
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
    description: `The old secret is accepted too for \`overlapHours\`, so that nothing is refused while your side changes over; 0 ends it at once. Only the newest two count. Tokens that were issued live on. ${NO_KEY}`,
    params: byClient,
    body: clientRotation.optional(),
    bodyDoc: clientRotation,
    example: { overlapHours: 24 },
    refusals: { 403: 'client_not_grantable: it may do what your token may not; or your token lacks the scope' },
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
  name: name('For the people who manage it'),
  scopes: z
    .array(z.string().refine(isScope, fault('unknown_scope', { values: SCOPES.join(', ') })))
    .min(1)
    .max(64)
    .transform((scopes) => [...new Set(scopes)].filter(isScope))
    .nullish()
    .describe(`Among those of your own token; absent: all of them. Of: ${SCOPES.join(', ')}`),
});

/** Unless a rotation says otherwise. */
const OVERLAP_HOURS = 24;

/** Body of `POST /api/merchants/{merchantId}/clients/{clientId}/rotate-secret`. */
const clientRotation = z.object({
  overlapHours: integer(0, 168).meta({
    override: { default: OVERLAP_HOURS },
    description: 'How long the old secret is accepted too; 0: not at all',
  }),
});

/** The path of one client, and of one person: what is no id is nothing of ours. */
const clientId = z.string().regex(/^[\x21-\x7e]{1,100}$/);
const byClient = byMerchant.extend({ clientId: clientId.describe('`clientId` of a client in the list') });

/** @param now whether the secret before the last rotation still counts */
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
  scopes: z.array(z.string()),
  createdAt: z.iso.datetime(),
};
const secret = z.string().describe('It is not told again');
const overlapUntil = z.iso.datetime().describe('Until then the secret before the last rotation is accepted too');

const clientAnswer = z
  .object({ ...clientFields, rotatedAt: z.iso.datetime().nullable(), overlapUntil: overlapUntil.nullable() })
  .meta({ id: 'Client', description: 'An API client. Its secret is told once, at creation.' });

export const createdClient = z.object({ ...clientFields, clientSecret: secret }).meta({ id: 'CreatedClient' });

const rotatedClient = z
  .object({ clientId: z.string(), clientSecret: secret, overlapUntil })
  .meta({ id: 'RotatedClient' });
