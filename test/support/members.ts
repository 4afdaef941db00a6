// People who can sign in, inserted as rows.
import { randomUUID } from 'node:crypto';
import { hashPassword } from '../../server/people/password.ts';
import type { RoleName } from '../../shared/roles.ts';
import type { Reply, TestApp } from './app.ts';

export const PASSWORD = 'seis gatos pretos a dormir';

export type Member = {
  userId: string;
  email: string;
  /** Requests a token by the password grant with the client `web` and the further fields `also`. */
  signIn(also?: Record<string, string>): Promise<Reply>;
  /** Requests a token by the password grant and returns the access token. */
  token(also?: Record<string, string>): Promise<string>;
};

/** Hashes of this password by the node's cost, so that no sign-in hashes it again. */
const hashes = new Map<number, Promise<string>>();

function hashFor({ node: { core } }: TestApp): Promise<string> {
  const cost = core.passwordCost;
  const hashed = hashes.get(cost.memory) ?? hashPassword(PASSWORD, cost);
  hashes.set(cost.memory, hashed);
  return hashed;
}

/** Inserts a person with a verified e-mail address. With `merchantId` and `role`, adds an accepted membership. */
export async function addMember(
  app: TestApp,
  { merchantId, role = 'Owner', email }: { merchantId?: string; role?: RoleName; email?: string } = {},
): Promise<Member> {
  const userId = randomUUID();
  const address = email ?? `${userId.slice(0, 8)}@loja.example`;
  const now = app.clock.now();
  await app.sql(
    `insert into users (id, email, verified_at, password_hash, first_name, last_name, created_at, updated_at)
     values ($1, $2, $4, $3, 'Ana', 'Neto', $4, $4)`,
    [userId, address, await hashFor(app), now],
  );
  if (merchantId) await addAccess(app, { userId, merchantId, role });
  const signIn = (also: Record<string, string> = {}) =>
    takeToken(app, { grant_type: 'password', client_id: 'web', username: address, password: PASSWORD, ...also });
  return {
    userId,
    email: address,
    signIn,
    async token(also) {
      const reply = await signIn(also);
      if (reply.status !== 200) throw new Error(`no token: ${reply.text}`);
      return reply.json.access_token as string;
    },
  };
}

/** Inserts an accepted membership, or an invitation that is valid until `expiresAt`. */
export async function addAccess(
  app: TestApp,
  access: { userId: string; merchantId: string; role?: RoleName; expiresAt?: Date | null },
): Promise<void> {
  const { userId, merchantId, role = 'Owner', expiresAt = null } = access;
  const now = app.clock.now();
  await app.sql(
    'insert into memberships (merchant_id, user_id, role, created_at, accepted_at, expires_at) ' +
      'values ($1, $2, $3, $4, $5, $6)',
    [merchantId, userId, role, now, expiresAt ? null : now, expiresAt],
  );
}

/** POST /oauth/token as a form. */
export function takeToken(app: TestApp, fields: Record<string, string>, headers = {}): Promise<Reply> {
  return postForm(app, '/oauth/token', fields, headers);
}

export function postForm(
  app: Pick<TestApp, 'call'>,
  path: string,
  fields: Record<string, string>,
  headers = {},
): Promise<Reply> {
  return app.call(path, {
    method: 'POST',
    token: null,
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  });
}
