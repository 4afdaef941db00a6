// GET /v1/notificacoes and PUT /v1/notificacoes/{id}.
import type { Context } from 'koa';
import { z } from 'zod';
import { LANGUAGES, type Language } from '../../shared/language.ts';
import type { Core } from '../core.ts';
import { prepared } from '../database/db.ts';
import { inSnapshot } from '../database/orm.ts';
import { fault } from '../http/validate.ts';
import { afterSeqQuery, viewPageWithNext } from '../http/cursor.ts';
import { numberText } from '../http/json.ts';
import { pageQuery, documentedAs, UUID, wholeNumber } from '../http/fields.ts';
import { Problem } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { findNotifications } from './find.ts';
import { notification, READ, UNREAD, viewNotification } from './view.ts';

const about = { tag: 'Notifications', access: { kind: 'bearer', scope: 'notifications' } } as const;

export function notificationRoutes(core: Core): Route[] {
  return [declareList(core), declareMark(core)];
}

const listQuery = z.object({
  page: pageQuery.page,
  ...afterSeqQuery,
  pageSize: wholeNumber(100, 50, 'Items a page, at most 100'),
  estado: z
    .string()
    .refine((text) => /^[01]$/.test(text), fault('invalid_value', { values: `${UNREAD}, ${READ}` }))
    .transform(Number)
    .optional()
    .meta({
      ...documentedAs({ type: 'integer', enum: [UNREAD, READ] }),
      description: '0 = Não Lido, 1 = Lido. Default: all',
    }),
});

function declareList(core: Core): Route {
  return route({
    ...about,
    method: 'GET',
    path: '/v1/notificacoes',
    operationId: 'listNotifications',
    summary: 'List notifications, newest first',
    description:
      'Situations that people of the merchant should know: failing, recovered and abandoned callbacks, late money ' +
      'and wrong amounts, stuck payments and terminals, terminals that the provider closed, refunds that failed, are ' +
      'stuck, came late or exceed the money, invoices, new access and new credentials. Each situation causes one ' +
      'notification.',
    bucket: 'read',
    query: listQuery,
    answers: { 200: { description: 'A page', schema: viewPageWithNext.schema(notification) } },
    async run({ caller, query, ctx }) {
      const { estado } = query;
      const isRead = estado === undefined ? null : estado === READ;
      const filter = { ...query, merchantId: caller.merchantId, isRead };
      const { page, total } = await inSnapshot(core, (db) => findNotifications(db, filter));
      const lang = chooseLanguage(ctx);
      const shown = { ...page, rows: page.rows.map((found) => viewNotification(found, lang)) };
      return { status: 200, body: viewPageWithNext(shown, query, total) };
    },
  });
}

function chooseLanguage(ctx: Context): Language {
  const lang = LANGUAGES.find((known) => known === ctx.acceptsLanguages(...LANGUAGES)) ?? 'pt';
  ctx.set({ 'Content-Language': lang });
  ctx.vary('Accept-Language');
  return lang;
}

const asNumber = (value: unknown) => {
  const digits = numberText(value);
  return digits === null ? value : Number(digits);
};

const marking = z.object({
  estado: z
    .preprocess(asNumber, z.literal([UNREAD, READ]))
    .meta({ ...documentedAs({ type: 'integer', enum: [UNREAD, READ] }), description: '0 = Não Lido, 1 = Lido' }),
});

function declareMark(core: Core): Route {
  return route({
    ...about,
    method: 'PUT',
    path: '/v1/notificacoes/{id}',
    operationId: 'markNotification',
    summary: 'Mark a notification as read or unread',
    description: 'A repeat keeps the time of the first read.',
    bucket: 'write',
    params: z.object({ id: z.string().regex(UUID).describe('`id` of a notification in the list') }),
    body: marking,
    example: { estado: 1 },
    answers: { 204: { description: 'Marked; no body' } },
    async run({ caller, params, body }) {
      const mark = { id: params.id, merchantId: caller.merchantId, at: core.clock.now() };
      const marked = await (body.estado === READ ? markRead : markUnread).run(core, mark);
      if (marked === 0) throw new Problem('not_found');
      return { status: 204 };
    },
  });
}

type Mark = { id: string; merchantId: string; at: Date };

const markRead = prepared((tables, { id, merchantId, at }: Mark) =>
  tables
    .updateTable('notifications')
    .set((eb) => ({ readAt: eb.fn.coalesce('readAt', eb.val(at)) }))
    .where('id', '=', id)
    .where('merchantId', '=', merchantId),
);

const markUnread = prepared((tables, { id, merchantId }: Omit<Mark, 'at'>) =>
  tables.updateTable('notifications').set({ readAt: null }).where('id', '=', id).where('merchantId', '=', merchantId),
);
