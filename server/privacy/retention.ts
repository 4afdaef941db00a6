// Nightly retention of tables too large to search each night. Payments and messages stay, without their person.
// Old finished deliveries, rail notifications and merchants' notifications are deleted.
// Each step of a retention rule commits with its progress. A rule runs on one node at a time.
import { LockMode } from '@mikro-orm/postgresql';
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { Core } from '../core.ts';
import { em, isAny, prepared, type Db, type Tables } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { retentionCutoff, type EraseOld } from '../jobs/daily.ts';
import { RetentionMark } from './entities.ts';
import { ERASED, forgetMessages, forgetPayments } from './forget.ts';
import { untypedTables } from './walks.ts';
import type { RetentionSetting } from './register.ts';
import { DAY_MS } from '../../shared/durations.ts';

/** Maximum rows of one retention step, so that other transactions hardly wait for its locks. */
const STEP = 500;

/** Maximum time ahead of a scheduled SMS (`sms/sending-schemas.ts`). A second rule finds rows that much older. */
const MAX_AHEAD_MS = 366 * DAY_MS;

/** Rows of a retention step: after the key `after`, created before `madeBefore`, SMS also sent before `sentBefore`. */
type Span = { after: string; madeBefore: Date; sentBefore: Date };

/** Keys of the rows in one retention step. */
type Step = { keys: string[]; madeBefore: Date };

type Rule = {
  name: string;
  table: keyof Tables & string;
  kept: RetentionSetting;
  /** `first`: the initial value of the rule's progress mark `after`. */
  first: string;
  /** `laterMs`: extra age of this rule's rows, in addition to the retention period. */
  laterMs?: number;
  /** `isNightly`: true for a rule that leaves unfinished rows, and therefore starts again each night. */
  isNightly?: boolean;
  /** Returns the keys of old rows, in the order of the keys. */
  list(db: Db, span: Span): Promise<string[]>;
  erase(db: Db, step: Step): Promise<unknown>;
};

const NIL = '00000000-0000-0000-0000-000000000000';

/** Returns the smallest version 7 UUID of a moment. Such ids begin with the time in milliseconds. */
const firstIdOf = (moment: Date) =>
  sql`(lpad(to_hex((extract(epoch from ${moment}::timestamptz) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid`;

/** Creates a rule's list of rows by version 7 UUID. */
function byId(
  table: Rule['table'],
  isOver: (span: Span) => RawBuilder<SqlBool>,
): Pick<Rule, 'table' | 'first' | 'list'> {
  const next = prepared((tables, span: Span) =>
    untypedTables(tables)
      .selectFrom(table)
      .select('id as key')
      .where('id', '>', sql`${span.after}::uuid`)
      .where('id', '<', firstIdOf(span.madeBefore))
      .where(isOver(span))
      .orderBy('id')
      .limit(STEP)
      .forNoKeyUpdate(),
  );
  return { table, first: NIL, list: async (db, span) => (await next.all(db, span)).map(({ key }) => String(key)) };
}

/** Creates a rule's list of rows by serial number, up to the first row that is too young. */
function bySeq(table: Rule['table']): Pick<Rule, 'table' | 'first' | 'list'> {
  const next = prepared((tables, { after, madeBefore }: Pick<Span, 'after' | 'madeBefore'>) =>
    untypedTables(tables)
      .selectFrom(table)
      .select([sql<string>`seq::text`.as('key'), sql<boolean>`created_at >= ${madeBefore}::timestamptz`.as('isYoung')])
      .where('seq', '>', sql`${after}::bigint`)
      .orderBy('seq')
      .limit(STEP),
  );
  const list: Rule['list'] = async (db, span) => {
    const rows = await next.all(db, span);
    const young = rows.findIndex(({ isYoung }) => isYoung);
    return rows.slice(0, young === -1 ? rows.length : young).map(({ key }) => key);
  };
  return { table, first: '0', list };
}

const isAmong = (keys: string[]) => sql<SqlBool>`seq = any(${keys}::bigint[])`;

/**
 * Deletes deliveries without a next attempt and without a running one.
 * The deletion skips rows that a replay has locked, so that it neither waits nor deadlocks.
 * The deletion locks no younger rows, because the delivery queue would skip locked rows.
 */
const deleteFinished = prepared((tables, { keys, madeBefore }: Step) =>
  tables
    .with('deleted', (cte) =>
      cte
        .deleteFrom('deliveries')
        .where('seq', 'in', (eb) =>
          eb.selectFrom('deliveries').select('seq').where(isAmong(keys)).orderBy('seq').forUpdate().skipLocked(),
        )
        .where('dueAt', 'is', null)
        .where((eb) => eb.or([eb('leasedUntil', 'is', null), eb('leasedUntil', '<', madeBefore)]))
        .returning('id'),
    )
    .deleteFrom('delivery_attempts')
    .where('deliveryId', 'in', (eb) => eb.selectFrom('deleted').select('id')),
);

const eraseAnswers = prepared((tables, { keys }: Pick<Step, 'keys'>) =>
  tables
    .updateTable('delivery_attempts')
    .set({ answer: null })
    .where('answer', 'is not', null)
    .where('deliveryId', 'in', (eb) => eb.selectFrom('deliveries').select('id').where(isAmong(keys))),
);

const eraseContents = prepared((tables, { keys }: Pick<Step, 'keys'>) =>
  tables
    .updateTable('sms_batches')
    .set({ content: ERASED })
    .where('id', ...isAny(keys)),
);

const deleteNotifications = prepared((tables, { keys }: Pick<Step, 'keys'>) =>
  tables.deleteFrom('notifications').where(isAmong(keys)),
);

/** Deletes old rail notifications. A notification about money of no known payment stays unchanged. */
const deleteRailNotifications = prepared((tables, { keys }: Pick<Step, 'keys'>) =>
  tables
    .deleteFrom('inbox')
    .where('id', ...isAny(keys))
    .where('outcome', '=', 'applied')
    .where('dueAt', 'is', null),
);

/** Old messages, except those being sent. A withdrawn message has no `listedAt`, so only the second rule finds it. */
const MESSAGES: Omit<Rule, 'name'> = {
  ...byId(
    'sms_messages',
    ({ madeBefore, sentBefore }) =>
      sql`due_at is null and (listed_at < ${sentBefore} or ${madeBefore}::timestamptz < ${sentBefore})`,
  ),
  kept: 'RETENTION_SMS_DAYS',
  erase: (db, { keys }) => forgetMessages(db, keys),
};

const BATCHES: Omit<Rule, 'name'> = {
  ...byId('sms_batches', ({ sentBefore }) => sql`due_at is null and coalesce(run_at, created_at) < ${sentBefore}`),
  kept: 'RETENTION_SMS_DAYS',
  erase: eraseContents.run,
};

const RULES: Rule[] = [
  {
    name: 'payments',
    ...byId('payments', ({ madeBefore }) => sql`created_at < ${madeBefore}`),
    kept: 'RETENTION_PAYERS_DAYS',
    erase: (db, { keys }) => forgetPayments(db, keys),
  },
  { name: 'sms_messages', ...MESSAGES },
  { name: 'sms_messages_scheduled', ...MESSAGES, laterMs: MAX_AHEAD_MS },
  { name: 'sms_batches', ...BATCHES },
  { name: 'sms_batches_scheduled', ...BATCHES, laterMs: MAX_AHEAD_MS },
  {
    name: 'delivery_attempts',
    ...bySeq('deliveries'),
    table: 'delivery_attempts',
    kept: 'RETENTION_ANSWERS_DAYS',
    erase: eraseAnswers.run,
  },
  {
    name: 'deliveries',
    ...bySeq('deliveries'),
    kept: 'RETENTION_DELIVERIES_DAYS',
    isNightly: true,
    erase: deleteFinished.run,
  },
  {
    name: 'notifications',
    ...bySeq('notifications'),
    kept: 'RETENTION_NOTIFICATIONS_DAYS',
    erase: deleteNotifications.run,
  },
  {
    name: 'inbox',
    ...byId('inbox', () => sql`true`),
    kept: 'RETENTION_RAIL_MESSAGES_DAYS',
    erase: deleteRailNotifications.run,
  },
];

/** Returns the retention rules as jobs of the nightly cleaning, which runs the jobs step by step. */
export function nightlyErasures(core: Core): EraseOld[] {
  return RULES.map((rule) => ({ table: rule.table, run: () => runStep(core, rule) }));
}

/** Runs one step of a rule and saves the progress. Null if no rows are left, or if another node runs the rule. */
async function runStep(
  core: Core,
  { name, kept, first, laterMs = 0, isNightly = false, list, erase }: Rule,
): Promise<number | null> {
  await beginMark.run(core, { name, after: first });
  return inTransaction(core, async (db) => {
    const lock = { lockMode: LockMode.PESSIMISTIC_PARTIAL_WRITE } as const;
    const mark = await em(db).findOne(RetentionMark, { name }, lock);
    if (!mark) return null;
    const sentBefore = retentionCutoff(core, kept);
    const madeBefore = new Date(sentBefore.getTime() - laterMs);
    const keys = await list(db, { after: mark.after, madeBefore, sentBefore });
    const last = keys.at(-1);
    if (last === undefined) {
      if (isNightly) await em(db).nativeUpdate(RetentionMark, { name }, { after: first });
      return null;
    }
    await erase(db, { keys, madeBefore });
    await em(db).nativeUpdate(RetentionMark, { name }, { after: last });
    return keys.length;
  });
}

const beginMark = prepared((tables, { name, after }: Pick<RetentionMark, 'name' | 'after'>) =>
  tables
    .insertInto('retention_marks')
    .values({ name, after })
    .onConflict((known) => known.doNothing()),
);
