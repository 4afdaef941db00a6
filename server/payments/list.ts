// The list of a merchant's payments: its filters, its search, its pages, and its sums.
import { sql, type Kysely, type SqlBool } from 'kysely';
import type { z } from 'zod';
import { addMinor, toMajor, toMinor } from '../../shared/money.ts';
import { PAYMENT_TYPES } from '../../shared/methods.ts';
import { PAYMENT_STATUSES } from '../../shared/status.ts';
import type { Core } from '../core.ts';
import { isAny, presentFilters, query, type Db, type Tables } from '../database/db.ts';
import { PAYMENTS } from '../database/functions/counted-lists.ts';
import { inSnapshot } from '../database/orm.ts';
import { readNewestFirst } from '../exports/batches.ts';
import type { Cursor, CutPage } from '../http/cursor.ts';
import { pageOf } from '../http/fields.ts';
import { countList, readPageIn, type Listing } from '../lists/page.ts';
import { needsAttention } from './core/attention.ts';
import type { Payment } from './core/entities.ts';
import { termsOfQuery } from './core/fields.ts';
import { SELECTED } from './core/view.ts';
import {
  comparesWords,
  hitsOf,
  measureDensity,
  readSearch,
  type Density,
  type Search,
  type SearchSpan,
} from './search.ts';
import type { listQuery } from './schemas.ts';

export type ListRequest = z.output<typeof listQuery>;

/** The most payments whose number or sum a list with filters shows. */
const MOST_COUNTED = 10_000;

/** The most payments that a sum compares with a search text that many payments match. */
const MOST_COMPARED = 20_000;

/** The most payments that such a search with another filter counts. */
const MOST_COUNTED_DENSE = 1_000;

/** Returns the amount filter in minor units, or its fault. Null without an amount filter. */
export const readAmountFilter = ({ amount, currency = 'AOA' }: Pick<ListRequest, 'amount' | 'currency'>) =>
  amount === undefined ? null : toMinor(amount, currency);

const currencyOfQuery = ({ amount, currency }: ListRequest) => currency ?? (amount === undefined ? undefined : 'AOA');

/** The payments of a merchant that pass all filters except the search. */
function filtered(tables: Kysely<Tables>, merchantId: string, input: ListRequest) {
  const { status, paymentType, paymentMethod, reference, late, from, to, phone, attention, link, createdBy } = input;
  const amount = readAmountFilter(input);
  const amountMinor = amount && 'minor' in amount ? amount.minor : undefined;
  const currency = currencyOfQuery(input);
  const terms = termsOfQuery(input.customMetadata);
  const columns = { merchantId, status, paymentType, paymentMethod, reference, amountMinor, currency, phone };
  return tables
    .selectFrom('payments')
    .where((eb) => eb.and(presentFilters(columns)))
    .where((eb) =>
      eb.and([
        ...(attention ? [needsAttention(attention)(eb)] : []),
        ...(late ? [eb.ref('late')] : []),
        ...(link ? [eb('linkId', link === 'true' ? 'is not' : 'is', null)] : []),
        ...(createdBy ? [eb('createdByKind', '=', 'user'), eb('createdById', '=', createdBy)] : []),
        ...(terms.length > 0 ? [eb('searchTerms', '@>', eb.val(terms))] : []),
        ...(from ? [eb('createdAt', '>=', from)] : []),
        ...(to ? [eb('createdAt', '<', to)] : []),
      ]),
    );
}

/** True if the list has a filter besides its search and its time span. */
const hasFilter = (input: ListRequest): boolean =>
  (['status', 'paymentType', 'currency', ...RARE] as const).some((name) => input[name] !== undefined);

/** Filters whose rows the counts of lists do not know. */
const RARE = [
  'reference',
  'phone',
  'late',
  'attention',
  'customMetadata',
  'amount',
  'paymentMethod',
  'link',
  'createdBy',
] as const satisfies (keyof ListRequest)[];

/** Filters that may leave very many payments. A list with one of them counts no further than `MOST_COUNTED`. */
const BROAD = ['search', 'paymentMethod', 'link', 'createdBy'] as const satisfies (keyof ListRequest)[];

type Way = Density & { search: Search; span: SearchSpan };

async function findWay(db: Db, merchantId: string, { search, from, to }: ListRequest, after?: Cursor): Promise<Way> {
  const span = { from, to, after };
  const read = readSearch(search as string);
  return { search: read, span, ...(await measureDensity(db, merchantId, read, span)) };
}

/** The payments that pass all filters and the search. */
function matching(tables: Kysely<Tables>, merchantId: string, input: ListRequest, way: Way | null) {
  const rows = filtered(tables, merchantId, input);
  if (!way) return rows;
  if (way.isDense) return rows.where(comparesWords(way.search));
  return rows.where(isHit(merchantId, way));
}

const isHit = (merchantId: string, { search, span }: Way) =>
  sql<SqlBool>`payments.id = any(array(select payment_id from ${hitsOf(merchantId, search, span)} hit))`;

type ListedPayments = { page: CutPage<Payment>; total: number; isTotalExact: boolean };

/** Reads a page of the list, and the number of payments on all pages: exact, or that there are more. */
export function readPayments(core: Core, merchantId: string, input: ListRequest): Promise<ListedPayments> {
  return inSnapshot(core, async (db) => {
    const { status, paymentType } = input;
    const isBroad = BROAD.some((name) => input[name] !== undefined);
    const found = input.search === undefined ? null : await findPage(db, merchantId, input);
    const { page, total } = await readPageIn<Payment>(db, {
      list: PAYMENTS,
      merchantId,
      query: input,
      keys: { status, paymentType, currency: currencyOfQuery(input) },
      isSelective: isBroad || RARE.some((name) => input[name] !== undefined),
      ...(isBroad && { maxCounted: MOST_COUNTED }),
      ...(found && { total: found.total }),
      rows: (tables, { from, to }) =>
        found?.ids
          ? tables.selectFrom('payments').where('id', ...isAny(found.ids))
          : matching(tables, merchantId, { ...input, from, to }, found?.way ?? null),
      mergedKeys: found?.ids ? {} : { status: PAYMENT_STATUSES, paymentType: PAYMENT_TYPES },
      order: ['createdAt', 'id'],
    });
    const isTotalExact = found?.isExact ?? (!isBroad || total <= MOST_COUNTED);
    return { page, total: isTotalExact ? total : Math.min(total, MOST_COUNTED), isTotalExact };
  });
}

/** `ids`: the newest payments that a search finds, for the page. Null: the list is read newest first. */
type Found = { way: Way; ids: string[] | null; total: number; isExact: boolean };

async function findPage(db: Db, merchantId: string, input: ListRequest): Promise<Found> {
  const { after } = input;
  const way = await findWay(db, merchantId, input, after);
  const counted = after ? await findWay(db, merchantId, input) : way;
  if (!way.isDense || !counted.isDense) {
    const hits = await findHits(db, merchantId, input, { ...way, span: { ...way.span, after: undefined } });
    return { way, ids: way.isDense ? null : hits.ids, total: hits.total, isExact: true };
  }
  if (!hasFilter(input)) return { way, ids: null, total: counted.hits, isExact: counted.isWhole };
  const { total } = await query((tables) => {
    const rows = matching(tables, merchantId, input, counted)
      .select('id')
      .limit(MOST_COUNTED_DENSE + 1);
    return tables.selectFrom(rows.as('row')).select(sql<number>`count(*)::int`.as('total'));
  }).one(db);
  return { way, ids: null, total: Math.min(total, MOST_COUNTED_DENSE), isExact: total <= MOST_COUNTED_DENSE };
}

/** Finds all hits of a sparse search: their number, and the ids that the page needs. */
async function findHits(db: Db, merchantId: string, input: ListRequest, way: Way) {
  const { limit, offset } = pageOf(input);
  const { after } = input;
  const found = await query((tables) => {
    const all = hasFilter(input)
      ? filtered(tables, merchantId, input).where(isHit(merchantId, way)).select(['createdAt', 'id'])
      : tables.selectFrom(hitsOf(merchantId, way.search, way.span).as('hit')).select(['createdAt', 'paymentId as id']);
    const isAfter = after ? sql`where (created_at, id) < (${after.at}::timestamptz, ${after.id}::uuid)` : sql``;
    return tables
      .with(
        (cte) => cte('hits').materialized(),
        () => all,
      )
      .selectNoFrom([
        sql<number>`(select count(*)::int from hits)`.as('total'),
        sql<string[]>`array(select hits.id::text from hits ${isAfter} order by hits.created_at desc, hits.id desc
          limit ${offset + limit + 1})`.as('ids'),
      ]);
  }).one(db);
  return found;
}

/** Yields the whole list in batches, for a file. */
export async function* readAllPayments(core: Core, merchantId: string, input: ListRequest) {
  const way = input.search === undefined ? null : await findWay(core, merchantId, input);
  yield* readNewestFirst(core, core.clock.now(), { at: 'createdAt', id: 'id' }, (tables) =>
    matching(tables, merchantId, input, way).select(SELECTED),
  );
}

type Sums = { currency: string; payments: number; received: number; refunded: number };

/**
 * Sums the money of all payments that the list shows, on all its pages.
 * `isComplete` false: there are more payments than the sum reads, so it has no sums.
 */
export function sumPayments(core: Core, merchantId: string, input: ListRequest) {
  return inSnapshot(core, async (db) => {
    const way = input.search === undefined ? null : await findWay(db, merchantId, input);
    const atLeast = await countIfTooMany(db, merchantId, input, way);
    if (atLeast !== null) return { payments: atLeast, isComplete: false, sums: [] };
    const sums = await query((tables) => {
      const rows = matching(tables, merchantId, input, way)
        .select(['currency', 'amountPaidMinor', 'refundedMinor'])
        .limit(MOST_COUNTED + 1);
      return tables
        .selectFrom(rows.as('row'))
        .select([
          'currency',
          sql<number>`count(*)`.as('payments'),
          sql<number>`sum(amount_paid_minor)::bigint`.as('received'),
          sql<number>`sum(refunded_minor)::bigint`.as('refunded'),
        ])
        .groupBy('currency')
        .orderBy('currency');
    }).all(db);
    return viewSums(sums);
  });
}

/** Returns a number of payments that the list exceeds, without reading them. Null: the sum reads them. */
async function countIfTooMany(db: Db, merchantId: string, input: ListRequest, way: Way | null): Promise<number | null> {
  if (way && (!way.isDense || way.isWhole)) return null;
  const { status, paymentType, from, to } = input;
  const keys = { status, paymentType, currency: currencyOfQuery(input) };
  const rows = (tables: Kysely<Tables>) => filtered(tables, merchantId, { ...input, ...keys });
  const listing = { list: PAYMENTS, merchantId, query: input, keys, rows, order: ['createdAt', 'id'] } as Listing;
  const total = await countList(db, listing, { from, to });
  if (way) return total > MOST_COMPARED ? (hasFilter(input) ? 0 : way.hits) : null;
  return total > MOST_COUNTED && !RARE.some((name) => input[name] !== undefined) ? MOST_COUNTED : null;
}

function viewSums(sums: Sums[]) {
  const payments = addMinor(...sums.map((sum) => sum.payments));
  const isComplete = payments <= MOST_COUNTED;
  return {
    payments: Math.min(payments, MOST_COUNTED),
    isComplete,
    sums: (isComplete ? sums : []).map(({ currency, payments: count, received, refunded }) => ({
      currency,
      payments: count,
      received: toMajor(received, currency),
      refunded: toMajor(refunded, currency),
      net: toMajor(addMinor(received, -refunded), currency),
    })),
  };
}
