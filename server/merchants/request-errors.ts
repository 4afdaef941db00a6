// GET /api/errors: what the merchant's systems were refused in the last seven days, newest first.
import { z } from 'zod';
import type { Core } from '../core.ts';
import { query } from '../database/db.ts';
import { cursorQuery, cutPage, nextPage } from '../http/cursor.ts';
import { moment } from '../http/fields.ts';
import { route, type Route } from '../http/route.ts';
import type { RequestError } from './entities.ts';

const errorQuery = z.object({
  ...cursorQuery(100, 50, 'Refusals at most'),
  status: z
    .string()
    .regex(/^[45]\d\d$/)
    .transform(Number)
    .optional()
    .describe('Of the answer, `400`'),
  code: z.string().min(1).max(64).optional().describe('The problem’s, `validation_failed`'),
  requestId: z.string().min(1).max(128).optional().describe('Its `X-Request-Id`'),
  from: moment.optional().describe('At or after (ISO 8601)'),
  to: moment.optional().describe('Before (ISO 8601)'),
});

const requestError = z
  .object({
    id: z.uuid(),
    occurredAt: z.iso.datetime(),
    method: z.string(),
    path: z.string().describe('As this document has it, without ids: `/api/payments/{paymentId}`'),
    status: z.int(),
    code: z.string().describe('The problem’s'),
    faults: z.array(z.object({ pointer: z.string(), code: z.string() })).describe('The first 20'),
    requestId: z.string().describe('`X-Request-Id` of the answer, by which the gateway’s log finds it'),
    clientId: z.string().nullable().describe('Who asked'),
  })
  .meta({ id: 'RequestError' });

export function requestErrorRoutes(core: Core): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/errors',
      operationId: 'listRequestErrors',
      tag: 'Merchants',
      summary: 'What your systems were refused, newest first',
      description:
        'Answers of 400 and more to requests with a token of yours, of the last seven days; of a flood the first ten of each second. No bodies, ids or queries are kept.',
      access: { kind: 'bearer', scope: 'merchant:read' },
      bucket: 'read',
      query: errorQuery,
      answers: { 200: { description: 'A page', schema: z.object({ data: z.array(requestError), next: nextPage }) } },
      async run({ caller: { merchantId }, query: asked }) {
        const found = await selectErrors(merchantId, asked).all(core);
        const { rows, next } = cutPage(found, asked.limit, ({ occurredAt, id }) => ({ at: occurredAt, id }));
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
