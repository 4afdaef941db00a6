// What the sandbox's inbox holds: kept in the simulator's schema, since the gateway knows nothing of who reads it.
import type { Pool } from 'pg';
import type { LetterView } from '../../shared/sandbox.ts';
import type { Clock } from '../clock.ts';
import { prepareInbox } from '../simulator/tables.ts';

/** A message to keep; one that comes twice by its id is kept once. */
export type Kept = { id: string; to: string; subject: string | null; text: string; html: string | null };

export type Inbox = {
  prepare(): Promise<void>;
  keep(kind: LetterView['kind'], kept: Kept): Promise<void>;
  /** Newest first; `to` empty: everybody's. */
  list(to: string): Promise<LetterView[]>;
  empty(): Promise<void>;
};

const MAX_KEPT = 500;
const MAX_SHOWN = 100;

export function openInbox(pool: Pool, clock: Clock): Inbox {
  return {
    prepare: () => prepareInbox(pool),
    async keep(kind, { id, to, subject, text, html }) {
      await pool.query(
        `insert into simulator.inbox (id, kind, recipient, subject, text, html, received_at)
         values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`,
        [id, kind, to, subject, text, html, clock.now()],
      );
      await pool.query('delete from simulator.inbox where seq <= (select max(seq) from simulator.inbox) - $1::bigint', [
        MAX_KEPT,
      ]);
    },
    async list(to) {
      const { rows } = await pool.query<Omit<LetterView, 'receivedAt'> & { at: Date | string }>(
        `select kind, recipient as "to", subject, text, received_at as at from simulator.inbox
         where $1 = '' or lower(recipient) = $1 order by seq desc limit ${MAX_SHOWN}`,
        [to.trim().toLowerCase()],
      );
      return rows.map(({ at, ...letter }) => ({ ...letter, receivedAt: new Date(at).toISOString() }));
    },
    async empty() {
      await pool.query('truncate simulator.inbox');
    },
  };
}
