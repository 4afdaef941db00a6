// Housekeeping once a day: what is kept for a time only is deleted in small steps.
import type { Core } from '../core.ts';
import { DAY_MS } from './schedule.ts';

const BATCH = 5_000;

/** What is deleted: rows of a table whose moment lies so far back, where `also` is true of them. */
const KEPT: { table: string; key: string; moment: string; keptMs: number; also?: string }[] = [
  // Answers stored by Idempotency-Key are replayed for this long (decisions §1).
  { table: 'idempotency_keys', key: 'merchant_id, key', moment: 'created_at', keptMs: 7 * DAY_MS },
  { table: 'revoked_tokens', key: 'jti', moment: 'expires_at', keptMs: 0 },
  { table: 'mail_tokens', key: 'user_id, purpose', moment: 'expires_at', keptMs: 0 },
  { table: 'sessions', key: 'id', moment: 'expires_at', keptMs: 90 * DAY_MS },
  // Where somebody signed in counts for 90 days, failures for one; strangers make as many rows of these as they like.
  {
    table: 'sign_in_failures',
    key: 'subject',
    moment: 'last_at',
    keptMs: 90 * DAY_MS,
    also: `starts_with(subject, 'known:')`,
  },
  {
    table: 'sign_in_failures',
    key: 'subject',
    moment: 'last_at',
    keptMs: 2 * DAY_MS,
    also: `not starts_with(subject, 'known:')`,
  },
  { table: 'mails', key: 'id', moment: 'created_at', keptMs: 30 * DAY_MS, also: 'due_at is null' },
  // Shops pin versions of the widget; what no node has started with for two years is of a release that is long gone.
  { table: 'published_files', key: 'path', moment: 'seen_at', keptMs: 730 * DAY_MS },
  // Access that nobody took up.
  { table: 'memberships', key: 'merchant_id, user_id', moment: 'expires_at', keptMs: 0 },
];

/** Until the node stops, deletes what is past its time: at the start, then daily. Several nodes may do so at once. */
export async function cleanDaily(core: Core): Promise<void> {
  while (!core.stopping.aborted) {
    for (const kept of KEPT) {
      await deleteOld(core, kept).catch((error: unknown) => {
        core.log.warn({ err: error, table: kept.table }, 'could not delete what is past its time');
      });
    }
    await core.clock.wait(DAY_MS, core.stopping);
  }
}

async function deleteOld(
  core: Core,
  { table, key, moment, keptMs, also = 'true' }: (typeof KEPT)[number],
): Promise<void> {
  const before = new Date(core.clock.now().getTime() - keptMs);
  const isOld = `${moment} < $1::timestamptz and ${also}`;
  let deleted: number | null = BATCH;
  while (deleted === BATCH && !core.stopping.aborted) {
    ({ rowCount: deleted } = await core.pool.query(
      // Said twice: of a row that is renewed meanwhile only the outer condition is looked at again.
      `delete from ${table} where (${key}) in (select ${key} from ${table} where ${isOld} limit ${BATCH}) and ${isOld}`,
      [before],
    ));
  }
}
