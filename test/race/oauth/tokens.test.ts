// Concurrent uses of refresh tokens on two nodes.
import { beforeAll, expect, test } from 'vitest';
import { DEMO } from '../../../sandbox/seed.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { addMember, takeToken } from '../../support/members.ts';

let one: TestApp;
let two: TestApp;
beforeAll(async () => {
  one = await startTestApp();
  two = await one.startTwin();
});

test('a refresh token that twenty concurrent requests use is accepted once, and its session ends', async () => {
  const member = await addMember(one, { merchantId: DEMO.merchantId });
  const { refresh_token } = (await member.signIn()).json;
  const use = (token: string, nth: number) =>
    takeToken(nth % 2 ? two : one, { grant_type: 'refresh_token', client_id: 'web', refresh_token: token });
  const replies = await Promise.all(Array.from({ length: 20 }, (_, nth) => use(refresh_token, nth)));
  const given = replies.filter(({ status }) => status === 200);
  expect(given).toHaveLength(1);
  expect(replies.filter(({ status }) => status !== 200).every(({ json }) => json.error === 'invalid_grant')).toBe(true);
  expect((await use(given[0]?.json.refresh_token, 0)).status).toBe(400);
});

test('concurrent sign-ins create one session each', async () => {
  const member = await addMember(one, { merchantId: DEMO.merchantId });
  const replies = await Promise.all(Array.from({ length: 8 }, () => member.signIn()));
  expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(200));
  expect(new Set(replies.map(({ json }) => json.refresh_token)).size).toBe(8);
  const [{ count }] = await one.sql('select count(*)::int from sessions where user_id = $1', [member.userId]);
  expect(count).toBe(8);
});
