// GET /api/days: the close of each clearing day, with all accounts together.
import { sql, type Selectable } from 'kysely';
import { dayStatusOf } from '../../shared/books.ts';
import { chooseLanguage, LANGUAGES, type Language } from '../../shared/language.ts';
import { findNames, type Names } from '../audit/names.ts';
import type { Core } from '../core.ts';
import { isAny, query, type Db, type Tables } from '../database/db.ts';
import { inSnapshot } from '../database/orm.ts';
import { readPages } from '../exports/batches.ts';
import { cutPage } from '../http/cursor.ts';
import { Problem, type Answer } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import type { Merchant } from '../merchants/entities.ts';
import { findMerchant } from '../merchants/find.ts';
import { readStatus } from './close.ts';
import {
  byDay,
  dayDetails,
  dayPage,
  dayQuery,
  SHIFT_TIMINGS,
  viewDaySums,
  viewMovementSums,
  type DayQuery,
} from './day-schemas.ts';
import {
  closeOf,
  findDays,
  groupDay,
  sumByCashier,
  sumByMethod,
  sumByShift,
  sumDay,
  sumGroups,
  sumsOfSettlement,
  type Group,
} from './day-sums.ts';
import type { Settlement, SettlementExplanation } from './entities.ts';
import { findExplanations } from './explained.ts';
import { DAY_COLUMNS, writeDays } from './files.ts';
import { findAccounts, type Accounts } from './schemas.ts';
import { sumNow, viewSettlements } from './settlements.ts';

/** The number of days that one query reads for a CSV file, or for a page with a status. */
const BATCH = 100;

const about = {
  method: 'GET',
  tag: 'Books',
  access: { kind: 'bearer', scope: 'payments:read' },
  bucket: 'read',
} as const;

export function dayRoutes(core: Core): Route[] {
  return [declareList(core), declareRead(core)];
}

function declareList(core: Core): Route {
  return route({
    ...about,
    path: '/api/days',
    operationId: 'listDays',
    summary: 'Clearing days, newest first',
    description: 'The close of each day, with the sums of all its accounts. A day without movements is not listed.',
    query: dayQuery,
    answers: { 200: { description: 'A page', schema: dayPage } },
    csv: {
      name: { pt: 'fechos-do-dia', en: 'days', fr: 'journees' },
      columns: DAY_COLUMNS,
      rows: ({ caller, query }) => readDays(core, caller.merchantId, query),
    },
    run: ({ caller, query }) =>
      inSnapshot(core, async (db) => {
        const { rows, next } = cutPage(await listDays(db, caller.merchantId, query), query.limit, cursorOf);
        return { status: 200, body: { data: rows.map(viewDay), next } };
      }),
  });
}

type FoundDay = { day: string; settlements: Settlement[] };

/** Builds the cursor of a day: `20261130` for `2026-11-30`. */
const cursorOf = ({ day }: FoundDay) => ({ seq: Number(day.replaceAll('-', '')) });

const dayOfCursor = (seq: number) => String(seq).replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3');

/** Lists days, newest first. Returns one day more than the limit if a next page exists. */
async function listDays(db: Db, merchantId: string, { after, limit, status, ...range }: DayQuery): Promise<FoundDay[]> {
  const found: FoundDay[] = [];
  let before = after && dayOfCursor(after.seq);
  const most = status ? BATCH : limit + 1;
  for (;;) {
    const days = await findDays(db, { merchantId, ...range, before }, most);
    for (const [day, rows] of days) {
      const settlements: Settlement[] = [];
      for (const row of rows) settlements.push(row.closedAt ? row : await sumNow(db, row));
      if (!status || dayStatusOf(settlements) === status) found.push({ day, settlements });
      before = day;
    }
    if (days.size < most || found.length > limit) return found;
  }
}

/** Reads all days for a CSV file. */
async function* readDays(core: Core, merchantId: string, filter: DayQuery) {
  const read = (page: Pick<DayQuery, 'after' | 'limit'>) => listDays(core, merchantId, { ...filter, ...page });
  for await (const days of readPages(BATCH, read, cursorOf, filter.after)) yield writeDays(days);
}

function declareRead(core: Core): Route {
  return route({
    ...about,
    path: '/api/days/{day}',
    operationId: 'readDay',
    summary: 'The close of one day',
    description:
      'All accounts together, by currency. Then the same movements by account (`settlements`), by method, by ' +
      'cashier and by shift. Every sum comes from the movements, and equals the sum of the settlements. ' +
      '`Accept: application/pdf`: the same on paper, in the language of `Accept-Language`.',
    params: byDay,
    refusals: { 404: 'not_found: the day has no movement' },
    answers: { 200: { description: 'The day', schema: dayDetails, also: ['application/pdf'] } },
    async run({ caller: { merchantId }, params: { day }, ctx }) {
      ctx.vary('Accept');
      const wantsPdf = ctx.accepts('application/json', 'application/pdf') === 'application/pdf';
      return inSnapshot(core, async (db) => {
        const whole = await readDay(core, db, merchantId, day);
        if (!wantsPdf) return { status: 200, body: await viewWholeDay(db, whole) };
        const shop = await findMerchant(core, merchantId);
        ctx.vary('Accept-Language');
        const lang = chooseLanguage(null, ctx.acceptsLanguages(...LANGUAGES), shop.defaultLanguage);
        return answerPdf(core, whole, { shop, lang });
      });
    },
  });
}

async function answerPdf(core: Core, whole: WholeDay, to: { shop: Merchant; lang: Language }): Promise<Answer> {
  // The PDF library is loaded at its first use, because it takes 17 MiB and a tenth of a start.
  const { drawDay } = await import('./day-sheet.ts');
  const { isSandbox } = core.config;
  return {
    status: 200,
    type: 'application/pdf',
    headers: {
      'Content-Disposition': `inline; filename="${FILE_NAMES[to.lang]}-${whole.day}.pdf"`,
      'Content-Language': to.lang,
    },
    body: await drawDay(whole, { ...to, isSandbox, at: core.clock.now() }),
  };
}

const FILE_NAMES: Record<Language, string> = { pt: 'fecho-do-dia', en: 'daily-close', fr: 'cloture-du-jour' };

function viewDay({ day, settlements }: FoundDay) {
  return {
    day,
    status: dayStatusOf(settlements),
    closedAt: closeOf(settlements),
    accounts: settlements.length,
    sums: sumDay(settlements).map(viewDaySums),
  };
}

type FoundShift = Pick<Selectable<Tables['shifts']>, 'id' | 'openedAt' | 'closedAt'> & {
  /** True if the shift also counts movements of other days, as a shift does that is open at 20:00. */
  isPartial: boolean;
};

/** Everything that the close of a day shows. */
export type WholeDay = FoundDay & {
  groups: Group[];
  people: Names;
  shifts: Map<string, FoundShift>;
  accounts: Accounts;
  explanations: Map<string, SettlementExplanation>;
};

/** Reads the close of a day. `db` is a snapshot. @throws Problem not_found */
async function readDay(core: Core, db: Db, merchantId: string, day: string): Promise<WholeDay> {
  const rows = (await findDays(db, { merchantId, from: day, to: day }, 1)).get(day);
  if (!rows) throw new Problem('not_found');
  const groups = await groupDay.all(db, { merchantId, day });
  const ids = rows.map(({ id }) => id);
  const explanations = await findExplanations(db, ids);
  const settlements: Settlement[] = [];
  for (const row of rows) {
    const summed = { ...row, ...sumsOfSettlement(groups, row) };
    settlements.push({ ...summed, status: await readStatus(db, summed, explanations.get(row.id)) });
  }
  const explainers = [...explanations.values()].map(({ explainedById }) => explainedById);
  const people = await findNames(db, [...groups.map(({ byId }) => byId), ...explainers]);
  const shifts = await readShifts(db, groups);
  const accounts = await findAccounts(core, settlements);
  return { day, settlements, groups, people, shifts, accounts, explanations };
}

async function readShifts(db: Db, groups: readonly Group[]): Promise<WholeDay['shifts']> {
  const byShift = Map.groupBy(groups, ({ shiftId }) => shiftId);
  const rows = await findShifts([...byShift.keys()].filter((id) => id !== null)).all(db);
  return new Map(
    rows.map(({ movements, ...row }) => {
      const isPartial = movements > sumGroups(byShift.get(row.id) ?? []).count;
      return [row.id, { ...row, isPartial }];
    }),
  );
}

/** Finds shifts and counts their movements. Each call plans the query, as in `shifts/sums.ts`. */
const findShifts = (ids: string[]) =>
  query((tables) =>
    tables
      .selectFrom('shifts as s')
      .where('s.id', ...isAny(ids))
      .select(['s.id', 's.openedAt', 's.closedAt'])
      .select(
        sql<number>`((select count(*) from transactions t where t.shift_id = s.id)
          + (select count(*) from refunds r where r.counted_shift_id = s.id))::int4`.as('movements'),
      ),
  );

async function viewWholeDay(db: Db, { settlements, groups, people, shifts, accounts, ...whole }: WholeDay) {
  const viewCashier = ({ byKind, byId }: Group) => ({
    kind: byKind ?? 'payer',
    id: byId,
    name: (byId && people.get(byId)) ?? null,
  });
  return {
    ...viewDay({ ...whole, settlements }),
    settlements: await viewSettlements(db, settlements, accounts),
    methods: sumByMethod(groups).map(({ one, sums }) => ({
      method: one.method,
      ...viewMovementSums(sums, one.currency),
    })),
    cashiers: sumByCashier(groups).map(({ one, sums }) => ({
      cashier: viewCashier(one),
      ...viewMovementSums(sums, one.currency),
    })),
    shifts: sumByShift(groups).map(({ one, sums }) => ({
      cashier: viewCashier(one),
      shift: viewShift(one.shiftId ? shifts.get(one.shiftId) : undefined),
      timing: timingOf(one),
      ...viewMovementSums(sums, one.currency),
    })),
  };
}

function viewShift(shift: FoundShift | undefined) {
  if (!shift) return null;
  const { id, openedAt, closedAt = null, isPartial } = shift;
  return { id, openedAt, closedAt, isPartial };
}

const timingOf = ({ shiftId, isAfterShift }: Group): (typeof SHIFT_TIMINGS)[number] =>
  shiftId ? 'in_shift' : isAfterShift ? 'after_close' : 'no_shift';
