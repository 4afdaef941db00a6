// Counts the statements and password hashes of a request. Answers must not reveal by their work what their text hides.
import { createHook } from 'node:async_hooks';
import pg from 'pg';

export type Work = {
  /** Verb and table of each statement about people, in order. */
  statements: string[];
  /** How many passwords were hashed. */
  hashes: number;
};

/** Tables that only requests write, so that jobs of the node do not disturb the count. */
const ABOUT =
  /\b(?:(insert into|update|delete from)|select\b.*?\bfrom) "?(users|mail_tokens|mails|sign_in_failures|audit_entries|sessions|memberships)\b/is;

/** Deletes in small steps: the daily cleaning, which begins with the start of the node. */
const HOUSEKEEPING = /^delete from .*\blimit\b/is;

/** Names of the statements of the job that counts lists. */
const COUNTING = /^(fold|list|next|writers)_/;

/** Counts the statements that this process sends while `work` runs, with begin and commit. */
export async function countStatements<T>(work: () => Promise<T>): Promise<{ result: T; statements: number }> {
  let statements = 0;
  const result = await observe(() => statements++, work);
  return { result, statements };
}

/** Returns the texts of the statements that this process sends while `work` runs. */
export async function listTexts<T>(work: () => Promise<T>): Promise<{ result: T; texts: string[] }> {
  const texts: string[] = [];
  const result = await observe(({ text = '' }) => texts.push(text), work);
  return { result, texts };
}

export type Asked = { text?: string; name?: string; values?: unknown[] };

/** Returns the statements that this process sends while `work` runs, with their values. */
export async function listAsked<T>(work: () => Promise<T>): Promise<{ result: T; asked: Asked[] }> {
  const asked: Asked[] = [];
  const result = await observe((one) => asked.push(one), work);
  return { result, asked };
}

/** Runs `work` and calls `note` for each statement that this process sends. */
async function observe<T>(note: (sent: Asked) => void, work: () => Promise<T>): Promise<T> {
  const { prototype } = pg.Client;
  const { query } = prototype;
  prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [first, values] = args as [string | Asked, unknown[]];
    note(typeof first === 'string' ? { text: first, ...(Array.isArray(values) && { values }) } : first);
    return Reflect.apply(query, this, args) as never;
  } as typeof query;
  try {
    return await work();
  } finally {
    prototype.query = query;
  }
}

/** Counts the statements about people and the hashes of this process while `work` runs. */
export async function watchWork<T>(work: () => Promise<T>): Promise<{ result: T } & Work> {
  const statements: string[] = [];
  let hashes = 0;
  const hook = createHook({
    init(_id, type) {
      if (type === 'ARGON2REQUEST') hashes += 1;
    },
  });
  const note = ({ text = '', name = '' }: Asked) => {
    const found = HOUSEKEEPING.test(text) || COUNTING.test(name) ? null : ABOUT.exec(text);
    const [, verb = 'select', table = ''] = found ?? [];
    // The sender of mails reads and changes them.
    if (found && (table !== 'mails' || verb === 'insert into')) statements.push(`${verb} ${table}`);
  };
  hook.enable();
  try {
    return { result: await observe(note, work), statements, hashes };
  } finally {
    hook.disable();
  }
}

/** Returns the statements about these tables while `work` runs: prepared ones by name, others by verb. */
export async function watchTables<T>(
  tables: RegExp,
  work: () => Promise<T>,
): Promise<{ result: T; statements: string[] }> {
  const statements: string[] = [];
  const note = ({ text = '', name = '' }: Asked) => {
    if (tables.test(text)) statements.push(/_/.test(name) ? name : (/\w+/.exec(text)?.[0] ?? ''));
  };
  return { result: await observe(note, work), statements };
}
