// What the sandbox's inbox holds: kept in the simulator's schema, since the gateway knows nothing of who reads it.
import type { Pool, PoolClient } from 'pg';
import { normalizePhone } from '../../shared/phone.ts';
import type { LetterView } from '../../shared/sandbox.ts';
import type { Clock } from '../clock.ts';
import { prepareInbox } from './tables.ts';

/** A message to keep; one that comes twice by its id is kept once. */
export type Kept = { id: string; to: string; subject: string | null; text: string; html: string | null };

export type Inbox = {
  prepare(): Promise<void>;
  keep(kind: LetterView['kind'], kept: Kept): Promise<void>;
  /** Newest first; `to` empty: everybody's. Phones in any form people write. */
  list(to: string): Promise<LetterView[]>;
  empty(): Promise<void>;
};

/** Each kind on its own: a message to a thousand phones pushes no mail out. */
const MAX_KEPT = { mail: 500, sms: 2_000 };
const MAX_SHOWN = 100;

export function openInbox(pool: Pool, clock: Clock): Inbox {
  return {
    prepare: () => prepareInbox(pool),
    async keep(kind, kept) {
      await insertLetter(pool, kind, kept, clock.now());
      await trimLetters(pool, kind);
    },
    async list(to) {
      const typed = to.trim();
      const { rows } = await pool.query<Omit<LetterView, 'receivedAt'> & { at: Date | string }>(
        `select id, kind, recipient as "to", subject, text, received_at as at from simulator.inbox
         where $1 = '' or lower(recipient) = $1 order by seq desc limit ${MAX_SHOWN}`,
        [normalizePhone(typed) ?? typed.toLowerCase()],
      );
      return rows.map(({ at, ...letter }) => ({ ...letter, receivedAt: new Date(at).toISOString() }));
    },
    async empty() {
      await pool.query('truncate simulator.inbox');
    },
  };
}

/** Keeps one, in the transaction of whatever sends it; `trimLetters` comes after that. */
export async function insertLetter(
  db: Pool | PoolClient,
  kind: LetterView['kind'],
  { id, to, subject, text, html }: Kept,
  at: Date,
): Promise<void> {
  await db.query(
    `insert into simulator.inbox (id, kind, recipient, subject, text, html, received_at)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`,
    [id, kind, to, subject, text, html, at],
  );
}

/** Throws the oldest of a kind away; those that somebody else is throwing away just now are left to them. */
export async function trimLetters(pool: Pool, kind: LetterView['kind']): Promise<void> {
  await pool.query(
    `delete from simulator.inbox where seq in (
       select seq from simulator.inbox where kind = $1
         and seq <= (select seq from simulator.inbox where kind = $1 order by seq desc offset $2 limit 1)
       for update skip locked)`,
    [kind, MAX_KEPT[kind]],
  );
}
