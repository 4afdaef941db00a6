// GET /api/errors: refused requests of the merchant's systems in the last seven days, newest first.
import { z } from 'zod';
import type { Core } from '../core.ts';
import { query } from '../database/db.ts';
import { cursorQuery, cutPage, nextPage } from '../http/cursor.ts';
import { moment, matching } from '../http/fields.ts';
import { route, type Route } from '../http/route.ts';
import type { RequestError } from './entities.ts';

const errorQuery = z.object({
  ...cursorQuery(100, 50, 'Maximum number of refusals'),
  status: matching(/^[245]\d\d$/, 'refusalStatus')
    .transform(Number)
    .optional()
    .describe('Status of the answer, such as `400`'),
  code: z.string().min(1).max(64).optional().describe('Code of the problem, such as `validation_failed`'),
  requestId: z.string().min(1).max(128).optional().describe('`X-Request-Id` of the request'),
  from: moment.optional().describe('At or after (ISO 8601)'),
  to: moment.optional().describe('Before (ISO 8601)'),
});

const requestError = z
  .object({
    id: z.uuid(),
    occurredAt: z.iso.datetime(),
    method: z.string(),
    path: z.string().describe('Path without ids, as in this document: `/api/payments/{paymentId}`'),
    status: z.int(),
    code: z.string().describe('Code of the problem, or of the first warning'),
    faults: z
      .array(z.object({ pointer: z.string(), code: z.string() }))
      .describe('At most the first 20 faults, or the warnings of an accepted request'),
    requestId: z.string().describe('`X-Request-Id` of the answer, also in the gateway’s log'),
    clientId: z.string().nullable().describe('API client that sent the request'),
  })
  .meta({ id: 'RequestError' });

export function requestErrorRoutes(core: Core): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/errors',
      operationId: 'listRequestErrors',
      tag: 'Merchants',
      summary: 'List refused requests of your systems, newest first',
      description:
        'Requests with your tokens of the last seven days that were answered 400 or more, or with `warnings`. ' +
        'Stores at most ten a second, without bodies, ids and queries.',
      access: { kind: 'bearer', scope: 'merchant:read' },
      bucket: 'read',
      query: errorQuery,
      answers: {
        200: { description: 'A page of refusals', schema: z.object({ data: z.array(requestError), next: nextPage }) },
      },
      async run({ caller: { merchantId }, query: filter }) {
        const found = await selectErrors(merchantId, filter).all(core);
        const { rows, next } = cutPage(found, filter.limit, ({ occurredAt, id }) => ({ at: occurredAt, id }));
        return { status: 200, body: { data: rows.map(viewError), next } };
      },
    }),
  ];
}

function selectErrors(merchantId: string, { after, limit, from, to, ...exact }: z.output<typeof errorQuery>) {
  return query((tables) => {
    let rows = tables.selectFrom('request_errors').selectAll().where('merchantId', '=', merchantId);
    if (from) rows = rows.where('occurredAt', '>=', from);
    if (to) rows = rows.where('occurredAt', '<', to);
    for (const name of ['status', 'code', 'requestId'] as const)
      if (exact[name] !== undefined) rows = rows.where(name, '=', exact[name]);
    if (after) rows = rows.where((eb) => eb(eb.refTuple('occurredAt', 'id'), '<', eb.tuple(after.at, after.id)));
    return rows
      .orderBy('occurredAt', 'desc')
      .orderBy('id', 'desc')
      .limit(limit + 1);
  });
}

function viewError({ merchantId: _merchantId, occurredAt, ...error }: RequestError) {
  return { ...error, occurredAt: occurredAt.toISOString() };
}
