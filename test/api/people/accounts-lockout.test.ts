import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Reply, type TestApp } from '../../support/app.ts';
import { anyEmail, askToken, PASSWORD, registerPerson } from '../../support/people.ts';
import { HOUR_MS } from '../../../shared/durations.ts';

const MINUTE_S = 60;
const WRONG = 'not the right one 7';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
});

let nextAddress = 0;
const anyAddress = () => `41.${(nextAddress >> 16) & 255}.${(nextAddress >> 8) & 255}.${nextAddress++ & 255}`;
const tryFrom = (address: string, username: string, password = WRONG) =>
  askToken(app, { username, password }, { 'x-forwarded-for': address });

const lockOf = ({ status, headers }: Reply) => (status === 429 ? Number(headers.get('retry-after')) : 0);
const failTimes = async (times: number, address: string, username: string) => {
  for (let nth = 0; nth < times; nth++) expect((await tryFrom(address, username)).status).toBe(400);
};
/** The lockout counts failures per hour of the clock. */
const toNextHour = () => app.clock.leap(HOUR_MS - (app.clock.now().getTime() % HOUR_MS));

describe('the lockout of an account at one IP address', () => {
  test('starts after 5 failures and doubles each time, up to 30 minutes', async () => {
    const { email } = await registerPerson(app);
    const address = anyAddress();
    await failTimes(5, address, email);
    const locks = [];
    for (let nth = 0; nth < 9; nth++) {
      const lock = lockOf(await tryFrom(address, email, PASSWORD));
      locks.push(lock);
      app.clock.leap((lock - 1) * 1000);
      expect((await tryFrom(address, email, PASSWORD)).status).toBe(429);
      app.clock.leap(1000);
      expect((await tryFrom(address, email)).status).toBe(400);
    }
    const minutes = [0.5, 1, 2, 4, 8, 16, 30, 30, 30];
    expect(locks).toEqual(minutes.map((count) => count * MINUTE_S));
    app.clock.leap(30 * MINUTE_S * 1000);
    expect((await tryFrom(address, email, PASSWORD)).status).toBe(200);
  });

  test('does not count attempts while the account is locked', async () => {
    const { email } = await registerPerson(app);
    const address = anyAddress();
    await failTimes(5, address, email);
    for (let nth = 0; nth < 20; nth++) expect(lockOf(await tryFrom(address, email))).toBe(30);
    app.clock.leap(30_000);
    expect((await tryFrom(address, email, PASSWORD)).status).toBe(200);
  });

  test('restarts its count after a successful sign-in, also for attempts from other IP addresses', async () => {
    const { email } = await registerPerson(app);
    const address = anyAddress();
    for (let nth = 0; nth < 3; nth++) {
      await failTimes(4, address, email);
      expect((await tryFrom(address, email, PASSWORD)).status).toBe(200);
    }
    await failTimes(5, address, email);
    expect((await tryFrom(address, email)).status).toBe(429);
  });

  test('ignores failures after a day without a failure', async () => {
    const { email } = await registerPerson(app);
    const address = anyAddress();
    await failTimes(4, address, email);
    app.clock.leap(24 * HOUR_MS);
    await failTimes(5, address, email);
    expect((await tryFrom(address, email)).status).toBe(429);
  });

  test('affects neither other IP addresses of the account nor other accounts at this IP address', async () => {
    const [person, other] = [await registerPerson(app), await registerPerson(app)];
    const address = anyAddress();
    await failTimes(5, address, person.email);
    expect((await tryFrom(address, person.email)).status).toBe(429);
    expect((await tryFrom(anyAddress(), person.email, PASSWORD)).status).toBe(200);
    expect((await tryFrom(address, other.email, PASSWORD)).status).toBe(200);
  });

  test("treats all IPv6 addresses of a subscriber's network as one", async () => {
    const email = anyEmail();
    for (let nth = 1; nth <= 5; nth++)
      expect((await tryFrom(`2001:db8:7:${1}:${nth}::${nth}`, email)).status).toBe(400);
    expect((await tryFrom('2001:db8:7:1:ffff::9', email)).status).toBe(429);
    expect((await tryFrom('2001:db8:7:2::9', email)).status).toBe(400);
  });

  test('counts failures for an unknown email address like those for a known one', async () => {
    const address = anyAddress();
    const email = anyEmail();
    await failTimes(5, address, email);
    expect(lockOf(await tryFrom(address, `  ${email.toUpperCase()}`))).toBe(30);
  });
});

describe('the lockout of an account at many IP addresses', () => {
  /** Causes 30 failures within an hour, each from another IP address. */
  const attack = async (email: string) => {
    toNextHour();
    for (let nth = 0; nth < 30; nth++) await failTimes(1, anyAddress(), email);
  };

  test('lasts at most one minute, and does not affect addresses where the owner signed in before', async () => {
    const { email } = await registerPerson(app);
    const home = anyAddress();
    expect((await tryFrom(home, email, PASSWORD)).status).toBe(200);
    await attack(email);
    for (let nth = 0; nth < 6; nth++) {
      const lock = lockOf(await tryFrom(anyAddress(), email, PASSWORD));
      expect(lock).toBeGreaterThan(0);
      expect(lock).toBeLessThanOrEqual(60);
      expect((await tryFrom(home, email, PASSWORD)).status).toBe(200);
      app.clock.leap(lock * 1000);
      await failTimes(1, anyAddress(), email);
    }
    app.clock.leap(60_000);
    expect((await tryFrom(anyAddress(), email, PASSWORD)).status).toBe(200);
  });

  test('remembers for 90 days that the owner signed in at an address', async () => {
    const { email } = await registerPerson(app);
    const [home, forgotten] = [anyAddress(), anyAddress()];
    expect((await tryFrom(forgotten, email, PASSWORD)).status).toBe(200);
    app.clock.leap(24 * HOUR_MS);
    expect((await tryFrom(home, email, PASSWORD)).status).toBe(200);
    app.clock.leap(89 * 24 * HOUR_MS);
    await attack(email);
    expect((await tryFrom(forgotten, email, PASSWORD)).status).toBe(429);
    toNextHour();
  });

  test('counts the failures of one hour', async () => {
    const email = anyEmail();
    toNextHour();
    for (let nth = 0; nth < 29; nth++) await failTimes(1, anyAddress(), email);
    toNextHour();
    await failTimes(1, anyAddress(), email);
    await failTimes(1, anyAddress(), email);
  });
});

test('200 failures an hour lock an IP address for a minute, except for accounts known there', async () => {
  toNextHour();
  const address = anyAddress();
  const { email } = await registerPerson(app);
  const neighbour = await registerPerson(app);
  expect((await tryFrom(address, neighbour.email, PASSWORD)).status).toBe(200);
  for (let nth = 0; nth < 200; nth += 20)
    await Promise.all(Array.from({ length: 20 }, () => failTimes(1, address, anyEmail())));
  expect(lockOf(await tryFrom(address, email, PASSWORD))).toBe(60);
  expect((await tryFrom(address, neighbour.email, PASSWORD)).status).toBe(200);
  expect((await tryFrom(anyAddress(), email, PASSWORD)).status).toBe(200);
  app.clock.leap(60_000);
  expect((await tryFrom(address, email, PASSWORD)).status).toBe(200);
});

test('concurrent attempts check no more passwords than sequential attempts', async () => {
  const { email } = await registerPerson(app);
  const address = anyAddress();
  const replies = await Promise.all(Array.from({ length: 20 }, () => tryFrom(address, email)));
  expect(replies.map(({ status }) => status).sort()).toEqual([...Array(5).fill(400), ...Array(15).fill(429)]);
  expect((await tryFrom(address, email, PASSWORD)).status).toBe(429);
});

test('stored failures contain neither an email address nor an IP address in clear', async () => {
  toNextHour();
  const address = anyAddress();
  await failTimes(2, address, anyEmail());
  const rows = await app.sql('select subject from sign_in_failures');
  expect(JSON.stringify(rows)).not.toContain(address);
  expect(JSON.stringify(rows)).not.toContain('@');
});
