import { beforeAll, expect, test } from 'vitest';
import { startTestApp, until, type Reply, type TestApp } from '../../support/app.ts';
import { addMember, postForm, type Member } from '../../support/members.ts';
import { DAY_MS } from '../../../shared/durations.ts';

const QUOTA = 3;

let app: TestApp;
beforeAll(async () => {
  const limits = { RATE_LIMIT_WRITE: `${QUOTA}`, RATE_LIMIT_READ: `${QUOTA}`, RATE_LIMIT_PUBLIC: '8' };
  app = await startTestApp({ env: { ...limits, TRUSTED_PROXIES: '127.0.0.1' } });
});

let nth = 0;
const anyAddress = () => `41.0.0.${(nth += 1)}`;
const from = (address: string) => ({ 'x-forwarded-for': address });
const signIn = async ({ email }: Member, also = {}) => {
  const password = 'seis gatos pretos a dormir';
  const fields = { grant_type: 'password', client_id: 'web', username: email, password, ...also };
  return (await postForm(app, '/oauth/token', fields, from(anyAddress()))).json.access_token as string;
};
const rename = (token: string, body: unknown = { firstName: 'Eva' }) =>
  app.call('/api/profile', { method: 'PUT', body, token });
const statuses = (replies: Reply[]) => replies.map(({ status }) => status);

test('a person without a merchant has one rate limit over all sessions', async () => {
  const [ana, rui] = [await addMember(app), await addMember(app)];
  const [token, again] = [await signIn(ana), await signIn(ana)];
  const replies = [await rename(token), await rename(again, { firstName: '' }), await rename(token)];
  expect(statuses(replies)).toEqual([200, 400, 200]);
  const refused = await rename(again, { firstName: 'Lia' });
  expect([refused.status, refused.json.code]).toEqual([429, 'too_many_requests']);
  expect(refused.headers.get('ratelimit-policy')).toBe(`"write";q=${QUOTA};w=60`);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  // Reads and other people have separate limits, and a refused write changes nothing.
  const profile = await app.call('/api/profile', { token });
  expect([profile.status, profile.json.firstName]).toEqual([200, 'Eva']);
  expect((await rename(await signIn(rui))).status).toBe(200);
});

test('the calls of a person at a merchant count only for the rate limit of the merchant', async () => {
  const [shop, other] = [await app.addMerchant(), await app.addMerchant()];
  const ana = await addMember(app, { merchantId: shop.merchantId, role: 'Viewer' });
  const [token, alone] = [await signIn(ana), await signIn(await addMember(app))];
  for (let count = 0; count < QUOTA; count++) await rename(alone);
  const body = { url: 'not an address' };
  const write = (by: string) => app.call('/api/webhooks', { body, token: by });
  expect(statuses([await rename(token), await write(shop.token), await rename(token)])).toEqual([200, 400, 200]);
  expect(statuses([await write(shop.token), await rename(token), await write(other.token)])).toEqual([429, 429, 400]);
});

test.each([
  ['/api/auth/register', {}],
  ['/api/auth/recover', { email: 'x' }],
  ['/api/auth/verify-email', { token: 'x' }],
  ['/api/auth/verify-email/resend', { email: 'x' }],
  ['/api/auth/reset', { token: 'x', password: 'x' }],
  ['/api/auth/accept-invitation', { token: 'x' }],
  ['/account/recover', {}],
  ['/oauth/token', { grant_type: 'password' }],
  ['/oauth/revoke', {}],
])('%s has a rate limit per IP address, which all anonymous routes share', async (path, body) => {
  const [address, elsewhere] = [anyAddress(), anyAddress()];
  const send = (where: string) => app.call(path, { method: 'POST', body, token: null, headers: from(where) });
  for (let count = 0; count < 8; count++) expect((await send(address)).status).toBeLessThan(429);
  const refused = await send(address);
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  const page = await app.call('/account/reset', { token: null, headers: from(address) });
  expect(page.status).toBe(429);
  expect((await send(elsewhere)).status).toBeLessThan(429);
});

test('failed sign-ins are deleted after days, and known IP addresses after months', async () => {
  const ana = await addMember(app);
  await signIn(ana);
  await signIn(ana, { password: 'wrong' });
  await signIn(ana, { password: 'wrong', username: 'nobody@exemplo.ao' });
  const kinds = async () => {
    const rows = await app.sql(`select distinct split_part(subject, ':', 1) as kind from sign_in_failures order by 1`);
    return rows.map(({ kind }) => kind);
  };
  expect(await kinds()).toEqual(expect.arrayContaining(['account', 'address', 'known', 'pair']));
  /** A node deletes expired rows at its start. It deletes memberships last. */
  const clean = async () => {
    const past = [ana.userId, app.clock.now()];
    await app.sql(`insert into memberships values (gen_random_uuid(), $1, 'Viewer', $2, null, $2)`, past);
    app.clock.leap(1_000);
    const twin = await startTestApp({ databaseUrl: app.databaseUrl, clock: app.clock });
    const isLeft = async () => (await app.sql('select from memberships where user_id = $1', [ana.userId])).length > 0;
    await until(async () => !(await isLeft()), 'the work of a start').finally(() => twin.stop());
  };
  app.clock.leap(DAY_MS);
  await clean();
  expect(await kinds()).toEqual(expect.arrayContaining(['pair']));
  app.clock.leap(2 * DAY_MS);
  await clean();
  expect(await kinds()).toEqual(['known']);
  app.clock.leap(85 * DAY_MS);
  await clean();
  expect(await kinds()).toEqual(['known']);
});
