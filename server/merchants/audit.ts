// GET /api/merchants/{merchantId}/audit: every change of access, credentials and configuration, newest first.
import type { Core } from '../core.ts';
import { findRows } from '../database/rows.ts';
import { AuditEntry } from '../events/entities.ts';
import { pageOf, viewPage } from '../http/paging.ts';
import { route, type Route } from '../http/route.ts';
import { byMerchant, requireOwn } from './own.ts';
import { auditQuery } from './schemas.ts';
import { auditAnswer, viewAudit, type ActorName } from './view.ts';

const FILTERS = { action: 'action =', from: 'occurred_at >=', to: 'occurred_at <' } as const;

/** As they are called now; the id is cast only where it is one. */
const ACTOR_NAME = `case actor_kind
  when 'user' then (select u.email from users u where u.id = case actor_kind when 'user' then actor_id::uuid end)
  when 'client' then (select c.name from clients c where c.id = actor_id) end as "actorName"`;

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
      async run({ caller, params, query }) {
        requireOwn(caller, params);
        const values: unknown[] = [caller.merchantId];
        const given = (['action', 'from', 'to'] as const).filter((name) => query[name] !== undefined);
        const filters = given.map((name) => `${FILTERS[name]} $${values.push(query[name])}`);
        const where = ['merchant_id = $1', ...filters].join(' and ');
        const { limit, offset } = pageOf(query);
        const page = `${where} order by seq desc limit ${limit} offset ${offset}`;
        const [entries, { rows }] = await Promise.all([
          findRows<AuditEntry, ActorName>(core, AuditEntry, page, values, [ACTOR_NAME]),
          core.pool.query<{ total: string }>(`select count(*) as total from audit_entries where ${where}`, values),
        ]);
        return { status: 200, body: viewPage(entries.map(viewAudit), query, Number(rows[0]?.total ?? 0)) };
      },
    }),
  ];
}
