import { expect, test } from 'vitest';
import { DEMO_PEOPLE } from '../../../shared/sandbox.ts';
import { PRODUCTION_ENV, startTestApp } from '../../support/app.ts';
import { cookieOf, sendSignIn, visitWith } from '../../support/console.ts';

const app = await startTestApp();

test.each([
  ['owner', 'Proprietário'],
  ['cashier', 'Caixa'],
])('one press signs in as the demo %s, also a second time', async (who, role) => {
  for (const _time of ['first', 'second']) {
    const entered = await visitWith(app, '').post('/sandbox/console', { who });
    expect([entered.status, entered.headers.get('location')]).toEqual([303, '/console']);
    const { text } = await visitWith(app, cookieOf(entered)).open('/console/account');
    expect(text).toContain(`da Ilha · ${role}`);
  }
  const roles = await app.sql('select role from memberships order by role');
  expect(roles.map((row) => row.role)).toEqual(['Cashier', 'Owner']);
});

test('the demo sign-in refuses unknown people and requests of other sites', async () => {
  const visit = visitWith(app, '');
  for (const who of ['', 'toString', 'admin']) expect((await visit.post('/sandbox/console', { who })).status).toBe(404);
  for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }])
    expect((await visit.post('/sandbox/console', { who: 'owner' }, headers)).status).toBe(403);
});

test('the demo people have no password', async () => {
  await visitWith(app, '').post('/sandbox/console', { who: 'owner' });
  const { email } = DEMO_PEOPLE.owner;
  for (const password of ['*', ' ', 'A'.repeat(12)])
    expect((await sendSignIn(app, { email, password })).status).toBe(400);
});

test("the demo sign-in requires the sandbox's password if one is set", async () => {
  const guarded = await app.startTwin({ env: { SANDBOX_PASSWORD: 'mulemba-kitanda' } });
  const visit = visitWith(guarded, '');
  expect((await visit.post('/sandbox/console', { who: 'owner' })).status).toBe(401);
});

test('the demo sign-in does not exist outside of the sandbox', async () => {
  const real = await startTestApp({ env: PRODUCTION_ENV });
  await real.sql(
    'insert into users (id, email, verified_at, created_at, updated_at) values ($1, $2, now(), now(), now())',
    [DEMO_PEOPLE.owner.id, DEMO_PEOPLE.owner.email],
  );
  const origin = PRODUCTION_ENV.PUBLIC_URL;
  const refused = await visitWith(real, '').post('/sandbox/console', { who: 'owner' }, { origin });
  expect([refused.status, refused.headers.getSetCookie()]).toEqual([404, []]);
});
