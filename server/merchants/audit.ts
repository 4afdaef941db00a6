// GET /api/merchants/{merchantId}/audit: every change of access, credentials and configuration, newest first.
import type { Kysely } from 'kysely';
import type { z } from 'zod';
import type { Core } from '../core.ts';
import { query, type Tables } from '../database/db.ts';
import { pageOf, viewPage } from '../http/fields.ts';
import { route, type Route } from '../http/route.ts';
import { byMerchant, requireOwn } from './own.ts';
import { auditQuery } from './schemas.ts';
import { auditAnswer, viewAudit } from './view.ts';

export function auditRoutes(core: Core): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/merchants/{merchantId}/audit',
      operationId: 'listAudit',
      tag: 'Merchants',
      summary: 'Who changed what, newest first',
      description:
        'Every change of access, credentials and configuration, written together with the change. Entries are never changed or deleted, and never hold a secret.',
      access: { kind: 'bearer', scope: 'merchant:read' },
      bucket: 'read',
      params: byMerchant,
      query: auditQuery,
      answers: { 200: { description: 'A page', schema: viewPage.schema(auditAnswer) } },
      async run({ caller, params, query: asked }) {
        requireOwn(caller, params);
        const { merchantId } = caller;
        const { limit, offset } = pageOf(asked);
        const page = query((tables) =>
          withActor(selectEntries(tables, merchantId, asked))
            .orderBy('seq', 'desc')
            .limit(limit)
            .offset(offset),
        );
        const total = query((tables) =>
          selectEntries(tables, merchantId, asked).select((eb) => eb.fn.countAll<number>().as('count')),
        );
        const [entries, { count }] = await Promise.all([page.all(core), total.one(core)]);
        return { status: 200, body: viewPage(entries.map(viewAudit), asked, count) };
      },
    }),
  ];
}

function selectEntries(tables: Kysely<Tables>, merchantId: string, { action, from, to }: z.infer<typeof auditQuery>) {
  let entries = tables.selectFrom('audit_entries').where('merchantId', '=', merchantId);
  if (action !== undefined) entries = entries.where('action', '=', action);
  if (from !== undefined) entries = entries.where('occurredAt', '>=', from);
  if (to !== undefined) entries = entries.where('occurredAt', '<', to);
  return entries;
}

/** With whoever did it, as they are called now; the id is cast only where it is one. */
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
