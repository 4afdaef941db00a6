// What a request makes the database and the processor do, counted: answers must not tell by their work what their words hide.
import { createHook } from 'node:async_hooks';
import pg from 'pg';

export type Work = {
  /** Verb and table of each statement about people, in order. */
  statements: string[];
  /** How many passwords were hashed. */
  hashes: number;
};

/** Tables that only requests write, beside which the node's due work may go on. */
const ABOUT =
  /\b(?:(insert into|update|delete from)|select\b.*?\bfrom) "?(users|mail_tokens|mails|sign_in_failures|audit_entries|sessions|memberships)\b/is;

/** Deletes in small steps: the node's daily housekeeping, which begins with its start. */
const HOUSEKEEPING = /^delete from .*\blimit\b/is;

/** Of the job that counts lists, by name. */
const COUNTING = /^(fold|list|next|writers)_/;

export type Asked = { text?: string; name?: string; values?: unknown[] };

/** Runs `work` and returns the statements that this process sends during it, with their values. */
export async function listAsked<T>(work: () => Promise<T>): Promise<{ result: T; asked: Asked[] }> {
  const asked: Asked[] = [];
  const result = await overhear((one) => asked.push(one), work);
  return { result, asked };
}

/** The same of their texts alone. */
export async function listTexts<T>(work: () => Promise<T>): Promise<{ result: T; texts: string[] }> {
  const { result, asked } = await listAsked(work);
  return { result, texts: asked.map(({ text = '' }) => text) };
}

/** Runs `work` and calls `hear` with each statement that this process sends during it. */
async function overhear<T>(hear: (asked: Asked) => void, work: () => Promise<T>): Promise<T> {
  const { prototype } = pg.Client;
  const { query } = prototype;
  prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [first, values] = args as [string | Asked, unknown[]];
    hear(typeof first === 'string' ? { text: first, ...(Array.isArray(values) && { values }) } : first);
    return Reflect.apply(query, this, args) as never;
  } as typeof query;
  try {
    return await work();
  } finally {
    prototype.query = query;
  }
}

/** Runs `work` and tells what was done meanwhile in this process. */
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
    // Mail is read and changed by whoever sends it.
    if (found && (table !== 'mails' || verb === 'insert into')) statements.push(`${verb} ${table}`);
  };
  hook.enable();
  try {
    return { result: await overhear(note, work), statements, hashes };
  } finally {
    hook.disable();
  }
}
