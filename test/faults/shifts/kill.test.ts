// A node is killed with kill -9 while a cashier closes a shift: the shift stays open with all its money.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashPassword } from '../../../server/people/password.ts';
import { until, type Reply } from '../../support/app.ts';
import { killChildren } from '../../support/child.ts';
import { startGateway, type Gateway } from '../../support/gateway.ts';
import { countWaiting, holdLock } from '../../support/locks.ts';
import { PASSWORD } from '../../support/members.ts';
import { purchase } from '../../support/payments.ts';
import { DEMO } from '../../../sandbox/seed.ts';

const { merchantId } = DEMO;
/** The simulated payer with this phone number approves after a second. */
const PHONE = '900000000';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(async () => {
  await killChildren();
});

type Ask = (path: string, body?: object, key?: string) => Promise<Reply>;

/** Inserts a cashier, signs in, and returns the cashier's calls. A token survives the restart of its node. */
async function addCashier(): Promise<Ask> {
  const [id, email] = [randomUUID(), `${randomUUID()}@loja.example`];
  const hash = await hashPassword(PASSWORD, { memory: 8, passes: 1, parallelism: 1 });
  await gateway.sql(
    `with person as (insert into users (id, email, verified_at, password_hash, created_at, updated_at)
       values ($1, $2, now(), $3, now(), now()))
     insert into memberships (merchant_id, user_id, role, created_at, accepted_at)
     values ($4, $1, 'Cashier', now(), now())`,
    [id, email, hash, merchantId],
  );
  const fields = { grant_type: 'password', client_id: 'web', username: email, password: PASSWORD };
  const signIn = { method: 'POST', body: new URLSearchParams(fields) };
  const { access_token: token } = (await (await fetch(`${gateway.child().url}/oauth/token`, signIn)).json()) as {
    access_token: string;
  };
  return async (path, body, key) => {
    const response = await fetch(gateway.child().url + path, {
      method: body ? 'POST' : 'GET',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        ...(key && { 'idempotency-key': key }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
  };
}

test.each([
  ['waits for the shift', (id: string) => `select from shifts where id = '${id}' for update`, 'from shifts'],
  ['is recorded in the audit', () => 'lock table audit_entries in exclusive mode', 'insert into audit_entries'],
  ['stores its response', () => 'lock table idempotency_keys in exclusive mode', 'into idempotency_keys'],
])(
  'a node that is killed while a close %s leaves the shift open, and the same close closes it',
  async (_, lock, at) => {
    const ask = await addCashier();
    const { json: shift } = await ask('/api/shifts', {});
    const { json: payment } = await ask('/api/payments', purchase(PHONE));
    await until(async () => (await ask(`/api/payments/${payment.id}`)).json.status === 'Paid', 'the money');
    const key = randomUUID();
    const close = () => ask(`/api/shifts/${shift.id}/close`, { note: 'Tudo certo' }, key);
    const release = await holdLock(gateway.databaseUrl, lock(shift.id));
    const lost = close().catch(() => 'broken');
    await until(async () => (await countWaiting(gateway.databaseUrl, at)) === 1, 'the close waiting');
    await gateway.child().kill();
    expect(await lost).toBe('broken');
    await release();
    await gateway.restart(0);
    const open = (await ask(`/api/shifts/${shift.id}`)).json;
    expect(open).toMatchObject({ status: 'open', taken: [{ method: 'push', count: 1, amount: 1500 }] });
    const closed = await close();
    expect(closed.json).toMatchObject({ status: 'closed', note: 'Tudo certo', taken: open.taken });
    expect((await close()).json).toEqual(closed.json);
    expect((await ask(`/api/shifts/${shift.id}`)).json).toEqual(closed.json);
    const entries = await gateway.sql(
      `select action from audit_entries where target = $1 and action = 'shift.closed'`,
      [shift.id],
    );
    expect(entries).toHaveLength(1);
  },
);
