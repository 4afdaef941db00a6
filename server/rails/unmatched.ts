// Rail transactions without a payment of ours. The inbox stores them for manual review until their payment is found.
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { Core } from '../core.ts';
import { prepared } from '../database/db.ts';

const unmatchedId = (providerRef: string) => `unmatched ${providerRef}`;

type ListedMoney = { providerRef: string; ownId: string | null };

/** Stores a transaction for manual review, once, unless the inbox already has its notification. */
export async function keepUnmatched(
  core: Core,
  rail: string,
  money: ListedMoney & Record<string, unknown>,
): Promise<void> {
  const { providerRef } = money;
  const kept = { id: uuid(), rail, notificationId: unmatchedId(providerRef), body: JSON.stringify(money) };
  await insertUnmatched.run(core, { ...kept, providerRef, at: core.clock.now() });
}

function hasNoNotification(rail: string, providerRef: string) {
  // A hint with the transaction's id does not count as its notification, since anyone can send hints.
  return sql<boolean>`not exists (select from inbox i where i.rail = ${rail} and i.is_proven
    and i.outcome in ('unmatched', 'unknown_reference') and strpos(i.body, ${providerRef}) > 0)`;
}

type Unmatched = { id: string; rail: string; notificationId: string; body: string; providerRef: string; at: Date };

const insertUnmatched = prepared((tables, { id, rail, notificationId, body, providerRef, at }: Unmatched) =>
  tables
    .insertInto('inbox')
    .columns(['id', 'rail', 'notificationId', 'body', 'receivedAt', 'appliedAt', 'outcome'])
    .expression(
      tables
        .selectNoFrom([
          sql<string>`${id}::uuid`.as('id'),
          sql<string>`${rail}::text`.as('rail'),
          sql<string>`${notificationId}::text`.as('name'),
          sql<string>`${body}::text`.as('body'),
          sql<Date>`${at}::timestamptz`.as('receivedAt'),
          sql<Date>`${at}::timestamptz`.as('appliedAt'),
          sql<string>`'unmatched'`.as('outcome'),
        ])
        .where(hasNoNotification(rail, providerRef)),
    )
    .onConflict((on) => on.columns(['rail', 'notificationId']).doNothing()),
);

/** Closes a transaction in manual review once it has a payment, and applies its earlier messages again. */
export async function settleUnmatched(core: Core, rail: string, { providerRef, ownId }: ListedMoney): Promise<void> {
  const at = core.clock.now();
  await closeUnmatched.run(core, { rail, notificationId: unmatchedId(providerRef) });
  if (ownId && (await applyAgain.run(core, { rail, ownId, at })) > 0) core.jobs.wake('inbox');
}

const closeUnmatched = prepared((tables, { rail, notificationId }: { rail: string; notificationId: string }) =>
  tables
    .updateTable('inbox')
    .set({ outcome: 'applied' })
    .where('rail', '=', rail)
    .where('notificationId', '=', notificationId),
);

const applyAgain = prepared((tables, { rail, ownId, at }: { rail: string; ownId: string; at: Date }) =>
  tables
    .updateTable('inbox')
    .set({ outcome: null, appliedAt: null, dueAt: at })
    .where('rail', '=', rail)
    .where('outcome', '=', 'unmatched')
    .where(sql<boolean>`strpos(body, ${ownId}) > 0`),
);
