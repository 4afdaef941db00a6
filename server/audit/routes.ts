// GET /api/merchants/{merchantId}/audit: the audit log of a merchant, newest first.
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Core } from '../core.ts';
import type { Tables } from '../database/db.ts';
import type { AuditEntry } from './entities.ts';
import { fault } from '../http/validate.ts';
import { afterSeqQuery, viewPageWithNext } from '../http/cursor.ts';
import { filterText, moment, pageQuery } from '../http/fields.ts';
import { route, type Route } from '../http/route.ts';
import { readPage } from '../lists/page.ts';
import { AUDIT } from '../database/functions/counted-lists.ts';
import { byMerchant, requireOwn } from '../merchants/find.ts';

export function auditRoutes(core: Core): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/merchants/{merchantId}/audit',
      operationId: 'listAudit',
      tag: 'Merchants',
      summary: 'List the audit log, newest first',
      description:
        'Every change of access, credentials and configuration, recorded in the transaction of the change. ' +
        'Entries cannot be changed or deleted, and contain no secret.',
      access: { kind: 'bearer', scope: 'merchant:read' },
      bucket: 'read',
      params: byMerchant,
      query: auditQuery,
      answers: { 200: { description: 'A page of entries', schema: viewPageWithNext.schema(auditAnswer) } },
      async run({ caller, params, query: filter }) {
        requireOwn(caller, params);
        const { merchantId } = caller;
        const { page, total } = await readPage<AuditEntry & ActorName>(core, {
          list: AUDIT,
          merchantId,
          query: filter,
          keys: { action: filter.action },
          // The counts do not know the actor. One actor has few entries, and an index.
          isSelective: filter.actorId !== undefined,
          rows: (tables, { from, to }) => selectEntries(tables, merchantId, { ...filter, from, to }),
          decorate: (tables, entries) =>
            withActor(tables.selectFrom(entries.as('audit_entries'))).orderBy('seq', 'desc'),
          order: ['seq'],
        });
        return { status: 200, body: viewPageWithNext({ ...page, rows: page.rows.map(viewAudit) }, filter, total) };
      },
    }),
  ];
}

function selectEntries(
  tables: Kysely<Tables>,
  merchantId: string,
  { action, actorId, from, to }: z.infer<typeof auditQuery>,
) {
  let entries = tables.selectFrom('audit_entries').where('merchantId', '=', merchantId);
  if (action !== undefined) entries = entries.where('action', '=', action);
  if (actorId !== undefined) entries = entries.where('actorId', '=', actorId);
  if (from !== undefined) entries = entries.where('occurredAt', '>=', from);
  if (to !== undefined) entries = entries.where('occurredAt', '<', to);
  return entries;
}

/** Adds the current name of the actor to entries. Only the id of a user is cast to a UUID. */
function withActor(entries: ReturnType<typeof selectEntries>) {
  return entries.selectAll().select((eb) => {
    const userId = eb.case('actorKind').when('user').then(eb.cast<string>('actorId', 'uuid')).end();
    return eb
      .case('actorKind')
      .when('user')
      .then(eb.selectFrom('users').select('users.email').where('users.id', '=', userId))
      .when('client')
      .then(eb.selectFrom('clients').select('clients.name').whereRef('clients.id', '=', 'audit_entries.actorId'))
      .end()
      .as('actorName');
  });
}

/** Query of `GET /api/merchants/{merchantId}/audit`. */
const auditQuery = z
  .object({
    ...pageQuery,
    ...afterSeqQuery,
    action: filterText(64).optional().describe('Such as `client.created`'),
    actorId: filterText(64).optional().describe('`actor.id` of the entries: of a person or an API client'),
    from: moment.optional().describe('At or after (ISO 8601)'),
    to: moment.optional().describe('Before (ISO 8601)'),
  })
  .refine(({ from, to }) => !from || !to || from <= to, {
    path: ['to'],
    ...fault('date_range'),
    // The check runs even if other fields are invalid, once both values are dates.
    when: ({ value }) => {
      const { from, to } = (value ?? {}) as { from?: unknown; to?: unknown };
      return from instanceof Date && to instanceof Date;
    },
  });

type ActorName = { actorName: string | null };

function viewAudit(entry: AuditEntry & ActorName) {
  const { id, action, actorKind, actorId, actorName, address, target, changes, occurredAt } = entry;
  const actor = { kind: actorKind, id: actorId, name: actorName };
  return { id, action, actor, address: address ?? null, target: target ?? null, changes, occurredAt };
}

const auditAnswer = z
  .object({
    id: z.uuid(),
    action: z.string().describe('A noun and a verb: `client.created`'),
    actor: z.object({
      kind: z.enum(['user', 'client', 'operator', 'system']),
      id: z.string(),
      name: z.string().nullable().describe('The person’s e-mail address, or the client’s name'),
    }),
    address: z.string().nullable().describe('IP address of the caller; an IPv6 address as its /64'),
    target: z.string().nullable().describe('Id of the changed object'),
    changes: z.looseObject({}).describe('Changes by field; for a secret only that it changed'),
    occurredAt: z.iso.datetime(),
  })
  .meta({ id: 'AuditEntry' });
