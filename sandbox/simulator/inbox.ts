// What the sandbox's inbox holds: kept in the simulator's schema, since the gateway knows nothing of who reads it.
import { sql } from 'kysely';
import type { Pool } from 'pg';
import { normalizePhone } from '../../shared/phone.ts';
import type { LetterView } from '../../shared/sandbox.ts';
import type { Clock } from '../../server/clock.ts';
import type { Connection } from '../../server/database/queries.ts';
import { prepared, type Row } from './schema.ts';
import { prepareInbox } from './tables.ts';

/** A message to keep; one that comes twice by its id is kept once. */
export type KeptLetter = { id: string; to: string; subject: string | null; text: string; html: string | null };

export type Inbox = {
  prepare(): Promise<void>;
  keep(kind: LetterView['kind'], kept: KeptLetter): Promise<void>;
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
      const rows = await listLetters.all(pool, { to: normalizePhone(typed) ?? typed.toLowerCase() });
      return rows.map(({ receivedAt, ...letter }) => ({ ...letter, receivedAt: receivedAt.toISOString() }));
    },
    async empty() {
      await deleteLetters.run(pool, {});
    },
  };
}

const listLetters = prepared((tables, { to }: { to: string }) =>
  tables
    .selectFrom('inbox')
    .select(['id', 'kind', 'recipient as to', 'subject', 'text', 'receivedAt'])
    .where((eb) => eb.or([sql<boolean>`${to} = ''`, eb(eb.fn<string>('lower', ['recipient']), '=', to)]))
    .orderBy('seq', 'desc')
    .limit((eb) => eb.lit(MAX_SHOWN)),
);

const deleteLetters = prepared((tables) => tables.deleteFrom('inbox'));

/** Keeps one, in the transaction of whatever sends it; `trimLetters` comes after that. */
export async function insertLetter(
  db: Connection,
  kind: LetterView['kind'],
  { id, to, subject, text, html }: KeptLetter,
  at: Date,
): Promise<void> {
  await addLetter.run(db, { row: { id, kind, recipient: to, subject, text, html, receivedAt: at } });
}

const addLetter = prepared((tables, { row }: { row: Omit<Row<'inbox'>, 'seq'> }) =>
  tables
    .insertInto('inbox')
    .values(row)
    .onConflict((on) => on.doNothing()),
);

/** Throws the oldest of a kind away; those that somebody else is throwing away just now are left to them. */
export async function trimLetters(pool: Pool, kind: LetterView['kind']): Promise<void> {
  await deleteBeyond.run(pool, { kind, kept: MAX_KEPT[kind] });
}

const deleteBeyond = prepared((tables, { kind, kept }: { kind: LetterView['kind']; kept: number }) =>
  tables.deleteFrom('inbox').where('seq', 'in', (eb) =>
    eb
      .selectFrom('inbox')
      .select('seq')
      .where('kind', '=', kind)
      .where('seq', '<=', (newest) =>
        newest.selectFrom('inbox').select('seq').where('kind', '=', kind).orderBy('seq', 'desc').offset(kept).limit(1),
      )
      .forUpdate()
      .skipLocked(),
  ),
);
