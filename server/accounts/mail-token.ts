// Links in mail: a secret for one purpose, of which only the newest works, once, and for a time.
import { createHash, randomBytes } from 'node:crypto';
import type { Language } from '../../shared/language.ts';
import type { Core } from '../core.ts';
import { findRow, type Db } from '../database/rows.ts';
import { User, type MailTokenPurpose } from './entities.ts';

const HOUR_MS = 3_600_000;

/** Where each leads, and for how long: one that opens an account which is in use is short. */
const PURPOSES: Record<MailTokenPurpose, { path: string; lifeMs: number }> = {
  verify: { path: '/account/verify-email', lifeMs: 24 * HOUR_MS },
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
  await db.pool.query(
    `insert into mail_tokens (user_id, purpose, hash, expires_at) values ($1, $2, $3, $4)
     on conflict (user_id, purpose) do update set hash = excluded.hash, expires_at = excluded.expires_at`,
    [id, purpose, hashToken(token), expiresAt],
  );
  return `${core.publicUrl}${path}?token=${token}&lang=${language}`;
}

/** Whose link it is, without using it; null: it was used, replaced, has expired, or never was. */
export function findLinkOwner(
  core: Pick<Core, 'clock'>,
  db: Db,
  token: string,
  purpose: MailTokenPurpose,
): Promise<User | null> {
  return findRow(db, User, OWNER, [hashToken(token), purpose, core.clock.now()]);
}

const OWNER = 'id = (select user_id from mail_tokens where hash = $1 and purpose = $2 and expires_at > $3)';

/** Uses the link up: of two at once one gets its owner, as they are now and held until the end of `db`. */
export async function takeLink(
  core: Pick<Core, 'clock'>,
  db: Db,
  token: string,
  purpose: MailTokenPurpose,
): Promise<User | null> {
  const hash = hashToken(token);
  // The person first, as whoever makes a link does: two at once must not wait for one another.
  const user = await findRow(db, User, `${OWNER} for update`, [hash, purpose, core.clock.now()]);
  const { rowCount } = await db.pool.query('delete from mail_tokens where hash = $1', [hash]);
  return rowCount ? user : null;
}

/** Ends every link of a person who proved their address and chose a password: what was mailed before opens nothing. */
export async function endLinks(db: Db, userId: string): Promise<void> {
  await db.pool.query('delete from mail_tokens where user_id = $1', [userId]);
}

function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
