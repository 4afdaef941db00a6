// The list of a merchant's payments: its filters, its search, its pages, and the sums of what it shows.
import { sql, type Kysely, type SqlBool } from 'kysely';
import type { z } from 'zod';
import { addMinor, toMajor, toMinor } from '../../shared/money.ts';
import { PAYMENT_TYPES } from '../../shared/methods.ts';
import { PAYMENT_STATUSES } from '../../shared/status.ts';
import type { Core } from '../core.ts';
import { presentFilters, query, type Db, type Tables } from '../database/db.ts';
import { PAYMENTS } from '../database/functions/counted-lists.ts';
import { inSnapshot } from '../database/orm.ts';
import { readNewestFirst } from '../exports/batches.ts';
import type { CutPage } from '../http/cursor.ts';
import { pageOf } from '../http/fields.ts';
import { readPageIn } from '../lists/page.ts';
import { needsAttention } from './core/attention.ts';
import type { Payment } from './core/entities.ts';
import { termsOfQuery } from './core/fields.ts';
import { SELECTED } from './core/view.ts';
import { comparesWords, hitsOf, measureDensity, readSearch, type Search, type SearchSpan } from './search.ts';
import type { listQuery } from './schemas.ts';

export type ListRequest = z.output<typeof listQuery>;

/** The most payments whose number or sum a list with filters shows. */
const MOST_COUNTED = 10_000;

/** The most payments that a sum compares with a search text that many payments match. */
const MOST_COMPARED = 20_000;

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

type Matching = { search: Search; span: SearchSpan; isDense: boolean };

/** The payments that pass all filters and the search. @param newest only so many of the newest matches are needed */
function matching(tables: Kysely<Tables>, merchantId: string, input: ListRequest, found: Matching | null, newest = 0) {
  const rows = filtered(tables, merchantId, input);
  if (!found) return rows;
  if (found.isDense) return rows.where(comparesWords(found.search));
  const hits = hitsOf(merchantId, found.search, found.span);
  const newestHits = newest > 0 ? sql`order by created_at desc, payment_id desc limit ${newest}` : sql``;
  return rows.where(sql<SqlBool>`payments.id = any(array(select h.payment_id from (${hits}) h ${newestHits}))`);
}

type ListedPayments = { page: CutPage<Payment>; total: number; isTotalExact: boolean };

/** Reads a page of the list, and the number of payments on all pages: exact, or that there are more. */
export function readPayments(core: Core, merchantId: string, input: ListRequest): Promise<ListedPayments> {
  return inSnapshot(core, async (db) => {
    const { status, paymentType, after } = input;
    const isBroad = BROAD.some((name) => input[name] !== undefined);
    const found = input.search ? await findWay(db, merchantId, input, { ...input, after }) : null;
    const { limit, offset } = pageOf(input);
    const newest = hasFilter(input) ? 0 : offset + limit + 1;
    const total = found ? await countFound(db, merchantId, input, found) : undefined;
    const listed = await readPageIn<Payment>(db, {
      list: PAYMENTS,
      merchantId,
      query: input,
      keys: { status, paymentType, currency: currencyOfQuery(input) },
      isSelective: isBroad || RARE.some((name) => input[name] !== undefined),
      ...(isBroad && { maxCounted: MOST_COUNTED }),
      ...(total && { total: total.rows }),
      rows: (tables, { from, to }) => matching(tables, merchantId, { ...input, from, to }, found, newest),
      mergedKeys: { status: PAYMENT_STATUSES, paymentType: PAYMENT_TYPES },
      order: ['createdAt', 'id'],
    });
    const isTotalExact = total?.isExact ?? (!isBroad || listed.total <= MOST_COUNTED);
    return {
      page: listed.page,
      total: isTotalExact ? listed.total : Math.min(listed.total, MOST_COUNTED),
      isTotalExact,
    };
  });
}

type Way = Matching & { isWhole: boolean; hits: number };

async function findWay(db: Db, merchantId: string, input: ListRequest, span: SearchSpan): Promise<Way> {
  const search = readSearch(input.search as string);
  const { from, to, after } = span;
  return { search, span: { from, to, after }, ...(await measureDensity(db, merchantId, search, { from, to, after })) };
}

/** Counts the payments that a search finds on all pages. A dense search counts only its newest matches. */
async function countFound(db: Db, merchantId: string, input: ListRequest, onPage: Way) {
  const { from, to } = input;
  const found = input.after ? await findWay(db, merchantId, input, { from, to }) : onPage;
  if (!hasFilter(input) && found.isDense) return { rows: found.hits, isExact: found.isWhole };
  const rows = await query((tables) => {
    const hits = sql<{ paymentId: string }>`(select payment_id from (${hitsOf(merchantId, found.search, found.span)}) h
      limit ${MOST_COUNTED + 1})`;
    const listed = hasFilter(input)
      ? matching(tables, merchantId, input, found)
          .select('id')
          .limit(MOST_COUNTED + 1)
          .as('found')
      : hits.as('found');
    return tables.selectFrom(listed as never).select(sql<number>`count(*)::int`.as('total'));
  }).one(db);
  return { rows: rows.total, isExact: rows.total <= MOST_COUNTED };
}

/** Yields the whole list in batches, for a file. */
export async function* readAllPayments(core: Core, merchantId: string, input: ListRequest) {
  const found = input.search ? await findWay(core, merchantId, input, { from: input.from, to: input.to }) : null;
  yield* readNewestFirst(core, core.clock.now(), { at: 'createdAt', id: 'id' }, (tables) =>
    matching(tables, merchantId, input, found).select(SELECTED),
  );
}

type Sums = { currency: string; rows: number; payments: number; received: number; refunded: number };

/**
 * Sums the money of all payments that the list shows, on all its pages.
 * `isComplete` false: there are more payments than the sum reads, so it has no sums.
 */
export function sumPayments(core: Core, merchantId: string, input: ListRequest) {
  return inSnapshot(core, async (db) => {
    const found = input.search ? await findWay(db, merchantId, input, { from: input.from, to: input.to }) : null;
    const isCut = found?.isDense && !found.isWhole;
    const most = isCut ? MOST_COMPARED : MOST_COUNTED;
    const sums = await query((tables) => {
      const listed = isCut
        ? filtered(tables, merchantId, input).orderBy('createdAt', 'desc').orderBy('id', 'desc')
        : matching(tables, merchantId, input, found);
      const rows = listed
        .select(['currency', 'amountPaidMinor', 'refundedMinor'])
        .select((eb) => (isCut ? comparesWords(found.search)(eb) : sql<boolean>`true`).as('isFound'))
        .limit(most + 1);
      return tables
        .selectFrom(rows.as('row'))
        .select([
          'currency',
          sql<number>`count(*)`.as('rows'),
          sql<number>`count(*) filter (where is_found)`.as('payments'),
          sql<number>`coalesce(sum(amount_paid_minor) filter (where is_found), 0)::bigint`.as('received'),
          sql<number>`coalesce(sum(refunded_minor) filter (where is_found), 0)::bigint`.as('refunded'),
        ])
        .groupBy('currency')
        .orderBy('currency');
    }).all(db);
    return viewSums(sums, most);
  });
}

function viewSums(sums: Sums[], most: number) {
  const isComplete = addMinor(...sums.map(({ rows }) => rows)) <= most;
  const payments = addMinor(...sums.map((sum) => sum.payments));
  const shown = isComplete ? sums.filter((sum) => sum.payments > 0) : [];
  return {
    payments: Math.min(payments, most),
    isComplete,
    sums: shown.map(({ currency, payments: count, received, refunded }) => ({
      currency,
      payments: count,
      received: toMajor(received, currency),
      refunded: toMajor(refunded, currency),
      net: toMajor(addMinor(received, -refunded), currency),
    })),
  };
}
