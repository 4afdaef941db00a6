// How much mail anybody can have sent to an address: strangers must not fill it, whether it is known or not.
import type { Core } from '../core.ts';
import { prepared, type Db } from '../database/db.ts';

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
  const subject = `mail:${kind}:${address}:${Math.floor(now.getTime() / HOUR_MS)}`;
  return (await countMail.one(db, { subject, now })).count <= MAX_AN_HOUR;
}

const countMail = prepared((tables, { subject, now }: { subject: string; now: Date }) =>
  tables
    .insertInto('sign_in_failures')
    .values({ subject, failures: 1, lastAt: now })
    .onConflict((known) =>
      known.column('subject').doUpdateSet((eb) => ({
        failures: eb('sign_in_failures.failures', '+', 1),
        lastAt: eb.ref('excluded.lastAt'),
      })),
    )
    .returning('failures as count'),
);
