// Links in mails: creates, limits, finds and uses them, and runs work in the background for equal response times.
import { createHash, randomBytes } from 'node:crypto';
import { LockMode } from '@mikro-orm/postgresql';
import type { Language } from '../../shared/language.ts';
import type { Core } from '../core.ts';
import { em, prepared, type Db } from '../database/db.ts';
import { MailToken, User, type MailTokenPurpose } from './entities.ts';
import { DAY_MS, HOUR_MS } from '../../shared/durations.ts';

/** Path and lifetime of a mailed link, by purpose. A reset link is short-lived, since it opens an account in use. */
const PURPOSES: Record<MailTokenPurpose, { path: string; lifeMs: number }> = {
  verify: { path: '/account/verify-email', lifeMs: DAY_MS },
  claim: { path: '/account/verify-email', lifeMs: DAY_MS },
  reset: { path: '/account/reset', lifeMs: HOUR_MS },
  invite: { path: '/account/invitation', lifeMs: 30 * DAY_MS },
};

/** Creates a mailed link and ends the person's older links of this purpose. `db` is the transaction of the mail. */
export async function makeLink(
  core: Pick<Core, 'clock' | 'publicUrl'>,
  db: Db,
  { id, language }: { id: string; language: Language },
  purpose: MailTokenPurpose,
): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  const { path, lifeMs } = PURPOSES[purpose];
  const expiresAt = new Date(core.clock.now().getTime() + lifeMs);
  await writeToken.run(db, { row: { userId: id, purpose, hash: hashToken(token), expiresAt } });
  return `${core.publicUrl}${path}?token=${token}&lang=${language}`;
}

type TokenRow = { userId: string; purpose: MailTokenPurpose; hash: string; expiresAt: Date };

const writeToken = prepared((tables, { row }: { row: TokenRow }) =>
  tables
    .insertInto('mail_tokens')
    .values(row)
    .onConflict((known) =>
      known.columns(['userId', 'purpose']).doUpdateSet((eb) => ({
        hash: eb.ref('excluded.hash'),
        expiresAt: eb.ref('excluded.expiresAt'),
      })),
    ),
);

type Clocked = Pick<Core, 'clock'>;

/** Returns the owner of a mailed link without using it. Null if the link is used, replaced, expired or unknown. */
export function findLinkOwner(core: Clocked, db: Db, token: string, ...purposes: MailTokenPurpose[]) {
  return findOwner(core, db, { hash: hashToken(token), purposes });
}

type Link = { hash: string; purposes: MailTokenPurpose[]; lockMode?: LockMode };

async function findOwner(core: Clocked, db: Db, { hash, purposes, lockMode = LockMode.NONE }: Link) {
  const valid = { hash, purpose: { $in: purposes }, expiresAt: { $gt: core.clock.now() } };
  const link = await em(db).findOne(MailToken, valid);
  return link && em(db).findOne(User, { id: link.userId }, { lockMode });
}

/** Uses up a mailed link. Of two concurrent uses, one gets the link's owner, whose row stays locked until `db` ends. */
export async function takeLink(core: Clocked, db: Db, token: string, ...purposes: MailTokenPurpose[]) {
  const hash = hashToken(token);
  // The person is locked first, in the same order as by callers of `makeLink`, so that no deadlock occurs.
  const user = await findOwner(core, db, { hash, purposes, lockMode: LockMode.PESSIMISTIC_WRITE });
  const isUsed = (await em(db).nativeDelete(MailToken, { hash })) > 0;
  return isUsed ? user : null;
}

/** Ends all links of a person who chose a password, so that older mails open nothing. */
export async function endLinks(db: Db, userId: string, purposes?: readonly MailTokenPurpose[]): Promise<void> {
  await em(db).nativeDelete(MailToken, { userId, ...(purposes && { purpose: { $in: [...purposes] } }) });
}

function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/** Maximum mails per clock hour, e-mail address and kind. Links in earlier mails still work, so the owner can go on. */
const MAX_AN_HOUR = 10;

/** Counts a mail that an anonymous visitor causes. Returns false over the limit: then write neither mail nor link. */
export async function countMailRequest(
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

/** Runs `work` after the answer, so that the response time does not show its duration. Logs a failure of `work`. */
export function runInBackground(core: Pick<Core, 'inBackground' | 'log'>, work: () => Promise<void>): void {
  const run = async () => {
    await new Promise(setImmediate);
    try {
      await work();
    } catch (error) {
      core.log.error({ err: error }, 'background task failed');
    }
  };
  core.inBackground(run());
}
