// Mail is written in the transaction of what it tells: whatever is undone was never said, and what is done is told once.
import type { Insertable } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { Language } from '../../shared/language.ts';
import type { Core } from '../core.ts';
import { prepared, type Db, type Tables } from '../database/db.ts';
import { drawLetter } from './letter.ts';
import { composeLetter, type NewLetter } from './texts.ts';

/** What mail is sealed for (core.keyring). */
export const SEALED_FOR = 'mail';

export type NewMail = NewLetter & {
  /** As shared/email.ts normalizes it. */
  to: string;
  language: Language;
};

/** Writes a mail that is due at once; `db` must be the transaction of what it tells. */
export async function writeMail(core: Pick<Core, 'keyring' | 'clock'>, db: Db, mail: NewMail): Promise<void> {
  const letter = composeLetter(mail.language, mail);
  const { text, html } = drawLetter(letter, mail.language);
  const now = core.clock.now();
  const row = {
    id: uuid(),
    to: mail.to,
    subject: letter.subject,
    sealedText: core.keyring.seal(text, SEALED_FOR),
    sealedHtml: core.keyring.seal(html, SEALED_FOR),
    createdAt: now,
    dueAt: now,
  };
  await insertMail.run(db, { row });
}

const insertMail = prepared((tables, { row }: { row: Insertable<Tables['mails']> }) =>
  tables.insertInto('mails').values(row),
);
