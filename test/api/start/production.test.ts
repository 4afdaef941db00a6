import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, test } from 'vitest';
import { PRODUCTION_ENV, startTestApp, TEST_ENV, type TestApp } from '../../support/app.ts';
import { freshDatabase } from '../../support/database.ts';
import { webframe } from '../../support/payments.ts';
import { leavesNothing, readSettled } from '../../support/rows.ts';
import { ROOT } from '../../support/source.ts';

let app: TestApp;
let shop: Awaited<ReturnType<TestApp['addMerchant']>>;
beforeAll(async () => {
  app = await startTestApp({ env: PRODUCTION_ENV });
  shop = await app.addMerchant();
});

const create = async (changes: object = {}) =>
  app.call('/api/payments', { body: webframe({ ...changes }), token: shop.token });
async function payAnother(phoneNumber: string) {
  const { clientToken } = (await create()).json;
  return app.call(`/checkout/${clientToken}/pay`, { body: { phoneNumber }, token: null });
}

test.each(['/sandbox', '/sandbox/phone/923000001', '/sandbox/clock', '/sandbox/rail/books', '/demo', '/'])(
  '%s does not exist in production',
  async (path) => {
    expect((await app.call(path, { token: null })).status).toBe(404);
  },
);

describe('the front page of a production node', () => {
  const open = (path: string, accept: string) => app.call(path, { token: null, headers: { accept } });
  const BROWSER = 'text/html,application/xhtml+xml,*/*;q=0.8';

  test.each([
    ['pt', 'Entrar na sua loja'],
    ['en', 'Sign in to your shop'],
    ['fr', 'Accéder à votre boutique'],
  ])('in %s leads a browser to the console and the documentation', async (lang, link) => {
    const { status, text } = await open(`/?lang=${lang}`, BROWSER);
    expect(status).toBe(200);
    expect(text).toContain(`<html lang="${lang}">`);
    expect(text).toContain(`href="/console/sign-in?lang=${lang}">${link}</a>`);
    expect(text).toContain('href="/docs"');
  });

  test.each(['/loja', '/api/unknown', '/assets/unknown.js'])(
    'has a sibling with status 404 for the unknown address %s',
    async (path) => {
      const { status, text, headers } = await open(path, BROWSER);
      expect([status, headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
      expect(text).toContain('Esta página não existe');
      expect(text).toContain('href="/console/sign-in?lang=pt"');
    },
  );

  test.each(['/', '/unknown'])('is a problem for a program at %s', async (path) => {
    for (const accept of ['*/*', 'application/json']) {
      const { status, json } = await open(path, accept);
      expect([status, json.code]).toEqual([404, 'not_found']);
    }
  });
});

test('production accepts no demo credentials', async () => {
  const body = { grant_type: 'client_credentials', client_id: 'demo', client_secret: 'demo-secret' };
  const reply = await app.call('/oauth/token', { body, token: null });
  expect(reply.status).toBe(401);
  expect(reply.json.error).toBe('invalid_client');
});

test('a production node refuses a database that a sandbox created', async () => {
  const database = await freshDatabase();
  await (await startTestApp({ databaseUrl: database.url })).stop();
  await expect(startTestApp({ databaseUrl: database.url, env: PRODUCTION_ENV })).rejects.toThrow(/DATABASE_URL/);
  await database.drop();
});

/** A script that starts and stops a node, and prints whether the node loaded a module of the sandbox folder. */
const LOADED = `
  import { registerHooks } from 'node:module';
  const urls = [];
  registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) });
  const { startNode } = await import('${ROOT}/server/start.ts');
  const { readConfig } = await import('${ROOT}/server/config.ts');
  await (await startNode(readConfig(process.env))).stop();
  console.log(JSON.stringify(urls.filter((url) => url.includes('/sandbox/') || url.endsWith('/payments/create.ts'))));`;

test.each([
  ['no module of the sandbox in production', PRODUCTION_ENV, false],
  ['the modules of the sandbox in sandbox mode', {}, true],
])('a node loads %s', async (_what, env, isLoaded) => {
  const database = await freshDatabase();
  const child = spawn(process.execPath, ['--input-type=module', '-e', LOADED], {
    env: { ...process.env, ...TEST_ENV, ...env, DATABASE_URL: database.url, PORT: '0', LOG_LEVEL: 'silent' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const loaded = JSON.parse(await text(child.stdout)) as string[];
  await database.drop();
  expect(loaded.some((url) => url.endsWith('/server/payments/create.ts'))).toBe(true);
  expect(loaded.some((url) => url.includes('/sandbox/'))).toBe(isLoaded);
});

test('the password hash has the full cost with any settings of the node', async () => {
  const email = 'ana@loja.example';
  const person = { email, password: 'mulemba kitanda roxo 57', firstName: 'Ana', lastName: 'Domingos' };
  expect((await app.call('/api/auth/register', { body: person, token: null })).status).toBe(201);
  const [row] = await app.sql('select password_hash from users where email = $1', [email]);
  expect(row.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
});

test('URLs in responses are the public ones', async () => {
  const { json } = await create();
  expect(json.checkoutUrl).toBe(`https://pay.example/checkout/${json.clientToken}`);
  const page = await app.call(`/checkout/${json.clientToken}`, { token: null });
  expect(page.headers.get('strict-transport-security')).toMatch(/max-age=\d{7,}/);
  const session = (await app.call(`/checkout/${json.clientToken}/session`, { token: null })).json;
  expect(session.sandbox).toBe(false);
});

test('production refuses a currency that the connector of the rail does not support', async () => {
  const reply = await leavesNothing(app, () => create({ currency: 'USD' }));
  expect(reply.status).toBe(400);
  expect(reply.json).toMatchObject({ code: 'currency_not_supported', errors: [{ pointer: '/currency' }] });
});

describe('the limit of pushes to one phone', () => {
  test('allows three checkouts in ten minutes for all spellings of one number', async () => {
    const phones = ['923000001', '+244923000001', '923 000 001'];
    for (const phone of phones) expect((await payAnother(phone)).status).toBe(202);
    const before = app.clock.now().getTime();
    const refused = await payAnother('00244923000001');
    expect(refused.status).toBe(429);
    expect(refused.json.code).toBe('too_many_pushes');
    expect(refused.headers.get('retry-after')).toBe('600');
    expect((await payAnother('923000002')).status).toBe(202);
    app.clock.leap(10 * 60_000 - 1_000);
    expect((await payAnother('923000001')).headers.get('retry-after')).toBe('1');
    app.clock.leap(1_000);
    expect((await payAnother('923000001')).status).toBe(202);
    expect(app.clock.now().getTime() - before).toBe(10 * 60_000);
  });

  test('appears as an error of the phone field, also in the form without JavaScript', async () => {
    for (let n = 0; n < 3; n++) await payAnother('923000009');
    const { clientToken } = (await create()).json;
    const headers = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' };
    const body = 'phoneNumber=923000009';
    const reply = await app.call(`/checkout/${clientToken}/pay`, { token: null, headers, body });
    expect(reply.status).toBe(303);
    const page = await app.call(reply.headers.get('location')!, { token: null });
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('aria-invalid="true"')]);
  });

  test('leaves a refused payment open for another phone', async () => {
    for (let n = 0; n < 3; n++) await payAnother('923000003');
    const { clientToken } = (await create()).json;
    const pay = (phoneNumber: string) =>
      app.call(`/checkout/${clientToken}/pay`, { body: { phoneNumber }, token: null });
    // The pushes of earlier tests end in the background after these tests have moved the clock.
    await readSettled(app);
    expect((await leavesNothing(app, () => pay('923000003'))).status).toBe(429);
    expect((await pay('923000004')).status).toBe(202);
  });

  test('also limits four concurrent checkouts', async () => {
    const replies = await Promise.all([1, 2, 3, 4].map(() => payAnother('923000005')));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([202, 202, 202, 429]);
  });

  test("does not count pushes that a merchant's backend creates", async () => {
    const metadata = { paymentMethod: 'onetimepurchase', phoneNumber: '923000006' };
    for (let n = 0; n < 4; n++) expect((await create({ metadata })).status).toBe(201);
    expect((await payAnother('923000006')).status).toBe(202);
  });
});
