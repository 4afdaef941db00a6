// POST and DELETE /api/settlements/{settlementId}/explanation: a person explains a difference and sets it aside.
import type { Insertable } from 'kysely';
import { z } from 'zod';
import { EXPLANATION_REASONS } from '../../shared/books.ts';
import { toMajor } from '../../shared/money.ts';
import { actorOf, recordAudit, type Actor } from '../audit/record.ts';
import type { Core } from '../core.ts';
import { prepared, type Db, type Tables } from '../database/db.ts';
import { singleLine } from '../http/fields.ts';
import { runKeyed } from '../http/idempotency.ts';
import { Problem, type Fault } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { readSignedMinor, signedAmount } from './amount.ts';
import { differenceOf, findExplanation, lockOwn, saveSums, sumSettlement } from './close.ts';
import { bySettlement, settlementSummary } from './settlement-schemas.ts';
import { readSettlementSummary } from './settlements.ts';

const explanationRequest = z.object({
  reason: z
    .enum(EXPLANATION_REASONS)
    .describe(
      '`next_period`: the bank credits it with another period. `refund`: only one side counts a refund. ' +
        '`rail`, `bank`: the rail or the bank corrects it. A bank’s fee is no reason: enter it with the kind `fee`',
    ),
  note: singleLine(500).nullish().describe('Required for the reason `other`'),
  difference: signedAmount('The difference that the person saw. Another current difference is refused'),
});

type ExplanationRequest = z.output<typeof explanationRequest>;

/** Checks that the reason `other` has a note. */
function checkNote(input: unknown): Fault[] {
  const { reason, note } = (input ?? {}) as Record<string, unknown>;
  return reason === 'other' && note == null ? [{ pointer: '/note', code: 'required' }] : [];
}

const about = {
  path: '/api/settlements/{settlementId}/explanation',
  tag: 'Books',
  access: { kind: 'bearer', scope: 'books:write' },
  bucket: 'write',
  params: bySettlement,
  idempotent: true,
} as const;

export function explanationRoutes(core: Core): Route[] {
  return [declareExplain(core), declareWithdraw(core)];
}

function declareExplain(core: Core): Route {
  return route({
    ...about,
    method: 'POST',
    operationId: 'explainDifference',
    summary: 'Explain a difference and set it aside',
    description:
      'The status becomes `explained`, and the difference needs no person any more. The explanation holds for ' +
      'exactly this difference: a later entry or movement that changes it makes the settlement `differs` again.',
    body: explanationRequest,
    checkBody: checkNote,
    example: { reason: 'next_period', note: 'Creditado com o dia 25', difference: -500 },
    refusals: { 409: 'no_difference; difference_changed' },
    answers: { 200: { description: 'The changed settlement', schema: settlementSummary } },
    run: ({ caller, params, body, keyed, address }) =>
      runKeyed(core, { merchantId: caller.merchantId, keyed }, async (db) => {
        const target = { merchantId: caller.merchantId, id: params.settlementId, actor: actorOf(caller, address) };
        return { status: 200, body: await explain(core, db, target, body) };
      }),
  });
}

function declareWithdraw(core: Core): Route {
  return route({
    ...about,
    method: 'DELETE',
    operationId: 'withdrawExplanation',
    summary: 'Take back the explanation of a difference',
    description: 'The settlement `differs` again. Repeating the request changes nothing.',
    answers: { 204: { description: 'No explanation is left' } },
    run: ({ caller, params, keyed, address }) =>
      runKeyed(core, { merchantId: caller.merchantId, keyed }, async (db) => {
        await withdraw(core, db, {
          merchantId: caller.merchantId,
          id: params.settlementId,
          actor: actorOf(caller, address),
        });
        return { status: 204 };
      }),
  });
}

type Target = { merchantId: string; id: string; actor: Actor };

/** Explains the current difference. @throws Problem not_found, no_difference, difference_changed */
async function explain(core: Core, db: Db, target: Target, request: ExplanationRequest): Promise<object> {
  const { merchantId, id, actor } = target;
  const settlement = await lockOwn(db, target);
  if (!settlement.closedAt) throw new Problem('no_difference');
  const at = core.clock.now();
  // The stored status may be older than the last movement.
  const sums = await sumSettlement(db, settlement);
  if ((await saveSums(db, settlement, sums, at)) !== 'differs') throw new Problem('no_difference');
  const { currency } = settlement;
  const differenceMinor = differenceOf({ ...settlement, ...sums });
  if (request.difference != null && readSignedMinor(request.difference, currency) !== differenceMinor)
    throw new Problem('difference_changed');
  const { reason, note = null } = request;
  const by = { explainedByKind: actor.kind as 'user' | 'client', explainedById: actor.id, createdAt: at };
  await keepExplanation.run(db, { row: { id, merchantId, differenceMinor, reason, note, ...by } });
  await saveSums(db, settlement, sums, at);
  const changes = { explanation: reason, difference: toMajor(differenceMinor, currency), currency, note };
  await recordAudit(db, { merchantId, actor, action: 'settlement.explained', target: id, changes, at });
  return readSettlementSummary(core, db, merchantId, id);
}

const keepExplanation = prepared((tables, { row }: { row: Insertable<Tables['settlement_explanations']> }) => {
  const { id: _, ...changed } = row;
  return tables
    .insertInto('settlement_explanations')
    .values(row)
    .onConflict((on) => on.column('id').doUpdateSet(changed));
});

/** Removes the explanation of a settlement. @throws Problem not_found */
async function withdraw(core: Core, db: Db, target: Target): Promise<void> {
  const { merchantId, id, actor } = target;
  const settlement = await lockOwn(db, target);
  const explained = await findExplanation.first(db, { id });
  if (!explained) return;
  const at = core.clock.now();
  await removeExplanation.run(db, { id });
  await saveSums(db, settlement, await sumSettlement(db, settlement), at);
  const { currency } = settlement;
  const { reason, differenceMinor } = explained;
  const changes = { explanation: reason, difference: toMajor(differenceMinor, currency), currency };
  await recordAudit(db, { merchantId, actor, action: 'settlement.explanation_withdrawn', target: id, changes, at });
}

const removeExplanation = prepared((tables, { id }: { id: string }) =>
  tables.deleteFrom('settlement_explanations').where('id', '=', id),
);
