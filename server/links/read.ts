// Read endpoints of payment links: list, one link, its payments, and its QR code.
import { plainWords } from '../../shared/search.ts';
import { sql, type Kysely, type SelectQueryBuilder, type SqlBool } from 'kysely';
import { z } from 'zod';
import { toMajor } from '../../shared/money.ts';
import { PAYMENT_STATUS_WORDS } from '../../shared/state-words.ts';
import type { Core } from '../core.ts';
import { readNewestFirst } from '../exports/batches.ts';
import { prepared, type Db, type Tables } from '../database/db.ts';
import { plainWordsSql } from '../database/plain-words.ts';
import type { CsvColumn } from '../exports/csv.ts';
import { viewPageWithNext } from '../http/cursor.ts';
import { wholeNumber } from '../http/fields.ts';
import { Problem } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { readPage } from '../lists/page.ts';
import { LINK_PAYMENTS, LINKS } from '../database/functions/counted-lists.ts';
import { MONEY_COLUMNS, viewMoney, type Counted } from '../payments/core/attention.ts';
import { drawQrPng, drawQrSvg } from '../exports/qr-image.ts';
import {
  FEE_COLUMNS,
  PAYER_COLUMNS,
  REFUNDED_COLUMN,
  STANDING_COLUMN,
  withPaymentColumns,
} from '../payments/core/file-columns.ts';
import { image } from '../payments/read.ts';
import { LINK_PAYMENT_STATUSES, type Link } from './entities.ts';
import { byLink, linkAnswer, linkPayment, linkPaymentQuery, linkQuery, viewLink } from './schemas.ts';
import { linkUrlOf } from './slug.ts';
import { hasLinkStatus } from './state.ts';

const about = {
  method: 'GET',
  tag: 'Links',
  access: { kind: 'bearer', scope: 'payments:read' },
  bucket: 'read',
} as const;

/** Returns the endpoints that read payment links. */
export function linkReads(core: Core): Route[] {
  return [declareList(core), declareRead(core), declarePayments(core), declareSvg(core), declarePng(core)];
}

function declareList(core: Core): Route {
  return route({
    ...about,
    path: '/api/links',
    operationId: 'listLinks',
    summary: 'List payment links, newest first',
    query: linkQuery,
    answers: { 200: { description: 'A page of links', schema: viewPageWithNext.schema(linkAnswer) } },
    async run({ caller: { merchantId }, query: filter }) {
      const now = core.clock.now();
      const { page, total } = await readPage<Link>(core, {
        list: LINKS,
        merchantId,
        query: filter,
        keys: {},
        // A link's status depends on the time, so the counters of lists do not include it.
        isSelective: filter.status !== undefined || filter.search !== undefined,
        rows: (tables) => {
          const own = tables.selectFrom('links').where('merchantId', '=', merchantId);
          const mine = filter.search ? own.where(namesLink(filter.search)) : own;
          return filter.status ? mine.where(hasLinkStatus(filter.status, now)) : mine;
        },
        order: ['createdAt', 'id'],
      });
      const rows = await Promise.all(page.rows.map((link) => viewLink(core, link, now)));
      return { status: 200, body: viewPageWithNext({ ...page, rows }, filter, total) };
    },
  });
}

/** SQL condition: all words of the text are in the link's title and address. */
function namesLink(text: string) {
  const words = plainWords(text).split(' ');
  const each = words.map(
    (word) => sql<SqlBool>`strpos(${sql.raw(plainWordsSql(`title || ' ' || slug`))}, ${word}) > 0`,
  );
  return sql<SqlBool>`(${sql.join(each, sql` and `)})`;
}

function declareRead(core: Core): Route {
  return route({
    ...about,
    path: '/api/links/{linkId}',
    operationId: 'readLink',
    summary: 'Read one payment link',
    description: 'Also returns withdrawn links.',
    params: byLink,
    answers: { 200: { description: 'The link', schema: linkAnswer } },
    run: async ({ caller, params }) => ({
      status: 200,
      body: await viewLink(core, await findLink(core, caller.merchantId, params.linkId), core.clock.now()),
    }),
  });
}

/** Finds a merchant's link. @throws Problem not_found for an unknown link, or another merchant's */
export async function findLink(db: Db, merchantId: string, id: string): Promise<Link> {
  const link = await findOwn.first(db, { id, merchantId });
  if (!link) throw new Problem('not_found');
  return link;
}

const findOwn = prepared((tables, { id, merchantId }: { id: string; merchantId: string }) =>
  tables.selectFrom('links').selectAll().where('id', '=', id).where('merchantId', '=', merchantId),
);

type LinkPaymentRow = {
  internalId: string;
  reference: string;
  currency: string;
  customerName: string | null;
  customerEmail: string | null;
  customerTelephone: string | null;
  documentNumber: string | null;
  createdAt: Date;
  completedAt: Date | null;
} & Counted;

function declarePayments(core: Core): Route {
  return route({
    ...about,
    path: '/api/links/{linkId}/payments',
    operationId: 'listLinkPayments',
    summary: 'List the payments of a link, newest first',
    description: 'Includes each payer’s answers to the link’s form. Also available as CSV.',
    params: byLink,
    query: linkPaymentQuery,
    answers: { 200: { description: 'A page of payments', schema: viewPageWithNext.schema(linkPayment) } },
    csv: {
      name: { pt: 'pagamentos-do-link', en: 'link-payments', fr: 'paiements-du-lien' },
      columns: COLUMNS,
      async *rows({ caller: { merchantId }, params, query: { status } }) {
        const { id } = await findLink(core, merchantId, params.linkId);
        const order = { at: 'l.createdAt', id: 'l.paymentId', names: { at: 'createdAt', id: 'paymentId' } };
        const list = readNewestFirst(core, core.clock.now(), order, (tables) =>
          withPayments(tables.selectFrom(listOf(tables, id, status).selectAll().as('l'))),
        );
        for await (const rows of withPaymentColumns(core, list, ({ internalId }) => internalId))
          yield rows.map((row) => ({ ...row, phone: row.customerTelephone ?? row.phone }));
      },
    },
    async run({ caller: { merchantId }, params, query: filter }) {
      const { id } = await findLink(core, merchantId, params.linkId);
      const { page, total } = await readPage<LinkPaymentRow>(core, {
        list: LINK_PAYMENTS,
        merchantId,
        query: filter,
        keys: { status: filter.status, linkId: id },
        rows: (tables) => listOf(tables, id, filter.status),
        mergedKeys: { status: LINK_PAYMENT_STATUSES },
        decorate: (tables, listed) =>
          withPayments(tables.selectFrom(listed.as('l')))
            .orderBy('l.createdAt', 'desc')
            .orderBy('l.paymentId', 'desc'),
        order: ['createdAt', 'paymentId'],
      });
      return { status: 200, body: viewPageWithNext({ ...page, rows: page.rows.map(viewRow) }, filter, total) };
    },
  });
}

function listOf(tables: Kysely<Tables>, linkId: string, status: Tables['link_payments']['status'] | undefined) {
  const all = tables.selectFrom('link_payments').where('linkId', '=', linkId);
  return status ? all.where('status', '=', status) : all;
}

/** Joins each use of a link with its payment. A reference that replaced an unpaid payment is joined instead. */
function withPayments(listed: SelectQueryBuilder<Tables & { l: Tables['link_payments'] }, 'l', object>) {
  return listed
    .innerJoin('payments as first', 'first.id', 'l.paymentId')
    .innerJoin('payments as p', (on) =>
      on.on(
        'p.id',
        '=',
        sql`case when first.status = 'Paid' then first.id else coalesce(first.replaced_by_id, first.id) end`,
      ),
    )
    .select([
      'l.paymentId',
      'l.createdAt',
      'l.customerName',
      'l.customerEmail',
      'l.customerTelephone',
      'l.documentNumber',
      'p.id as internalId',
      'p.reference',
      'p.currency',
      'p.completedAt',
      ...MONEY_COLUMNS.map((name) => `p.${name}` as const),
    ]);
}

function viewRow(row: LinkPaymentRow) {
  const { internalId, reference, status, amountMinor, amountPaidMinor, currency } = row;
  const { customerName, customerEmail, customerTelephone, documentNumber, createdAt, completedAt } = row;
  const [amount, amountPaid] = [toMajor(amountMinor, currency), toMajor(amountPaidMinor, currency)];
  const customer = { customerName, customerEmail, customerTelephone, documentNumber };
  const about = { internalId, reference, status, amount, amountPaid, currency };
  return { ...about, ...viewMoney(row), ...customer, createdAt, completedAt };
}

const COLUMNS = [
  { kind: 'time', from: 'createdAt', pt: 'Criado em', en: 'Created at', fr: 'Créé le' },
  { kind: 'time', from: 'completedAt', pt: 'Concluído em', en: 'Completed at', fr: 'Terminé le' },
  { kind: 'code', from: 'internalId', pt: 'Id interno', en: 'Internal id', fr: 'Id interne' },
  { kind: 'code', from: 'reference', pt: 'Referência', en: 'Reference', fr: 'Référence' },
  { kind: 'code', from: 'status', words: PAYMENT_STATUS_WORDS, pt: 'Estado', en: 'Status', fr: 'État' },
  STANDING_COLUMN,
  ...PAYER_COLUMNS,
  { kind: 'text', from: 'customerEmail', pt: 'E-mail', en: 'E-mail', fr: 'E-mail' },
  { kind: 'money', from: 'amountMinor', currency: 'currency', pt: 'Montante', en: 'Amount', fr: 'Montant' },
  { kind: 'money', from: 'amountPaidMinor', currency: 'currency', pt: 'Pago', en: 'Paid', fr: 'Payé' },
  REFUNDED_COLUMN,
  ...FEE_COLUMNS,
  { kind: 'code', from: 'currency', pt: 'Moeda', en: 'Currency', fr: 'Devise' },
] as const satisfies CsvColumn<string>[];

function declareSvg(core: Core): Route {
  return route({
    ...about,
    path: '/api/links/{linkId}/qr.svg',
    operationId: 'readLinkQrSvg',
    summary: 'The link’s address as a QR code (SVG)',
    params: byLink,
    answers: { 200: { description: 'The image', contentType: 'image/svg+xml', schema: image } },
    async run({ caller, params }) {
      const { slug } = await findLink(core, caller.merchantId, params.linkId);
      return { status: 200, body: drawQrSvg(linkUrlOf(core, slug)), type: 'image/svg+xml' };
    },
  });
}

function declarePng(core: Core): Route {
  return route({
    ...about,
    path: '/api/links/{linkId}/qr.png',
    operationId: 'readLinkQrPng',
    summary: 'The link’s address as a QR code (PNG)',
    params: byLink,
    query: z.object({ size: wholeNumber(2_000, 800, 'Width and height in pixels') }),
    answers: { 200: { description: 'The image', contentType: 'image/png', schema: image } },
    async run({ caller, params, query: { size } }) {
      const { slug } = await findLink(core, caller.merchantId, params.linkId);
      return { status: 200, body: drawQrPng(linkUrlOf(core, slug), size), type: 'image/png' };
    },
  });
}
