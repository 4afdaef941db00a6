// GET and PUT /v1/notificacoes, and PUT /v1/notificacoes/{id}.
import type { Context } from 'koa';
import { z } from 'zod';
import { LANGUAGES, type Language } from '../../shared/language.ts';
import { listHiddenNotices } from '../../shared/notices.ts';
import type { Core } from '../core.ts';
import type { ExpressionBuilder } from 'kysely';
import { isAny, prepared, type Tables } from '../database/db.ts';
import { inSnapshot } from '../database/orm.ts';
import { fault } from '../http/validate.ts';
import { afterSeqQuery, viewPageWithNext } from '../http/cursor.ts';
import { numberText } from '../http/json.ts';
import { pageQuery, documentedAs, wholeNumber, uuidText } from '../http/fields.ts';
import { Problem } from '../http/problem.ts';
import { route, type Caller, type Route } from '../http/route.ts';
import { findNotifications } from './find.ts';
import { notification, READ, UNREAD, viewNotification } from './view.ts';

const about = { tag: 'Notifications', access: { kind: 'bearer', scope: 'notifications' } } as const;

export function notificationRoutes(core: Core): Route[] {
  return [declareList(core), declareMark(core), declareMarkAll(core)];
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
      'stuck, came late or exceed the money, invoices, and changes of access, credentials and contracts. Each ' +
      'situation causes one notification. A person sees those that their role may act on, for instance a cashier ' +
      'none of access. An API client sees all.',
    bucket: 'read',
    query: listQuery,
    answers: { 200: { description: 'A page', schema: viewPageWithNext.schema(notification) } },
    async run({ caller, query, ctx }) {
      const { estado } = query;
      const isRead = estado === undefined ? null : estado === READ;
      const filter = { ...query, merchantId: caller.merchantId, isRead, hidden: hiddenFrom(caller) };
      const { page, total } = await inSnapshot(core, (db) => findNotifications(db, filter));
      const lang = chooseLanguage(ctx);
      const shown = { ...page, rows: page.rows.map((found) => viewNotification(found, lang, caller.userId)) };
      return { status: 200, body: viewPageWithNext(shown, query, total) };
    },
  });
}

/** The types that the caller may not see. An API client sees all types. */
const hiddenFrom = ({ userId, scopes }: Caller) => (userId ? listHiddenNotices(scopes) : []);

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
    params: z.object({ id: uuidText.describe('`id` of a notification in the list') }),
    body: marking,
    example: { estado: 1 },
    answers: { 204: { description: 'Marked; no body' } },
    async run({ caller, params, body }) {
      const mark = { id: params.id, merchantId: caller.merchantId, at: core.clock.now(), hidden: hiddenFrom(caller) };
      const marked = await (body.estado === READ ? markRead : markUnread).run(core, mark);
      if (marked === 0) throw new Problem('not_found');
      return { status: 204 };
    },
  });
}

type Mark = { id: string; merchantId: string; at: Date; hidden: readonly string[] };

const markRead = prepared((tables, { id, merchantId, at, hidden }: Mark) =>
  tables
    .updateTable('notifications')
    .set((eb) => ({ readAt: eb.fn.coalesce('readAt', eb.val(at)) }))
    .where('id', '=', id)
    .where('merchantId', '=', merchantId)
    .where(isVisible(hidden)),
);

const markUnread = prepared((tables, { id, merchantId, hidden }: Omit<Mark, 'at'>) =>
  tables
    .updateTable('notifications')
    .set({ readAt: null })
    .where('id', '=', id)
    .where('merchantId', '=', merchantId)
    .where(isVisible(hidden)),
);

const isVisible = (hidden: readonly string[]) => (eb: ExpressionBuilder<Tables, 'notifications'>) =>
  eb.not(eb('type', ...isAny(hidden)));

const markingAll = z.object({
  estado: z
    .preprocess(asNumber, z.literal(READ))
    .meta({ ...documentedAs({ type: 'integer', enum: [READ] }), description: '1 = Lido' }),
  ate: uuidText
    .optional()
    .describe('`id` of the newest notification to mark, so that later ones stay unread. Absent: all'),
});

function declareMarkAll(core: Core): Route {
  return route({
    ...about,
    method: 'PUT',
    path: '/v1/notificacoes',
    operationId: 'markAllNotifications',
    summary: 'Mark all unread notifications as read',
    description: 'Marks those that you see in the list, up to `ate`.',
    bucket: 'write',
    body: markingAll,
    example: { estado: 1 },
    refusals: { 404: '`ate` is no notification of this merchant' },
    answers: { 204: { description: 'Marked; no body' } },
    async run({ caller, body: { ate } }) {
      const { merchantId } = caller;
      const newest = ate === undefined ? null : await findSeq.first(core, { id: ate, merchantId });
      if (ate !== undefined && !newest) throw new Problem('not_found');
      const upTo = newest?.seq ?? null;
      await markAllRead.run(core, { merchantId, upTo, at: core.clock.now(), hidden: hiddenFrom(caller) });
      return { status: 204 };
    },
  });
}

const findSeq = prepared((tables, { id, merchantId }: { id: string; merchantId: string }) =>
  tables.selectFrom('notifications').select('seq').where('id', '=', id).where('merchantId', '=', merchantId),
);

type MarkAll = Omit<Mark, 'id'> & { upTo: number | null };

const markAllRead = prepared((tables, { merchantId, at, hidden, upTo }: MarkAll) =>
  tables
    .updateTable('notifications')
    .set({ readAt: at })
    .where('merchantId', '=', merchantId)
    .where('readAt', 'is', null)
    .where((eb) => eb('seq', '<=', eb.fn.coalesce(eb.val(upTo), eb.val(Number.MAX_SAFE_INTEGER))))
    .where(isVisible(hidden)),
);
