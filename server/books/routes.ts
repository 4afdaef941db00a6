// The routes of the books: the movements of a merchant's money, and its settlements.
import type { Core } from '../core.ts';
import { cutPage } from '../http/cursor.ts';
import { route, type Route } from '../http/route.ts';
import { creditRoutes } from './credits.ts';
import { dayRoutes } from './days.ts';
import { explanationRoutes } from './explanations.ts';
import { MOVEMENT_COLUMNS, readMovements } from './files.ts';
import { statementRoute } from './import-statement.ts';
import { listMovements, positionOf } from './movements.ts';
import { reversalRoute } from './reversal.ts';
import { settlementRoutes } from './settlements.ts';
import { summaryRoute } from './summary.ts';
import { findAccounts, movementPage, movementQuery, viewMovement } from './schemas.ts';

/** Returns all routes of the books. */
export function bookRoutes(core: Core): Route[] {
  return [
    summaryRoute(core),
    declareMovements(core),
    ...dayRoutes(core),
    ...settlementRoutes(core),
    ...creditRoutes(core),
    reversalRoute(core),
    ...explanationRoutes(core),
    statementRoute(core),
  ];
}

function declareMovements(core: Core): Route {
  return route({
    method: 'GET',
    path: '/api/transactions',
    operationId: 'listTransactions',
    tag: 'Books',
    summary: 'Every movement of money, newest first',
    description:
      'Received money (`payment`, `capture`, `scan`, `reference`) and returned money ' +
      '(`refund`, or `manual` by hand), each once. `next` leads to the next page.',
    access: { kind: 'bearer', scope: 'payments:read' },
    bucket: 'read',
    query: movementQuery,
    answers: { 200: { description: 'A page', schema: movementPage } },
    csv: {
      name: { pt: 'movimentos', en: 'movements', fr: 'mouvements' },
      columns: MOVEMENT_COLUMNS,
      rows: ({ caller: { merchantId }, query: { account: rail, after: _after, limit: _limit, ...filter } }) =>
        readMovements(core, { ...filter, rail, merchantId }),
    },
    async run({ caller, query }) {
      const { account: rail, after, limit, ...filter } = query;
      const filters = { ...filter, rail, merchantId: caller.merchantId };
      const found = await listMovements(core, filters, { after, limit });
      const { rows, next } = cutPage(found, limit, positionOf);
      const accounts = await findAccounts(core, rows);
      return { status: 200, body: { data: rows.map((each) => viewMovement(each, accounts)), next } };
    },
  });
}
