// Daily cleanup: deletes rows that are older than their retention period, in small batches.
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

/** The retention period of a table: a number of days, or the name of the setting with that number. */
type Kept = number | Extract<keyof Config, `RETENTION_${string}`>;

type RetentionRule = { table: string; kept: Kept; deleteOld: Prepared<{ before: Date }, unknown> };

/** Builds a rule that deletes rows in batches, if `moment` is before the cutoff and `also` is true. */
function retain<T extends keyof Tables>(table: T, rule: Rule<T>): RetentionRule {
  // The type `Rule<T>` has already checked the column names, so the table may be any table from here on.
  const [name, key]: [string, string[]] = [table, rule.key];
  const keys = sql.join(key.map((column) => sql.ref(column)));
  const deleteOld = prepared((tables, { before }: { before: Date }) => {
    const isOld = (eb: AnyRow) => {
      const also = rule.also?.(eb as unknown as ExpressionBuilder<Tables, T>);
      return eb.and([sql<boolean>`${sql.ref(rule.moment)} < ${before}`, ...(also ? [also] : [])]);
    };
    // The condition appears twice, because PostgreSQL rechecks only the outer one for a row that was renewed since.
    return (tables as unknown as Kysely<AnyTables>)
      .deleteFrom(name)
      .where(sql`(${keys})`, 'in', (eb: AnyRow) => eb.selectFrom(name).select(key).where(isOld).limit(BATCH))
      .where(isOld);
  });
  return { table, kept: rule.kept, deleteOld };
}

type AnyTables = Record<string, Record<string, unknown>>;
type AnyRow = ExpressionBuilder<AnyTables, string>;

/** True for a known IP address of a person. The other rows count failures, and attackers create many of them. */
const isKnownAddress = (eb: ExpressionBuilder<Tables, 'sign_in_failures'>) =>
  eb.fn<boolean>('starts_with', ['subject', eb.val('known:')]);

const RETENTION_RULES: RetentionRule[] = [
  // The retention of stored responses, which the gateway replays by Idempotency-Key.
  retain('idempotency_keys', { key: ['merchantId', 'key'], moment: 'createdAt', kept: 'RETENTION_IDEMPOTENCY_DAYS' }),
  // Refused requests of merchants' systems are kept for a week, which is enough to debug an integration.
  retain('request_errors', { key: ['id'], moment: 'occurredAt', kept: 7 }),
  retain('revoked_tokens', { key: ['jti'], moment: 'expiresAt', kept: 0 }),
  retain('mail_tokens', { key: ['userId', 'purpose'], moment: 'expiresAt', kept: 0 }),
  retain('sessions', { key: ['id'], moment: 'expiresAt', kept: 'RETENTION_SIGN_INS_DAYS' }),
  retain('sign_in_failures', {
    key: ['subject'],
    moment: 'lastAt',
    kept: 'RETENTION_SIGN_INS_DAYS',
    also: isKnownAddress,
  }),
  retain('sign_in_failures', {
    key: ['subject'],
    moment: 'lastAt',
    kept: 2,
    also: (eb) => eb.not(isKnownAddress(eb)),
  }),
  retain('mails', {
    key: ['id'],
    moment: 'createdAt',
    kept: 'RETENTION_MAILS_DAYS',
    also: (eb) => eb('dueAt', 'is', null),
  }),
  // Sent receipts count only for the limits of one hour.
  retain('sent_receipts', { key: ['id'], moment: 'createdAt', kept: 1 }),
  // Unproven rail notifications are deleted after three days, because the gateway polled the rail all that time.
  retain('inbox', {
    key: ['id'],
    moment: 'receivedAt',
    kept: 3,
    also: (eb) => eb.and([sql<boolean>`not is_proven`, eb('dueAt', 'is', null)]),
  }),
  // Shops pin versions of the widget. A file that no node has used at its start for two years is from an old release.
  retain('published_files', { key: ['path'], moment: 'seenAt', kept: 730 }),
  // Invitations are deleted if the invited person did not accept them in time.
  retain('memberships', { key: ['merchantId', 'userId'], moment: 'expiresAt', kept: 0 }),
];

/** The retention of a table too large for a full scan each night. Each step commits its deletions and progress. */
export type EraseOld = {
  table: string;
  /** Runs one step and returns the number of visited rows. Null if no rows are left or another node runs the task. */
  run(): Promise<number | null>;
};

type CleaningHost = Host & { config: Config };

/** Deletes expired rows at the start and then daily until the node stops. Several nodes may run it concurrently. */
export async function cleanDaily(host: CleaningHost, eraseOld: EraseOld[] = []): Promise<void> {
  while (!host.stopping.aborted) {
    // With a wrong clock, any row might seem old, so nothing is deleted.
    for (const kept of host.isClockCorrect() ? RETENTION_RULES : []) {
      await cleanTable(host, kept).catch((error: unknown) => {
        host.log.warn({ err: error, table: kept.table }, 'could not delete expired rows');
      });
    }
    for (const { table, run } of host.isClockCorrect() ? eraseOld : []) {
      await eraseTable(host, table, run).catch((error: unknown) => {
        host.log.warn({ err: error, table }, 'could not erase expired rows');
      });
    }
    await host.clock.wait(DAY_MS, host.stopping);
  }
}

async function cleanTable(host: CleaningHost, { table, kept, deleteOld }: RetentionRule): Promise<void> {
  const before = retentionCutoff(host, kept);
  let deleted = BATCH;
  while (deleted === BATCH && !host.stopping.aborted) {
    deleted = await deleteOld.run(host, { before });
    counts.expiredRows.inc({ table }, deleted);
  }
}

/** Runs the steps until no rows are left, another node runs the task, or this node stops. */
async function eraseTable(host: CleaningHost, table: string, run: EraseOld['run']): Promise<void> {
  for (let erased = await run(); erased !== null; erased = host.stopping.aborted ? null : await run())
    counts.expiredRows.inc({ table }, erased);
}

/** Returns the cutoff: rows older than this time have exceeded their retention period. */
export function retentionCutoff({ clock, config }: Pick<CleaningHost, 'clock' | 'config'>, kept: Kept): Date {
  return new Date(clock.now().getTime() - (typeof kept === 'number' ? kept : config[kept]) * DAY_MS);
}
