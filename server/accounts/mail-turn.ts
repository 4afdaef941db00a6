// How much mail anybody can have sent to an address: strangers must not fill it, whether it is known or not.
import type { Core } from '../core.ts';
import type { Db } from '../database/rows.ts';

/** An hour of the clock, address and kind. A link that was mailed before goes on to work, so that nobody is kept out. */
const MAX_AN_HOUR = 10;
const HOUR_MS = 3_600_000;

/** Counts one mail that a stranger asks for; false: it is not to be written, nor its link. The answer is the same. */
export async function takeMailTurn(
  core: Pick<Core, 'clock' | 'keyring'>,
  db: Db,
  email: string,
  kind: 'register' | 'reset' | 'invite',
): Promise<boolean> {
  const now = core.clock.now();
  const address = core.keyring.digests(email, 'mail turns')[0]!.toString('hex').slice(0, 32);
  const { rows } = await db.pool.query<{ count: number }>(
    `insert into sign_in_failures as f (subject, failures, last_at) values ($1, 1, $2)
     on conflict (subject) do update set failures = f.failures + 1, last_at = excluded.last_at returning failures as count`,
    [`mail:${kind}:${address}:${Math.floor(now.getTime() / HOUR_MS)}`, now],
  );
  return (rows[0]?.count ?? 0) <= MAX_AN_HOUR;
}
