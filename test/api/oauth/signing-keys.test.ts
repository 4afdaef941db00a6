// The keys that sign access tokens: publication, encryption and rotation.
import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from 'jose';
import { beforeAll, expect, test } from 'vitest';
import { makeSigningKey } from '../../../server/oauth/tokens.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { freshDatabase } from '../../support/database.ts';
import { MINUTE_MS } from '../../../shared/durations.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const readKeySet = async (): Promise<JSONWebKeySet> => (await app.call('/.well-known/jwks.json', { token: null })).json;

/** Requests a new token each time, because the helper of the test app caches tokens. */
async function issue(node = app): Promise<string> {
  const body = { grant_type: 'client_credentials', client_id: 'demo', client_secret: 'demo-secret' };
  return (await node.call('/oauth/token', { body, token: null })).json.access_token;
}

const kidOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid;
const statusWith = async (token: string) => (await app.call('/api/payments', { token })).status;
/** Does the same as `npm run balcao -- keys rotate-signing` during the run of a node. */
const rotate = () => makeSigningKey(app.node.core, { retireOthers: true });

test('the signing key is published before the first token is signed with it', async () => {
  const { keys } = await readKeySet();
  expect(keys).toHaveLength(1);
  expect(keys[0]).toMatchObject({ kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig', kid: expect.any(String) });
  expect(keys[0]).not.toHaveProperty('d');
  expect(kidOf(await issue())).toBe(keys[0]?.kid);
});

test('a token can be verified with the published keys', async () => {
  const token = await issue();
  const { publicUrl } = app.node.core;
  const { payload } = await jwtVerify(token, createLocalJWKSet(await readKeySet()), {
    issuer: publicUrl,
    audience: `${publicUrl}/api`,
    typ: 'at+jwt',
    currentDate: app.clock.now(),
  });
  expect(payload.sub).toBe('demo');
});

test('the private key is stored only in encrypted form', async () => {
  await issue();
  const [row] = await app.sql('select public_jwk, sealed_private_jwk from signing_keys');
  expect(row.public_jwk).not.toHaveProperty('d');
  expect(row.sealed_private_jwk).toMatch(/^v1\.test\./);
  expect(row.sealed_private_jwk).not.toContain('P-256');
});

test('a second node and a restarted node sign with the same key', async () => {
  const database = await freshDatabase();
  const first = await startTestApp({ databaseUrl: database.url });
  const second = await startTestApp({ databaseUrl: database.url });
  const kid = kidOf(await issue(first));
  expect(kidOf(await issue(second))).toBe(kid);
  await first.stop();
  const restarted = await startTestApp({ databaseUrl: database.url });
  expect(kidOf(await issue(restarted))).toBe(kid);
  await restarted.stop();
  await second.stop();
  await database.drop();
});

test('a rotation publishes both keys, and tokens of the old key stay valid', async () => {
  const old = await issue();
  const oldKid = kidOf(old);
  expect(await statusWith(old)).toBe(200);
  const newKid = await rotate();
  await app.clock.pass(31_000);
  const fresh = await issue();
  expect(kidOf(fresh)).toBe(newKid);
  expect(newKid).not.toBe(oldKid);
  expect(await statusWith(fresh)).toBe(200);
  expect(await statusWith(old)).toBe(200);
  expect((await readKeySet()).keys.map((key) => key.kid)).toEqual(expect.arrayContaining([oldKid, newKid]));
  const [row] = await app.sql('select retired_at from signing_keys where kid = $1', [oldKid]);
  expect(row.retired_at).not.toBeNull();
});

test('a node immediately accepts a token that another node signed with a new key', async () => {
  await issue();
  const twin = await startTestApp({
    databaseUrl: app.databaseUrl,
    clock: app.clock,
    env: { PUBLIC_URL: app.node.core.publicUrl },
  });
  await rotate();
  await app.clock.advance(1_500);
  const restarted = await startTestApp({
    databaseUrl: app.databaseUrl,
    clock: app.clock,
    env: { PUBLIC_URL: app.node.core.publicUrl },
  });
  const token = await issue(restarted);
  for (const node of [app, twin]) expect((await node.call('/api/payments', { token })).status).toBe(200);
  await restarted.stop();
  await twin.stop();
});

test('a retired key is no longer published after its last token has expired', async () => {
  const oldKid = kidOf(await issue());
  const newKid = await rotate();
  app.clock.leap(59 * MINUTE_MS);
  expect((await readKeySet()).keys.map((key) => key.kid)).toContain(oldKid);
  app.clock.leap(20 * MINUTE_MS);
  expect((await readKeySet()).keys.map((key) => key.kid)).toEqual([newKid]);
});
