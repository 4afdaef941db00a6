// Retention of tables too large to be searched each night. Payments and messages stay without their person. Finished deliveries, messages
// of rails and notifications are deleted. Each small step commits with its progress, and one of several nodes runs a rule at a time.
import { sql } from 'kysely';
import type { Core } from '../core.ts';
import { isAny, prepared, type Db } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { endOfKeeping, type EraseOld } from '../jobs/daily.ts';
import { DAY_MS } from '../jobs/schedule.ts';
import { ERASED, forgetMessages, forgetPayments } from './forget.ts';
import type { RetentionSetting } from './register.ts';

/** Rows of one step. Other transactions wait for them only for a moment. */
const STEP = 500;

/** A message may be scheduled so far ahead (`sms/sending-schemas.ts`). A second rule finds messages made so long before their time. */
const MOST_AHEAD_MS = 366 * DAY_MS;

/** Rows behind `after`, at most so many: made before `madeBefore`, and of messages sent before `sentBefore`. */
type Span = { after: string; madeBefore: Date; sentBefore: Date; limit: number };

type Row = { key: string };
type Keys = { keys: string[] };

type Rule = {
  name: string;
  table: string;
  kept: RetentionSetting;
  /** The first value of `after`. */
  first: string;
  /** Rows of this rule are so much older than the term. */
  laterMs?: number;
  /** A rule that leaves unfinished rows goes over them again each night. */
  isNightly?: boolean;
  /** In order of their keys. */
  list(db: Db, span: Span): Promise<Row[]>;
  erase(db: Db, keys: string[], madeBefore: Date): Promise<void>;
};

/** No row that was made before has it or a greater one: version 7 begins with its milliseconds. */
function firstIdOf(moment: Date) {
  return sql<string>`(lpad(to_hex((extract(epoch from ${moment}::timestamptz) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid`;
}

const listPayments = prepared((tables, { after, madeBefore, limit }: Span) =>
  tables
    .selectFrom('payments')
    .select('id as key')
    .where('id', '>', sql<string>`${after}::uuid`)
    .where('id', '<', firstIdOf(madeBefore))
    .where('createdAt', '<', madeBefore)
    .orderBy('id')
    .limit(limit)
    .forNoKeyUpdate(),
);

/** Leaves messages under way. A withdrawn message was never listed; the second rule finds it. */
const listMessages = prepared((tables, { after, madeBefore, sentBefore, limit }: Span) =>
  tables
    .selectFrom('sms_messages')
    .select('id as key')
    .where('id', '>', sql<string>`${after}::uuid`)
    .where('id', '<', firstIdOf(madeBefore))
    .where('dueAt', 'is', null)
    .where((eb) => eb.or([eb('listedAt', '<', sentBefore), eb(sql`${madeBefore}::timestamptz`, '<', sentBefore)]))
    .orderBy('id')
    .limit(limit)
    .forNoKeyUpdate(),
);

const listBatches = prepared((tables, { after, madeBefore, sentBefore, limit }: Span) =>
  tables
    .selectFrom('sms_batches')
    .select('id as key')
    .where('id', '>', sql<string>`${after}::uuid`)
    .where('id', '<', firstIdOf(madeBefore))
    .where('dueAt', 'is', null)
    .where((eb) => eb(eb.fn.coalesce('runAt', 'createdAt'), '<', sentBefore))
    .orderBy('id')
    .limit(limit)
    .forNoKeyUpdate(),
);

const eraseContents = prepared((tables, { keys }: Keys) =>
  tables
    .updateTable('sms_batches')
    .set({ content: ERASED })
    .where('id', ...isAny(keys)),
);

/** Of the next serial numbers those before the first that is too young: nothing behind it is read. */
async function untilYoung(rows: Promise<(Row & { createdAt: Date })[]>, { madeBefore }: Span): Promise<Row[]> {
  const read = await rows;
  const young = read.findIndex(({ createdAt }) => createdAt >= madeBefore);
  return young === -1 ? read : read.slice(0, young);
}

const nextDeliveries = prepared((tables, { after, limit }: Span) =>
  tables
    .selectFrom('deliveries')
    .select([sql<string>`seq::text`.as('key'), 'createdAt'])
    .where('seq', '>', sql<number>`${after}::bigint`)
    .orderBy('seq')
    .limit(limit),
);

/** Skips deliveries that a replay has locked. A step never waits for a lock, so it is never part of a deadlock. */
const lockDeliveries = prepared((tables, { after, limit }: Span) =>
  tables
    .selectFrom('deliveries')
    .select([sql<string>`seq::text`.as('key'), 'createdAt'])
    .where('seq', '>', sql<number>`${after}::bigint`)
    .orderBy('seq')
    .limit(limit)
    .forUpdate()
    .skipLocked(),
);

/** A finished delivery has no next attempt, and none under way. */
const deleteFinished = prepared((tables, { keys, madeBefore }: Keys & { madeBefore: Date }) =>
  tables
    .with('deleted', (cte) =>
      cte
        .deleteFrom('deliveries')
        .where('seq', '=', sql<number>`any(${keys}::bigint[])`)
        .where('dueAt', 'is', null)
        .where((eb) => eb.or([eb('leasedUntil', 'is', null), eb('leasedUntil', '<', madeBefore)]))
        .returning('id'),
    )
    .deleteFrom('delivery_attempts')
    .where('deliveryId', 'in', (eb) => eb.selectFrom('deleted').select('id')),
);

const nextNotifications = prepared((tables, { after, limit }: Span) =>
  tables
    .selectFrom('notifications')
    .select([sql<string>`seq::text`.as('key'), 'createdAt'])
    .where('seq', '>', sql<number>`${after}::bigint`)
    .orderBy('seq')
    .limit(limit),
);

const deleteNotifications = prepared((tables, { keys }: Keys) =>
  tables.deleteFrom('notifications').where('seq', '=', sql<number>`any(${keys}::bigint[])`),
);

const listTold = prepared((tables, { after, madeBefore, limit }: Span) =>
  tables
    .selectFrom('inbox')
    .select('id as key')
    .where('id', '>', sql<string>`${after}::uuid`)
    .where('id', '<', firstIdOf(madeBefore))
    .orderBy('id')
    .limit(limit),
);

/** Money that nobody could be given stays told in the rail's words. */
const deleteTold = prepared((tables, { keys }: Keys) =>
  tables
    .deleteFrom('inbox')
    .where('id', ...isAny(keys))
    .where('outcome', '=', 'applied')
    .where('dueAt', 'is', null),
);

const eraseAnswers = prepared((tables, { keys }: Keys) =>
  tables
    .updateTable('delivery_attempts')
    .set({ answer: null })
    .where('answer', 'is not', null)
    .where('deliveryId', 'in', (eb) =>
      eb
        .selectFrom('deliveries')
        .select('id')
        .where('seq', '=', sql<number>`any(${keys}::bigint[])`),
    ),
);

const NIL = '00000000-0000-0000-0000-000000000000';

const MESSAGES = {
  table: 'sms_messages',
  kept: 'RETENTION_SMS_DAYS',
  first: NIL,
  list: listMessages.all,
  erase: forgetMessages,
} as const;
const BATCHES: Omit<Rule, 'name'> = {
  table: 'sms_batches',
  kept: 'RETENTION_SMS_DAYS',
  first: NIL,
  list: listBatches.all,
  erase: async (db, keys) => void (await eraseContents.run(db, { keys })),
};

const RULES: Rule[] = [
  {
    name: 'payments',
    table: 'payments',
    kept: 'RETENTION_PAYERS_DAYS',
    first: NIL,
    list: listPayments.all,
    erase: forgetPayments,
  },
  { name: 'sms_messages', ...MESSAGES },
  { name: 'sms_messages_scheduled', ...MESSAGES, laterMs: MOST_AHEAD_MS },
  { name: 'sms_batches', ...BATCHES },
  { name: 'sms_batches_scheduled', ...BATCHES, laterMs: MOST_AHEAD_MS },
  {
    name: 'delivery_attempts',
    table: 'delivery_attempts',
    kept: 'RETENTION_ANSWERS_DAYS',
    first: '0',
    list: (db, span) => untilYoung(nextDeliveries.all(db, span), span),
    erase: async (db, keys) => void (await eraseAnswers.run(db, { keys })),
  },
  {
    name: 'deliveries',
    table: 'deliveries',
    kept: 'RETENTION_DELIVERIES_DAYS',
    first: '0',
    isNightly: true,
    list: (db, span) => untilYoung(lockDeliveries.all(db, span), span),
    erase: async (db, keys, madeBefore) => void (await deleteFinished.run(db, { keys, madeBefore })),
  },
  {
    name: 'notifications',
    table: 'notifications',
    kept: 'RETENTION_NOTIFICATIONS_DAYS',
    first: '0',
    list: (db, span) => untilYoung(nextNotifications.all(db, span), span),
    erase: async (db, keys) => void (await deleteNotifications.run(db, { keys })),
  },
  {
    name: 'inbox',
    table: 'inbox',
    kept: 'RETENTION_RAIL_MESSAGES_DAYS',
    first: NIL,
    list: listTold.all,
    erase: async (db, keys) => void (await deleteTold.run(db, { keys })),
  },
];

/** The rules, as the nightly cleaning runs them: a step at a time. */
export function erasedNightly(core: Core): EraseOld[] {
  return RULES.map((rule) => ({ table: rule.table, run: () => runStep(core, rule) }));
}

/** One step: erases or deletes rows, and moves the mark. Null: none are left, or another node runs the rule. */
async function runStep(
  core: Core,
  { name, kept, first, laterMs = 0, isNightly = false, list, erase }: Rule,
): Promise<number | null> {
  await beginMark.run(core, { name, after: first });
  return inTransaction(core, async (db) => {
    const mark = await takeMark.first(db, { name });
    if (!mark) return null;
    const sentBefore = endOfKeeping(core, kept);
    const madeBefore = new Date(sentBefore.getTime() - laterMs);
    const keys = (await list(db, { after: mark.after, madeBefore, sentBefore, limit: STEP })).map(({ key }) => key);
    const last = keys.at(-1);
    if (last === undefined) {
      if (isNightly) await moveMark.run(db, { name, after: first });
      return null;
    }
    await erase(db, keys, madeBefore);
    await moveMark.run(db, { name, after: last });
    return keys.length;
  });
}

type Mark = { name: string; after: string };

const beginMark = prepared((tables, { name, after }: Mark) =>
  tables
    .insertInto('retention_marks')
    .values({ name, after })
    .onConflict((known) => known.doNothing()),
);

const takeMark = prepared((tables, { name }: Pick<Mark, 'name'>) =>
  tables.selectFrom('retention_marks').select('after').where('name', '=', name).forUpdate().skipLocked(),
);

const moveMark = prepared((tables, { name, after }: Mark) =>
  tables.updateTable('retention_marks').set({ after }).where('name', '=', name),
);
