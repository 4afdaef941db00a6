import { argon2Sync } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { roleOf } from '../../../shared/roles.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import {
  addInvited,
  anyEmail,
  askToken,
  readFaults,
  PASSWORD,
  readLinkToken,
  readMails,
  registerPerson,
  untilDecided,
} from '../../support/people.ts';
import { HOUR_MS } from '../../../shared/durations.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const post = (path: string, body: unknown, headers = {}) =>
  app.call(`/api/auth/${path}`, { body, token: null, headers });
const register = (email: string, more: object = {}) =>
  post('register', { email, password: PASSWORD, firstName: 'Ana', lastName: 'Domingos', ...more });
const verify = (token: string, password?: string) => post('verify-email', { token, password });
const signIn = (username: string, password = PASSWORD) => askToken(app, { username, password });
const userOf = async (email: string) => (await app.sql('select * from users where email = $1', [email]))[0];

describe('the registration of a person', () => {
  test('allows the person to sign in after confirming the email address', async () => {
    const email = anyEmail();
    const reply = await register(email, { phoneNumber: '+244 923 456 789', language: 'EN' });
    expect(reply.status).toBe(201);
    expect(reply.json).toEqual({ message: expect.any(String) });
    expect(await userOf(email)).toMatchObject({
      first_name: 'Ana',
      last_name: 'Domingos',
      phone_number: '+244923456789',
      language: 'en',
      verified_at: null,
      password_hash: expect.stringMatching(/^\$argon2id\$v=19\$/),
    });
    expect((await signIn(email)).json.error).toBe('invalid_grant');
    const [mail, ...others] = await readMails(app, email);
    expect(others).toEqual([]);
    expect(mail!.text).toContain('Ana');
    expect((await verify(await readLinkToken(app, email, 'verify-email'))).status).toBe(200);
    expect((await signIn(email)).status).toBe(200);
    expect((await userOf(email)).verified_at).not.toBeNull();
  });

  test('treats all spellings of an email address as one', async () => {
    const email = anyEmail();
    await register(` ${email.toUpperCase()} `);
    expect(await userOf(email)).toBeDefined();
    await verify(await readLinkToken(app, email, 'verify-email'));
    expect((await signIn(`  ${email.toUpperCase()}`)).status).toBe(200);
  });

  test.each([
    [{}, 'pt'],
    [{ 'accept-language': 'fr-FR, en;q=0.5' }, 'fr'],
    [{ 'accept-language': 'de' }, 'pt'],
  ])('sends its mail in the language that %j selects', async (headers, language) => {
    const email = anyEmail();
    const names = { firstName: 'Ana', lastName: 'Domingos' };
    await post('register', { email, password: PASSWORD, ...names }, headers);
    expect((await userOf(email)).language).toBe(language);
    expect((await readMails(app, email))[0]!.text).toContain(`lang=${language}`);
  });

  test('for a known email address changes nothing and mails the owner of the address', async () => {
    const { email } = await registerPerson(app, { language: 'en' });
    const before = await userOf(email);
    expect((await register(email, { password: 'outra palavra longa 99', firstName: 'Rita' })).status).toBe(201);
    expect(await userOf(email)).toEqual(before);
    const mails = await readMails(app, email);
    expect(mails).toHaveLength(2);
    expect(mails[1]!.text).toContain('/account/recover');
    expect(mails[1]!.text).not.toMatch(/Rita|token=/);
  });

  test('is possible for a person with an open invitation', async () => {
    const { email, userId } = await addInvited(app);
    await register(email);
    expect((await verify(await readLinkToken(app, email, 'verify-email'))).status).toBe(200);
    expect((await userOf(email)).id).toBe(userId);
    expect((await signIn(email)).status).toBe(200);
  });

  test.each([
    [{}, ['/email required', '/password required', '/firstName required', '/lastName required']],
    [
      { email: 'kiala.fortunato@exemplo.ao', password: 'kiala.fortunato', firstName: 'Kiala', lastName: 'Fortunato' },
      ['/password password_common'],
    ],
  ])('refuses %j', async (body, faults) => {
    const before = await app.sql('select count(*) from users');
    expect(readFaults(await post('register', body)).sort()).toEqual(faults.toSorted());
    expect(await app.sql('select count(*) from users')).toEqual(before);
  });
});

test('a password with an outdated hash is hashed again at the next sign-in', async () => {
  const { email } = await registerPerson(app);
  const [nonce, cost] = [Buffer.alloc(16, 1), { memory: 8_192, passes: 1, parallelism: 1, tagLength: 32 }];
  const tag = argon2Sync('argon2id', { message: PASSWORD, nonce, ...cost });
  const [salt, digest] = [nonce, tag].map((bytes) => bytes.toString('base64').replace(/=+$/, ''));
  const old = `$argon2id$v=19$m=8192,t=1,p=1$${salt}$${digest}`;
  await app.sql('update users set password_hash = $1 where email = $2', [old, email]);
  expect((await signIn(email, 'not the right one 7')).status).toBe(400);
  expect((await userOf(email)).password_hash).toBe(old);
  expect((await signIn(email)).status).toBe(200);
  expect((await userOf(email)).password_hash).not.toContain('$m=8192,t=1,p=1$');
  expect((await signIn(email)).status).toBe(200);
});

describe('an email address that two people register', () => {
  const [HERS, STRANGERS] = ['primeira palavra longa 1', 'um estranho muito paciente 9'];
  const linkOf = (email: string) => readLinkToken(app, email, 'verify-email');

  async function registerTwice(passwords: [string, string]) {
    const email = anyEmail();
    const links: string[] = [];
    for (const [nth, password] of passwords.entries()) {
      expect((await register(email, { password, firstName: ['Ana', 'Rita'][nth] })).status).toBe(201);
      links.push(await linkOf(email));
    }
    return { email, first: links[0]!, second: links[1]! };
  }

  const expectHers = async (email: string) => {
    expect((await signIn(email, HERS)).status).toBe(200);
    expect((await signIn(email, STRANGERS)).json.error).toBe('invalid_grant');
  };

  test('keeps the first registration if the link of the first mail is opened first', async () => {
    const { email, first, second } = await registerTwice([HERS, STRANGERS]);
    expect(second).not.toBe(first);
    expect((await verify(first)).status).toBe(200);
    expect((await userOf(email)).first_name).toBe('Ana');
    await expectHers(email);
    for (const password of [undefined, STRANGERS]) {
      const late = await verify(second, password);
      expect(late.status).toBe(400);
    }
    await expectHers(email);
  });

  test.each<[string, [string, string]]>([
    ['a stranger', [HERS, STRANGERS]],
    ['her', [STRANGERS, HERS]],
  ])(
    'and last by %s is confirmed by the newer link only with the password entered on its page',
    async (_, passwords) => {
      const { email, first, second } = await registerTwice(passwords);
      expect(readFaults(await verify(second))).toEqual(['/password required']);
      expect(readFaults(await verify(second, 'curta'))).toEqual(['/password password_length']);
      expect((await userOf(email)).verified_at).toBeNull();
      expect((await verify(second, HERS)).status).toBe(200);
      await expectHers(email);
      expect((await verify(first)).json.code).toBe('link_invalid');
      expect((await verify(first, STRANGERS)).json.code).toBe('link_invalid');
      await expectHers(email);
    },
  );

  test('requires the password also after its link is mailed again', async () => {
    const { email, first, second } = await registerTwice([STRANGERS, HERS]);
    await post('verify-email/resend', { email });
    await until(async () => (await linkOf(email)) !== second, 'the third mail');
    const third = await linkOf(email);
    expect(readFaults(await verify(third))).toEqual(['/password required']);
    expect((await verify(second, HERS)).json.code).toBe('link_invalid');
    expect((await verify(third, HERS)).status).toBe(200);
    expect((await verify(first, STRANGERS)).json.code).toBe('link_invalid');
    await expectHers(email);
  });

  test('belongs to the second registration if the first was not confirmed in time', async () => {
    const email = anyEmail();
    await register(email, { password: STRANGERS, phoneNumber: '923456789' });
    app.clock.leap(24 * HOUR_MS);
    await register(email, { password: HERS, firstName: 'Rita' });
    expect(await userOf(email)).toMatchObject({ first_name: 'Rita', phone_number: null });
    expect((await verify(await linkOf(email))).status).toBe(200);
    await expectHers(email);
  });

  test('registered only by another person gets the password that the reader of the mail chooses', async () => {
    const email = anyEmail();
    await register(email, { password: STRANGERS });
    expect((await verify(await linkOf(email), HERS)).status).toBe(200);
    await expectHers(email);
  });
});

describe('the confirmation link of a registration', () => {
  test('is accepted once', async () => {
    const { email } = await registerPerson(app);
    const again = await verify(await readLinkToken(app, email, 'verify-email'));
    expect([again.status, again.json.code]).toEqual([400, 'link_invalid']);
  });

  test('is rejected after 24 hours', async () => {
    const [early, late] = [anyEmail(), anyEmail()];
    for (const email of [early, late]) await register(email);
    const tokens = await Promise.all([early, late].map((email) => readLinkToken(app, email, 'verify-email')));
    app.clock.leap(24 * HOUR_MS - 1);
    expect((await verify(tokens[0]!)).status).toBe(200);
    app.clock.leap(1);
    expect((await verify(tokens[1]!)).json.code).toBe('link_invalid');
    expect((await userOf(late)).verified_at).toBeNull();
  });

  test.each(['', 'x', 'A'.repeat(43)])('is rejected if it is %j', async (token) => {
    expect((await verify(token)).json.code).toBe('link_invalid');
  });
});

describe('POST /api/auth/verify-email/resend', () => {
  const countMails = async (email: string) => (await readMails(app, email)).length;
  const resend = (email: string) => post('verify-email/resend', { email });
  test('replaces the older link', async () => {
    const email = anyEmail();
    await register(email);
    const first = await readLinkToken(app, email, 'verify-email');
    expect((await resend(email)).status).toBe(200);
    await expect.poll(() => countMails(email)).toBe(2);
    expect((await verify(first)).json.code).toBe('link_invalid');
    expect((await verify(await readLinkToken(app, email, 'verify-email'))).status).toBe(200);
  });

  test('sends no mail to an email address without an open registration', async () => {
    const { email: known } = await registerPerson(app);
    const { email: invited } = await addInvited(app);
    const unknown = anyEmail();
    await untilDecided(app, 'register', 3, async () => {
      for (const email of [known, invited, unknown]) expect((await resend(email)).status).toBe(200);
    });
    expect(await Promise.all([known, invited, unknown].map(countMails))).toEqual([1, 0, 0]);
    expect(await userOf(unknown)).toBeUndefined();
  });

  test('sends at most ten mails an hour', async () => {
    const email = anyEmail();
    for (let nth = 0; nth < 12; nth++) expect((await register(email)).status).toBe(201);
    expect(await countMails(email)).toBe(10);
    const newest = await readLinkToken(app, email, 'verify-email');
    app.clock.leap(HOUR_MS);
    expect((await register(email)).status).toBe(201);
    expect(await countMails(email)).toBe(11);
    expect((await verify(newest)).json.code).toBe('link_invalid');
  });
});

describe('an email address that an attacker registers before its owner', () => {
  const STRANGERS = 'um estranho muito paciente 9';

  /** A merchant grants access. Then an attacker registers the address before the owner confirms it. */
  async function takeAhead() {
    const email = anyEmail();
    const shop = await app.addMerchant();
    const roleId = roleOf('Viewer').id;
    const offer = { body: { email, roleId }, token: shop.token };
    expect((await app.call(`/api/merchants/${shop.merchantId}/users`, offer)).status).toBe(200);
    app.clock.leap(1_000);
    const stranger = await registerPerson(app, { email, password: STRANGERS });
    return { email, shop, stranger };
  }

  test('does not give its invitations to the attacker, nor reveal them', async () => {
    const { shop, stranger } = await takeAhead();
    const { reply } = await stranger.signIn();
    expect(reply.json).toMatchObject({ merchant_id: null, scope: '' });
    const asked = await askToken(app, { username: stranger.email, password: STRANGERS, merchant_id: shop.merchantId });
    expect(asked).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
    expect((await stranger.call('/api/profile')).json.merchants).toEqual([]);
  });

  test("is taken over by its owner's invitation link, which ends the attacker's sessions", async () => {
    const { email, shop, stranger } = await takeAhead();
    const { refreshToken } = await stranger.signIn();
    const token = await readLinkToken(app, email, 'invitation');
    const body = { token, password: PASSWORD, firstName: 'Rita', lastName: 'Cruz' };
    expect((await app.call('/api/auth/accept-invitation', { body, token: null })).status).toBe(200);
    const grant = { grant_type: 'refresh_token', refresh_token: refreshToken };
    expect((await askToken(app, grant)).status).toBe(400);
    expect((await askToken(app, { username: email, password: STRANGERS })).status).toBe(400);
    const reply = await askToken(app, { username: email, password: PASSWORD });
    expect(reply.json.merchant_id).toBe(shop.merchantId);
  });

  test('is taken over by a password reset of its owner', async () => {
    const { email, shop } = await takeAhead();
    await app.call('/api/auth/recover', { body: { email }, token: null });
    const token = await readLinkToken(app, email, 'reset');
    expect((await app.call('/api/auth/reset', { body: { token, password: PASSWORD }, token: null })).status).toBe(200);
    const reply = await askToken(app, { username: email, password: PASSWORD });
    expect(reply.json.merchant_id).toBe(shop.merchantId);
  });

  test('accepts invitations without a link after the owner has confirmed it', async () => {
    const { stranger } = await takeAhead();
    const other = await app.addMerchant();
    const offer = { body: { email: stranger.email, roleId: roleOf('Viewer').id }, token: other.token };
    await app.call(`/api/merchants/${other.merchantId}/users`, offer);
    expect((await stranger.signIn()).reply.json.merchant_id).toBe(other.merchantId);
  });
});
