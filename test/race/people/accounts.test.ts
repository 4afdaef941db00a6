import { Secret, TOTP } from 'otpauth';
import { beforeAll, describe, expect, test } from 'vitest';
import { recordFailure } from '../../../server/people/lockout.ts';
import { startTestApp, until, type Reply, type TestApp } from '../../support/app.ts';
import {
  anyEmail,
  askToken,
  PASSWORD,
  readLinkToken,
  readMails,
  registerPerson,
  type Person,
} from '../../support/people.ts';

const STEP_MS = 30_000;

let app: TestApp;
/** A second node on the same database. */
let twin: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  twin = await app.startTwin();
});

const nodeOf = (nth: number) => (nth % 2 ? twin : app);
const times = <T>(count: number, make: (nth: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, nth) => make(nth)));
const statuses = (replies: Reply[]) => replies.map(({ status }) => status).sort();
const post = (node: TestApp, path: string, body: object) => node.call(`/api/auth/${path}`, { body, token: null });
const registration = (email: string) => ({ email, password: PASSWORD, firstName: 'Ana', lastName: 'Neto' });

describe('a mailed link that concurrent requests use', () => {
  test('confirms an email address once', async () => {
    const email = anyEmail();
    await post(app, 'register', registration(email));
    const token = await readLinkToken(app, email, 'verify-email');
    const replies = await times(6, (nth) => post(nodeOf(nth), 'verify-email', { token }));
    expect(statuses(replies)).toEqual([200, 400, 400, 400, 400, 400]);
  });

  test('resets a password once', async () => {
    const { email } = await registerPerson(app);
    await post(app, 'recover', { email });
    const token = await readLinkToken(app, email, 'reset');
    const passwordOf = (nth: number) => `outra palavra longa ${nth}`;
    const replies = await times(6, (nth) => post(nodeOf(nth), 'reset', { token, password: passwordOf(nth) }));
    expect(statuses(replies)).toEqual([200, 400, 400, 400, 400, 400]);
    const winner = replies.findIndex(({ status }) => status === 200);
    expect((await askToken(app, { username: email, password: passwordOf(winner) })).status).toBe(200);
  });

  test('and a concurrent request for another link both end, and leave a valid account', async () => {
    for (let round = 0; round < 5; round++) {
      const email = anyEmail();
      await post(app, 'register', registration(email));
      const token = await readLinkToken(app, email, 'verify-email');
      const [again, verified, resent] = await Promise.all([
        post(app, 'register', registration(email)),
        post(twin, 'verify-email', { token }),
        post(app, 'verify-email/resend', { email }),
      ]);
      expect([again.status, resent.status]).toEqual([201, 200]);
      expect([200, 400]).toContain(verified.status);
      if (verified.status === 400)
        await until(async () => {
          const newest = await readLinkToken(app, email, 'verify-email');
          return (await post(twin, 'verify-email', { token: newest, password: PASSWORD })).status === 200;
        }, 'the newest link to work');
      expect((await askToken(app, { username: email, password: PASSWORD })).status).toBe(200);
    }
  });
});

test('concurrent registrations of one email address create one person with one valid link', async () => {
  const email = anyEmail();
  const replies = await times(6, (nth) => post(nodeOf(nth), 'register', registration(email)));
  expect(new Set(statuses(replies))).toEqual(new Set([201]));
  const mails = await readMails(app, email);
  expect(mails).toHaveLength(6);
  const tokens = mails.map(({ text }) => /token=([\w-]{43})/.exec(text)?.[1] as string);
  const followed = [];
  for (const token of tokens) followed.push(await post(app, 'verify-email', { token }));
  expect(statuses(followed)).toEqual([200, 400, 400, 400, 400, 400]);
});

describe('a second factor that concurrent requests use', () => {
  let person: Person;
  let totp: TOTP;
  let recoveryCodes: string[];
  const codeNow = () => totp.generate({ timestamp: app.clock.now().getTime() });

  beforeAll(async () => {
    person = await registerPerson(app);
    const { json } = await person.call('/api/profile/mfa/totp', { body: { password: PASSWORD } });
    totp = new TOTP({ secret: Secret.fromBase32(json.secret) });
    const confirm = () => person.call('/api/profile/mfa/totp/confirm', { body: { code: codeNow() } });
    const replies = await times(4, confirm);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    recoveryCodes = replies.find(({ status }) => status === 200)!.json.recoveryCodes;
  });

  const beginTimes = (count: number) =>
    times(count, async (nth) => {
      const { json } = await askToken(nodeOf(nth), { username: person.email, password: PASSWORD });
      return json.mfa_token as string;
    });
  const finish = (nth: number, mfa_token: string, otp: string) =>
    askToken(nodeOf(nth), { grant_type: 'urn:balcao:params:oauth:grant-type:mfa-otp', mfa_token, otp });

  const countLeft = async () => (await person.call('/api/profile')).json.recoveryCodesLeft as number;

  test('accepts a TOTP code once', async () => {
    app.clock.leap(3 * STEP_MS);
    const tokens = await beginTimes(4);
    const replies = await times(4, (nth) => finish(nth, tokens[nth]!, codeNow()));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test('accepts a recovery code once', async () => {
    const tokens = await beginTimes(4);
    const replies = await times(4, (nth) => finish(nth, tokens[nth]!, recoveryCodes[0]!));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await countLeft()).toBe(9);
  });

  test("accepts each of the person's recovery codes once", async () => {
    const tokens = await beginTimes(3);
    const replies = await times(3, (nth) => finish(nth, tokens[nth]!, recoveryCodes[nth + 1]!));
    expect(statuses(replies)).toEqual([200, 200, 200]);
    expect(await countLeft()).toBe(6);
  });
});

test('20 concurrent failed sign-ins count as 20', async () => {
  const who = { email: anyEmail(), address: '192.0.2.77' };
  const told = await times(20, (nth) => recordFailure(nodeOf(nth).node.core, who));
  expect(told.filter((seconds) => seconds === 0)).toHaveLength(5);
  const [row] = await app.sql('select max(failures) as failures from sign_in_failures');
  expect(row.failures).toBe(20);
});

test('of two concurrent changes of a password, one succeeds', async () => {
  const person = await registerPerson(app);
  const { token } = await person.signIn();
  const passwordOf = (nth: number) => `outra palavra longa ${nth}`;
  const replies = await times(4, (nth) =>
    nodeOf(nth).call('/api/profile/password', {
      body: { currentPassword: PASSWORD, password: passwordOf(nth) },
      token,
    }),
  );
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  const winner = replies.findIndex(({ status }) => status === 200);
  app.clock.leap(3_600_000);
  expect((await askToken(app, { username: person.email, password: passwordOf(winner) })).status).toBe(200);
});
