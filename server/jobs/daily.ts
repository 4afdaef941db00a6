// Housekeeping once a day: what is kept for a time only is deleted in small steps.
import { sql, type Expression, type ExpressionBuilder, type Kysely, type SqlBool } from 'kysely';
import { prepared, type Prepared, type Tables } from '../database/db.ts';
import type { Config } from '../config.ts';
import { counts } from '../metrics/counts.ts';
import type { Host } from './engine.ts';
import { DAY_MS } from '../../shared/durations.ts';

const BATCH = 5_000;

type Rule<T extends keyof Tables> = {
  key: (keyof Tables[T] & string)[];
  moment: keyof Tables[T] & string;
  kept: Kept;
  also?: (eb: ExpressionBuilder<Tables, T>) => Expression<SqlBool>;
};

/** Days, by a setting or for good. */
type Kept = number | Extract<keyof Config, `RETENTION_${string}`>;

type RetentionRule = { table: string; kept: Kept; deleteOld: Prepared<{ before: Date }, unknown> };

/** What is deleted, a batch at a time: rows of a table whose moment lies so far back, where `also` is true of them. */
function keep<T extends keyof Tables>(table: T, rule: Rule<T>): RetentionRule {
  // Its names are held against the table's by the rule's type; beyond that, it may be any table.
  const [name, key]: [string, string[]] = [table, rule.key];
  const keys = sql.join(key.map((column) => sql.ref(column)));
  const deleteOld = prepared((tables, { before }: { before: Date }) => {
    const isOld = (eb: AnyRow) => {
      const also = rule.also?.(eb as unknown as ExpressionBuilder<Tables, T>);
      return eb.and([sql<boolean>`${sql.ref(rule.moment)} < ${before}`, ...(also ? [also] : [])]);
    };
    // Said twice: of a row that is renewed meanwhile only the outer condition is looked at again.
    return (tables as unknown as Kysely<AnyTables>)
      .deleteFrom(name)
      .where(sql`(${keys})`, 'in', (eb: AnyRow) => eb.selectFrom(name).select(key).where(isOld).limit(BATCH))
      .where(isOld);
  });
  return { table, kept: rule.kept, deleteOld };
}

type AnyTables = Record<string, Record<string, unknown>>;
type AnyRow = ExpressionBuilder<AnyTables, string>;

/** Where somebody signed in counts for 90 days, failures for one; strangers make as many rows of these as they like. */
const isKnown = (eb: ExpressionBuilder<Tables, 'sign_in_failures'>) =>
  eb.fn<boolean>('starts_with', ['subject', eb.val('known:')]);

const KEPT: RetentionRule[] = [
  // Answers stored by Idempotency-Key are replayed for this long.
  keep('idempotency_keys', { key: ['merchantId', 'key'], moment: 'createdAt', kept: 'RETENTION_IDEMPOTENCY_DAYS' }),
  // What the merchant's systems were refused: what is wrong today is of no use next week.
  keep('request_errors', { key: ['id'], moment: 'occurredAt', kept: 7 }),
  keep('revoked_tokens', { key: ['jti'], moment: 'expiresAt', kept: 0 }),
  keep('mail_tokens', { key: ['userId', 'purpose'], moment: 'expiresAt', kept: 0 }),
  keep('sessions', { key: ['id'], moment: 'expiresAt', kept: 'RETENTION_SIGN_INS_DAYS' }),
  keep('sign_in_failures', { key: ['subject'], moment: 'lastAt', kept: 'RETENTION_SIGN_INS_DAYS', also: isKnown }),
  keep('sign_in_failures', {
    key: ['subject'],
    moment: 'lastAt',
    kept: 2,
    also: (eb) => eb.not(isKnown(eb)),
  }),
  keep('mails', {
    key: ['id'],
    moment: 'createdAt',
    kept: 'RETENTION_MAILS_DAYS',
    also: (eb) => eb('dueAt', 'is', null),
  }),
  // A hint that a query did not confirm within three days is of no use: the rail was polled all that time.
  keep('inbox', {
    key: ['id'],
    moment: 'receivedAt',
    kept: 3,
    also: (eb) => eb.and([sql<boolean>`not is_proven`, eb('dueAt', 'is', null)]),
  }),
  // Shops pin versions of the widget; what no node has started with for two years is of a release that is long gone.
  keep('published_files', { key: ['path'], moment: 'seenAt', kept: 730 }),
  // Access that nobody took up.
  keep('memberships', { key: ['merchantId', 'userId'], moment: 'expiresAt', kept: 0 }),
];

/** Tables too large to be searched each night: one step, committed by itself with how far it has come. */
export type EraseOld = {
  table: string;
  /** How many rows it went over; null: there are none left, or another node is at it. */
  run(): Promise<number | null>;
};

type CleaningHost = Host & { config: Config };

/** Until the node stops, deletes what is past its time: at the start, then daily. Several nodes may do so at once. */
export async function cleanDaily(host: CleaningHost, eraseOld: EraseOld[] = []): Promise<void> {
  while (!host.stopping.aborted) {
    // By a wrong clock anything might be.
    for (const kept of host.isOnTime() ? KEPT : []) {
      await cleanTable(host, kept).catch((error: unknown) => {
        host.log.warn({ err: error, table: kept.table }, 'could not delete what is past its time');
      });
    }
    for (const { table, run } of host.isOnTime() ? eraseOld : []) {
      await eraseTable(host, table, run).catch((error: unknown) => {
        host.log.warn({ err: error, table }, 'could not erase what is past its time');
      });
    }
    await host.clock.wait(DAY_MS, host.stopping);
  }
}

async function cleanTable(host: CleaningHost, { table, kept, deleteOld }: RetentionRule): Promise<void> {
  const before = endOfKeeping(host, kept);
  let deleted = BATCH;
  while (deleted === BATCH && !host.stopping.aborted) {
    deleted = await deleteOld.run(host, { before });
    counts.pastTheirTime.inc({ table }, deleted);
  }
}

/** Until a step finds nothing more, or another node is at it. */
async function eraseTable(host: CleaningHost, table: string, run: EraseOld['run']): Promise<void> {
  for (let erased = await run(); erased !== null; erased = host.stopping.aborted ? null : await run())
    counts.pastTheirTime.inc({ table }, erased);
}

/** What is older than that is past its time. */
export function endOfKeeping({ clock, config }: Pick<CleaningHost, 'clock' | 'config'>, kept: Kept): Date {
  return new Date(clock.now().getTime() - (typeof kept === 'number' ? kept : config[kept]) * DAY_MS);
}
