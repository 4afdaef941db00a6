// POST /api/settlements/{settlementId}/credits/{creditId}/reversal: takes back a wrong credit or fee.
import type { Insertable } from 'kysely';
import { v7 as uuid } from 'uuid';
import { toMajor } from '../../shared/money.ts';
import { actorOf, recordAudit, type Actor } from '../audit/record.ts';
import type { Core } from '../core.ts';
import { prepared, type Db, type Tables } from '../database/db.ts';
import { uuidText } from '../http/fields.ts';
import { runKeyed } from '../http/idempotency.ts';
import { Problem } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { lockCredits } from './credits.ts';
import { lockOwn, saveSums, sumSettlement } from './close.ts';
import { bySettlement, settlementSummary } from './settlement-schemas.ts';
import { readSettlementSummary } from './settlements.ts';

const byEntry = bySettlement.extend({
  creditId: uuidText.describe('`id` of an entry in `credits` or `bankFeeEntries`'),
});

export function reversalRoute(core: Core): Route {
  return route({
    method: 'POST',
    path: '/api/settlements/{settlementId}/credits/{creditId}/reversal',
    operationId: 'reverseCredit',
    tag: 'Books',
    summary: 'Take back a wrong credit or fee',
    description:
      'Adds an entry with the opposite amount. The two name each other by `reverses` and `reversedBy`. ' +
      'The line of a bank’s file can be entered again afterwards, for example in another settlement.',
    access: { kind: 'bearer', scope: 'books:write' },
    bucket: 'write',
    params: byEntry,
    idempotent: true,
    refusals: { 409: 'credit_not_reversible' },
    answers: { 201: { description: 'The changed settlement', schema: settlementSummary } },
    run: ({ caller, params, keyed, address }) =>
      runKeyed(core, { merchantId: caller.merchantId, keyed }, async (db) => {
        const { settlementId: id, creditId } = params;
        const target = { merchantId: caller.merchantId, id, creditId, actor: actorOf(caller, address) };
        return { status: 201, body: await reverse(core, db, target) };
      }),
  });
}

type Target = { merchantId: string; id: string; creditId: string; actor: Actor };

/** Reverses one entry of a settlement. @throws Problem not_found, credit_not_reversible */
async function reverse(core: Core, db: Db, target: Target): Promise<object> {
  const { merchantId, id, creditId, actor } = target;
  await lockCredits(db, merchantId);
  const settlement = await lockOwn(db, target);
  const entry = await findEntry.first(db, { id, creditId });
  if (!entry) throw new Problem('not_found');
  if (entry.reversesId || entry.reversalId) throw new Problem('credit_not_reversible');
  const at = core.clock.now();
  const { kind, amountMinor, currency, date, bankReference, fileHash } = entry;
  const by = { enteredByKind: actor.kind as 'user' | 'client', enteredById: actor.id, createdAt: at };
  const copied = { merchantId, settlementId: id, kind, currency, date, bankReference, fileHash };
  await insertReversal.run(db, {
    row: { id: uuid(), ...copied, amountMinor: -amountMinor, reversesId: creditId, ...by },
  });
  if (entry.lineHash) await freeLine(db, { merchantId, lineHash: entry.lineHash });
  await saveSums(db, settlement, await sumSettlement(db, settlement), at);
  const changes = { entry: kind, amount: toMajor(amountMinor, currency), currency, date };
  await recordAudit(db, { merchantId, actor, action: 'settlement.entry_reversed', target: id, changes, at });
  return readSettlementSummary(core, db, merchantId, id);
}

const findEntry = prepared((tables, { id, creditId }: Pick<Target, 'id' | 'creditId'>) =>
  tables
    .selectFrom('settlement_credits as c')
    .leftJoin('settlement_credits as r', 'r.reversesId', 'c.id')
    .selectAll('c')
    .select('r.id as reversalId')
    .where('c.id', '=', creditId)
    .where('c.settlementId', '=', id),
);

const insertReversal = prepared((tables, { row }: { row: Insertable<Tables['settlement_credits']> }) =>
  tables.insertInto('settlement_credits').values(row),
);

type Line = { merchantId: string; lineHash: string };

/**
 * Forgets the line of a bank's file, so that its money can be entered in the right settlement.
 * A line that paid several settlements stays known until each of its credits is taken back.
 */
async function freeLine(db: Db, { merchantId, lineHash }: Line): Promise<void> {
  const [line = lineHash] = lineHash.split('/');
  const credits = await listOfLine.all(db, { merchantId, lineHash: line });
  if (credits.every(({ reversalId }) => reversalId))
    for (const { id } of credits) await clearLine.run(db, { creditId: id });
}

/** The credits of a line. The second and later credits have a number behind the hash. */
const listOfLine = prepared((tables, { merchantId, lineHash }: Line) =>
  tables
    .selectFrom('settlement_credits as c')
    .leftJoin('settlement_credits as r', 'r.reversesId', 'c.id')
    .select(['c.id', 'r.id as reversalId'])
    .where('c.merchantId', '=', merchantId)
    .where((eb) => eb(eb.fn('split_part', ['c.lineHash', eb.val('/'), eb.val(1)]), '=', lineHash)),
);

const clearLine = prepared((tables, { creditId }: Pick<Target, 'creditId'>) =>
  tables.updateTable('settlement_credits').set({ lineHash: null }).where('id', '=', creditId),
);
