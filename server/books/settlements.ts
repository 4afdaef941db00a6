// GET /api/settlements: expected and actual credits of each clearing period and rail account, with their movements.
import type { Kysely } from 'kysely';
import { findNames } from '../audit/names.ts';
import type { Core } from '../core.ts';
import { prepared, query, type Db, type Tables } from '../database/db.ts';
import { inSnapshot } from '../database/orm.ts';
import { readPages } from '../exports/batches.ts';
import { cutPage, type Cursor } from '../http/cursor.ts';
import { Problem } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { findExplanation, readStatus, sumSettlement } from './close.ts';
import type { Settlement, SettlementCredit, SettlementExplanation } from './entities.ts';
import { findExplanations } from './explained.ts';
import { MOVEMENT_COLUMNS, readMovements, SETTLEMENT_COLUMNS, writeSettlements } from './files.ts';
import { listMovements, positionOf, type MovementFilter, type MovementPage } from './movements.ts';
import { findReasons } from './reasons.ts';
import { findReconciled, findReconciliation } from './reconciled.ts';
import { findAccounts, viewMovement, type Accounts } from './schemas.ts';
import {
  bySettlement,
  lineQuery,
  settlementDetails,
  settlementPage,
  settlementQuery,
  viewExplanation,
  viewSettlement,
  viewSettlementDetails,
  type SettlementQuery,
} from './settlement-schemas.ts';

/** The number of movements that one step reads and writes, in a few milliseconds. */
const LINES = 1_000;

/** The number of settlements that one query reads for a CSV file. */
const BATCH = 100;

const about = {
  method: 'GET',
  tag: 'Books',
  access: { kind: 'bearer', scope: 'payments:read' },
  bucket: 'read',
} as const;

export function settlementRoutes(core: Core): Route[] {
  return [declareList(core), declareRead(core)];
}

function declareList(core: Core): Route {
  return route({
    ...about,
    path: '/api/settlements',
    operationId: 'listSettlements',
    summary: 'Settlements, the newest day first',
    description:
      'One per clearing period, rail account and currency. ' +
      'The gateway closes a period an hour after its last day ends at 20:00 in Luanda. Until then it grows.',
    query: settlementQuery,
    answers: { 200: { description: 'A page', schema: settlementPage } },
    csv: {
      name: { pt: 'fechos', en: 'settlements', fr: 'clotures' },
      columns: SETTLEMENT_COLUMNS,
      rows: ({ caller, query: filter }) => readSettlements(core, caller.merchantId, filter),
    },
    run: ({ caller, query: filter }) =>
      inSnapshot(core, async (db) => {
        const { rows, next } = cutPage(await listSettlements(db, caller.merchantId, filter), filter.limit, cursorOf);
        const accounts = await findAccounts(core, rows);
        return { status: 200, body: { data: await viewSettlements(db, rows, accounts), next } };
      }),
  });
}

/** Returns the API views of several settlements, with their explanations. */
export async function viewSettlements(db: Db, rows: Settlement[], accounts: Accounts) {
  const ids = rows.map(({ id }) => id);
  const reconciled = await findReconciled(db, ids);
  const explanations = await findExplanations(db, ids);
  const explainers = [...explanations.values()].map(({ explainedById }) => explainedById);
  const people = await findNames(db, explainers);
  return rows.map((row) => {
    const explained = viewExplanation(explanations.get(row.id) ?? null, row, people);
    return viewSettlement(row, accounts, { reconciled: reconciled.get(row.id), explained });
  });
}

/** Builds the cursor of a settlement. Its time is the beginning of the day in UTC. */
const cursorOf = ({ day, id }: Settlement): Cursor => ({ at: new Date(`${day}T00:00:00Z`), id });

/** Lists settlements, newest first. Returns one row more than the limit if a next page exists. */
async function listSettlements(db: Db, merchantId: string, filter: SettlementQuery): Promise<Settlement[]> {
  const found = (await query((tables) => selectSettlements(tables, merchantId, filter)).all(db)) as Settlement[];
  const summed: Settlement[] = [];
  for (const row of found) summed.push(row.closedAt ? row : await sumNow(db, row));
  return summed;
}

/** Reads all settlements for a CSV file. */
async function* readSettlements(core: Core, merchantId: string, filter: SettlementQuery) {
  const read = (page: Pick<SettlementQuery, 'after' | 'limit'>) =>
    listSettlements(core, merchantId, { ...filter, ...page });
  for await (const settlements of readPages(BATCH, read, cursorOf)) yield await writeSettlements(core, settlements);
}

/** Reads the movements of one settlement for a CSV file. */
async function* readLines(core: Core, merchantId: string, id: string) {
  const found = await findOwn.first(core, { merchantId, id });
  if (!found) throw new Problem('not_found');
  const { rail, period, currency } = found;
  yield* readMovements(core, { merchantId, rail, period, currency });
}

function selectSettlements(tables: Kysely<Tables>, merchantId: string, filter: SettlementQuery) {
  const { from, to, account, period, status, after, limit } = filter;
  let rows = tables.selectFrom('settlements').selectAll().where('merchantId', '=', merchantId);
  if (from !== undefined) rows = rows.where('day', '>=', from);
  if (to !== undefined) rows = rows.where('day', '<=', to);
  if (account !== undefined) rows = rows.where('rail', '=', account);
  if (period !== undefined) rows = rows.where('period', '=', period);
  if (status !== undefined) rows = rows.where('status', '=', status);
  if (after) {
    const day = after.at.toISOString().slice(0, 10);
    rows = rows.where((eb) => eb(eb.refTuple('day', 'id'), '<', eb.tuple(day, after.id)));
  }
  return rows
    .orderBy('day', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1);
}

function declareRead(core: Core): Route {
  return route({
    ...about,
    path: '/api/settlements/{settlementId}',
    operationId: 'readSettlement',
    summary: 'One settlement with its movements',
    description:
      'Its sums, the credits of the bank, and every movement, newest first, by pages. ' +
      'A movement that is recorded after the close still counts in its period. `changedAfterClose` reports it.',
    params: bySettlement,
    query: lineQuery,
    answers: { 200: { description: 'The settlement', schema: settlementDetails } },
    csv: {
      name: { pt: 'fecho', en: 'settlement', fr: 'cloture' },
      columns: MOVEMENT_COLUMNS,
      rows: ({ caller, params }) => readLines(core, caller.merchantId, params.settlementId),
    },
    run: ({ caller, params, query: page }) =>
      inSnapshot(core, async (db) => {
        const { merchantId } = caller;
        const found = await readSettlement(db, merchantId, params.settlementId);
        const { rail, period, currency } = found.settlement;
        const accounts = await findAccounts(core, [found.settlement]);
        const movements = await writePage(db, { merchantId, rail, period, currency }, page, accounts);
        const head = JSON.stringify(await viewFound(db, found, accounts));
        return { status: 200, body: Buffer.concat([Buffer.from(`${head.slice(0, -1)},"movements":`), ...movements]) };
      }),
  });
}

/** Writes a page of movements as JSON in steps, because one large step would block other requests. */
async function writePage(db: Db, filter: MovementFilter, { after, limit }: MovementPage, accounts: Accounts) {
  const parts: Buffer[] = [Buffer.from('{"data":[')];
  let [left, from, next] = [limit, after, null as string | null];
  do {
    const most = Math.min(left, LINES);
    const page = cutPage(await listMovements(db, filter, { after: from, limit: most }), most, positionOf);
    const text = JSON.stringify(page.rows.map((each) => viewMovement(each, accounts))).slice(1, -1);
    parts.push(Buffer.from(left < limit ? `,${text}` : text));
    const last = page.rows.at(-1);
    from = last && positionOf(last);
    left -= most;
    next = page.next;
  } while (next !== null && left > 0);
  return [...parts, Buffer.from(`],"next":${JSON.stringify(next)}}}`)];
}

type FoundSettlement = {
  settlement: Settlement;
  credits: SettlementCredit[];
  explanation: SettlementExplanation | null;
};

/**
 * Reads a settlement with its current sums and entries. The caller has a snapshot or the row's lock.
 * @throws Problem not_found
 */
async function readSettlement(db: Db, merchantId: string, id: string): Promise<FoundSettlement> {
  const found = await findOwn.first(db, { merchantId, id });
  if (!found) throw new Problem('not_found');
  const credits = (await findCredits.all(db, { id })) as SettlementCredit[];
  const explanation = ((await findExplanation.first(db, { id })) ?? null) as SettlementExplanation | null;
  const settlement = await sumNow(db, found as Settlement);
  const status = await readStatus(db, settlement, explanation);
  return { settlement: { ...settlement, status }, credits, explanation };
}

async function viewFound(db: Db, { settlement, credits, explanation }: FoundSettlement, accounts: Accounts) {
  const reconciled = await findReconciliation(db, settlement.id);
  const reasons = await findReasons(db, settlement, reconciled);
  const people = await findNames(db, [explanation?.explainedById ?? null]);
  const explained = viewExplanation(explanation, settlement, people);
  return viewSettlementDetails(settlement, credits, { reasons, accounts, reconciled, explained });
}

/** Returns the API view of a settlement after a change in the same transaction. */
export async function readSettlementSummary(core: Core, db: Db, merchantId: string, id: string): Promise<object> {
  const found = await readSettlement(db, merchantId, id);
  return viewFound(db, found, await findAccounts(core, [found.settlement]));
}

const findOwn = prepared((tables, { merchantId, id }: { merchantId: string; id: string }) =>
  tables.selectFrom('settlements').selectAll().where('id', '=', id).where('merchantId', '=', merchantId),
);

const findCredits = prepared((tables, { id }: { id: string }) =>
  tables.selectFrom('settlement_credits').selectAll().where('settlementId', '=', id).orderBy('createdAt').orderBy('id'),
);

/** Sums a settlement again: an open period grows, and late money may just have changed a closed one. */
export async function sumNow(db: Db, settlement: Settlement): Promise<Settlement> {
  const { lastAt: _, recordedAt: __, ...sums } = await sumSettlement(db, settlement);
  return { ...settlement, ...sums };
}
