// The sandbox's inbox for mail and SMS. It is in the simulator's schema, because the gateway keeps no such messages.
import { sql } from 'kysely';
import type { Pool } from 'pg';
import { normalizePhone } from '../../shared/phone.ts';
import type { MessageView } from '../../shared/sandbox.ts';
import type { Clock } from '../../server/clock.ts';
import type { Connection } from '../../server/database/queries.ts';
import { prepared, type Row } from './schema.ts';
import { prepareInbox } from './tables.ts';

/** A message for the sandbox's inbox. A repeated id is stored once. */
export type KeptLetter = { id: string; to: string; subject: string | null; text: string; html: string | null };

export type Inbox = {
  prepare(): Promise<void>;
  keep(kind: MessageView['kind'], kept: KeptLetter): Promise<void>;
  /** Lists the messages, newest first. An empty `to` means all recipients. Phone numbers may have any common format. */
  list(to: string): Promise<MessageView[]>;
  empty(): Promise<void>;
};

/** The maximum number of kept messages by kind, so that a large SMS sending does not remove mail. */
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

/** Stores a message in the sender's transaction. The sender calls `trimLetters` after it. */
export async function insertLetter(
  db: Connection,
  kind: MessageView['kind'],
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

/** Deletes the oldest messages of a kind. Rows that another process is deleting are skipped. */
export async function trimLetters(pool: Pool, kind: MessageView['kind']): Promise<void> {
  await deleteBeyond.run(pool, { kind, kept: MAX_KEPT[kind] });
}

const deleteBeyond = prepared((tables, { kind, kept }: { kind: MessageView['kind']; kept: number }) =>
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
