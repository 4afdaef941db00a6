// People who register, confirm their e-mail address and sign in, and the mails that they receive.
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { until, type CallOptions, type Reply, type TestApp } from './app.ts';

export const PASSWORD = 'mulemba kitanda roxo 57';

type SignedIn = { token: string; refreshToken: string; reply: Reply };

export type Person = {
  email: string;
  password: string;
  userId: string;
  /** Requests a token with the password grant. `more`: `client_id`, `merchant_id`, `scope`. @throws if it is refused */
  signIn(more?: Record<string, string>): Promise<SignedIn>;
  /** Calls the API with a token of the person, the same at each call. */
  call(path: string, options?: CallOptions): Promise<Reply>;
};

type NewPerson = {
  email: string;
  password: string;
  firstName: string;
  lastName: string;
  phoneNumber: string | null;
  language: string;
};

/** Registers a person and opens the link in the confirmation mail. */
export async function registerPerson(app: TestApp, given: Partial<NewPerson> = {}): Promise<Person> {
  const email = given.email ?? anyEmail();
  const password = given.password ?? PASSWORD;
  const body = { firstName: 'Ana', lastName: 'Domingos', ...given, email, password };
  const reply = await app.call('/api/auth/register', { body, token: null });
  if (reply.status !== 201) throw new Error(`not registered: ${reply.text}`);
  const verified = await app.call('/api/auth/verify-email', {
    body: { token: await readLinkToken(app, email, 'verify-email') },
    token: null,
  });
  if (verified.status !== 200) throw new Error(`not verified: ${verified.text}`);
  const [user] = await app.sql<{ id: string }>('select id from users where email = $1', [email]);
  return personOf(app, { email, password, userId: user!.id });
}

/** A person with an account. */
export function personOf(app: TestApp, known: { email: string; password: string; userId: string }): Person {
  let token: string | undefined;
  const signIn = async (more: Record<string, string> = {}): Promise<SignedIn> => {
    const reply = await askToken(app, { username: known.email, password: known.password, ...more });
    if (reply.status !== 200) throw new Error(`not signed in: ${reply.text}`);
    return { token: reply.json.access_token, refreshToken: reply.json.refresh_token, reply };
  };
  return {
    ...known,
    signIn,
    async call(path, options = {}) {
      token ??= (await signIn()).token;
      return app.call(path, { token, ...options });
    },
  };
}

/** Calls POST /oauth/token with the password grant of the client `web`, or with `fields`. */
export function askToken(
  app: TestApp,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const body = { grant_type: 'password', client_id: 'web', ...fields };
  return app.call('/oauth/token', { body, token: null, headers });
}

export const anyEmail = () => `ana-${randomUUID()}@exemplo.ao`;

/** Inserts a person without a name and a password, as an invitation does. */
export async function addInvited(app: TestApp, email = anyEmail()): Promise<{ email: string; userId: string }> {
  const userId = randomUUID();
  const now = app.clock.now();
  await app.sql('insert into users (id, email, created_at, updated_at) values ($1, $2, $3, $3)', [userId, email, now]);
  return { email, userId };
}

type ReadMail = { subject: string; text: string };

/** Reads all mails to an e-mail address, sent and unsent, oldest first. */
export async function readMails(app: TestApp, email: string): Promise<ReadMail[]> {
  // A single statement returns a mail only once, although a node may send it at this moment.
  const rows = await app.sql<{ subject: string; sealed: string; kept: string | null }>(
    `select m.subject, m.sealed_text as sealed, i.text as kept from mails m
     left join simulator.inbox i on i.id::text = m.id::text where m."to" = $1 order by m.id`,
    [email],
  );
  return rows.map(({ subject, sealed, kept }) => ({
    subject,
    text: sealed === '' ? String(kept) : app.node.core.keyring.open(sealed, 'mail'),
  }));
}

/** Waits for a mailed link to `/account/{page}`, and returns the newest token. */
export async function readLinkToken(
  app: TestApp,
  email: string,
  page: 'verify-email' | 'reset' | 'invitation',
): Promise<string> {
  const link = new RegExp(`/account/${page}\\?token=([\\w-]{43})`);
  const find = async () => (await readMails(app, email)).flatMap(({ text }) => link.exec(text)?.[1] ?? []).at(-1);
  return until(find, `a link to ${page} for ${email}`);
}

/** Runs `work`, then waits until `count` mails were written or skipped, which happens after the answer. */
export async function untilDecided(
  app: TestApp,
  kind: 'register' | 'reset',
  count: number,
  work: () => Promise<unknown>,
): Promise<void> {
  const countTurns = async () => {
    const turns = `select coalesce(sum(failures), 0)::int as count from sign_in_failures
      where starts_with(subject, $1)`;
    return (await app.sql<{ count: number }>(turns, [`mail:${kind}:`]))[0]!.count;
  };
  const before = await countTurns();
  await work();
  await until(async () => (await countTurns()) === before + count, 'the mails to be decided');
}

/** Returns the faults of a problem as `/pointer code`. */
export function readFaults(reply: Reply): string[] {
  expect(reply.status).toBe(400);
  return reply.json.errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`);
}
