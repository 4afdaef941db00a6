// Links in mails: made, sent at most so often, taken once; and work that is done after the answer, so that nothing tells of it.
import { createHash, randomBytes } from 'node:crypto';
import { LockMode } from '@mikro-orm/postgresql';
import type { Language } from '../../shared/language.ts';
import type { Core } from '../core.ts';
import { em, prepared, type Db } from '../database/db.ts';
import { MailToken, User, type MailTokenPurpose } from './entities.ts';
import { HOUR_MS } from '../../shared/durations.ts';

/** Where each leads, and for how long: one that opens an account which is in use is short. */
const PURPOSES: Record<MailTokenPurpose, { path: string; lifeMs: number }> = {
  verify: { path: '/account/verify-email', lifeMs: 24 * HOUR_MS },
  claim: { path: '/account/verify-email', lifeMs: 24 * HOUR_MS },
  reset: { path: '/account/reset', lifeMs: HOUR_MS },
  invite: { path: '/account/invitation', lifeMs: 30 * 24 * HOUR_MS },
};

/** A new link of the person's for this purpose; older ones work no more. `db` is the transaction of the mail it is in. */
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

/** The owner of a link, which stays unused. Null: the link was used or replaced, has expired, or never existed. */
export function findLinkOwner(core: Clocked, db: Db, token: string, ...purposes: MailTokenPurpose[]) {
  return findOwner(core, db, { hash: hashToken(token), purposes });
}

type Link = { hash: string; purposes: MailTokenPurpose[]; lockMode?: LockMode };

async function findOwner(core: Clocked, db: Db, { hash, purposes, lockMode = LockMode.NONE }: Link) {
  const valid = { hash, purpose: { $in: purposes }, expiresAt: { $gt: core.clock.now() } };
  const link = await em(db).findOne(MailToken, valid);
  return link && em(db).findOne(User, { id: link.userId }, { lockMode });
}

/** Uses up the link. Of two concurrent uses one gets its owner, whose row stays locked until the end of `db`. */
export async function takeLink(core: Clocked, db: Db, token: string, ...purposes: MailTokenPurpose[]) {
  const hash = hashToken(token);
  // The person is locked first, as by `makeLink`'s callers, so that two transactions never wait for each other.
  const user = await findOwner(core, db, { hash, purposes, lockMode: LockMode.PESSIMISTIC_WRITE });
  const isUsed = (await em(db).nativeDelete(MailToken, { hash })) > 0;
  return isUsed ? user : null;
}

/** Ends every link of a person who proved their address and chose a password: what was mailed before opens nothing. */
export async function endLinks(db: Db, userId: string, purposes?: readonly MailTokenPurpose[]): Promise<void> {
  await em(db).nativeDelete(MailToken, { userId, ...(purposes && { purpose: { $in: [...purposes] } }) });
}

function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/** An hour of the clock, address and kind. A link that was mailed before goes on to work, so that nobody is kept out. */
const MAX_AN_HOUR = 10;

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

/** Begins `work` once the answer no longer waits for it; a failure is logged. */
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
