// Counts the statements and hashes of a request, because their number must not reveal a hidden fact.
import { createHook } from 'node:async_hooks';
import pg from 'pg';

type Work = {
  /** Verb and table of each statement about people, in order. */
  statements: string[];
  /** The number of hashed passwords. */
  hashes: number;
};

/** Tables that only requests write. */
const ABOUT = new RegExp(
  String.raw`\b(?:(insert into|update|delete from)|select\b.*?\bfrom) ` +
    String.raw`"?(users|mail_tokens|mails|sign_in_failures|audit_entries|sessions|memberships)\b`,
  'is',
);

/** Deletions of the daily retention job, which begins when the node starts. */
const HOUSEKEEPING = /^delete from .*\blimit\b/is;

/** Names of the statements of the job that counts lists. */
const COUNTING = /^(fold|list|next|writers)_/;

export type Statement = { text?: string; name?: string; values?: unknown[] };

/** Runs `work` and returns the statements that this process sends during it, with their values. */
export async function listStatements<T>(work: () => Promise<T>): Promise<{ result: T; statements: Statement[] }> {
  const statements: Statement[] = [];
  const result = await watchQueries((one) => statements.push(one), work);
  return { result, statements };
}

/** Runs `work` and returns the texts of the statements that this process sends during it. */
export async function listTexts<T>(work: () => Promise<T>): Promise<{ result: T; texts: string[] }> {
  const { result, statements } = await listStatements(work);
  return { result, texts: statements.map(({ text = '' }) => text) };
}

/** Runs `work` and passes each statement of this process to `add`. */
async function watchQueries<T>(add: (statement: Statement) => void, work: () => Promise<T>): Promise<T> {
  const { prototype } = pg.Client;
  const { query } = prototype;
  prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [first, values] = args as [string | Statement, unknown[]];
    add(typeof first === 'string' ? { text: first, ...(Array.isArray(values) && { values }) } : first);
    return Reflect.apply(query, this, args) as never;
  } as typeof query;
  try {
    return await work();
  } finally {
    prototype.query = query;
  }
}

/** Runs `work` and returns the statements and hashes of this process during it. */
export async function watchWork<T>(work: () => Promise<T>): Promise<{ result: T } & Work> {
  const statements: string[] = [];
  let hashes = 0;
  const hook = createHook({
    init(_id, type) {
      if (type === 'ARGON2REQUEST') hashes += 1;
    },
  });
  const note = ({ text = '', name = '' }: Statement) => {
    const found = HOUSEKEEPING.test(text) || COUNTING.test(name) ? null : ABOUT.exec(text);
    const [, verb = 'select', table = ''] = found ?? [];
    // Only inserts of mails count, because the mail job also reads and changes mails.
    if (found && (table !== 'mails' || verb === 'insert into')) statements.push(`${verb} ${table}`);
  };
  hook.enable();
  try {
    return { result: await watchQueries(note, work), statements, hashes };
  } finally {
    hook.disable();
  }
}
