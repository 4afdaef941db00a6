import { Secret, TOTP } from 'otpauth';
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Reply, type TestApp } from '../../support/app.ts';
import { askToken, readFaults, PASSWORD, readMails, registerPerson, type Person } from '../../support/people.ts';

const PATH = '/api/profile/mfa/totp';
const STEP_MS = 30_000;
const MFA_GRANT = 'urn:balcao:params:oauth:grant-type:mfa-otp';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const enrol = (person: Person, password = PASSWORD) => person.call(PATH, { body: { password } });
const confirm = (person: Person, code: unknown) => person.call(`${PATH}/confirm`, { body: { code } });
const disable = (person: Person, code: string) => person.call(PATH, { method: 'DELETE', body: { code } });
const renew = (person: Person, code: string) => person.call('/api/profile/mfa/recovery-codes', { body: { code } });
const authenticator = (secret: string) => new TOTP({ secret: Secret.fromBase32(secret) });
const codeOf = (totp: TOTP, steps = 0) => totp.generate({ timestamp: app.clock.now().getTime() + steps * STEP_MS });
const nextStep = () => app.clock.leap(STEP_MS);

async function enrolled(): Promise<{ person: Person; totp: TOTP; recoveryCodes: string[] }> {
  const person = await registerPerson(app, { language: 'en' });
  const totp = authenticator((await enrol(person)).json.secret);
  const { json } = await confirm(person, codeOf(totp));
  nextStep();
  return { person, totp, recoveryCodes: json.recoveryCodes };
}

async function signIn({ email, password }: Person, otp: string): Promise<Reply> {
  const { json } = await askToken(app, { username: email, password });
  expect(json.error).toBe('mfa_required');
  return askToken(app, { grant_type: MFA_GRANT, mfa_token: json.mfa_token, otp });
}

const subjects = async ({ email }: Person) => (await readMails(app, email)).map(({ subject }) => subject);

describe('the setup of two-step sign-in', () => {
  test('returns a secret, as text and as a QR code', async () => {
    const person = await registerPerson(app);
    const { status, json } = await enrol(person);
    expect(status).toBe(201);
    expect(json.secret).toMatch(/^[A-Z2-7]{32}$/);
    const uri = new URL(json.otpauthUri);
    expect([uri.protocol, uri.host, uri.searchParams.get('secret')]).toEqual(['otpauth:', 'totp', json.secret]);
    expect(uri.searchParams.get('issuer')).toBe('Balcão');
    expect(decodeURIComponent(uri.pathname)).toBe(`/Balcão:${person.email}`);
    const [, svg = ''] = /^data:image\/svg\+xml;base64,(.+)$/.exec(json.qrCode) ?? [];
    expect(Buffer.from(svg, 'base64').toString()).toMatch(/^<svg/);
    const [row] = await app.sql('select * from users where id = $1', [person.userId]);
    expect(JSON.stringify(row)).not.toContain(json.secret);
    expect((await person.call('/api/profile')).json.mfaEnabled).toBe(false);
    expect((await person.signIn()).token).toBeTruthy();
  });

  test('is complete after one TOTP code, and returns ten recovery codes', async () => {
    const person = await registerPerson(app, { language: 'en' });
    const totp = authenticator((await enrol(person)).json.secret);
    const { status, json } = await confirm(person, codeOf(totp));
    expect(status).toBe(200);
    expect(new Set(json.recoveryCodes).size).toBe(10);
    for (const code of json.recoveryCodes) expect(code).toMatch(/^[0-9a-z]{8}-[0-9a-z]{8}$/);
    expect((await person.call('/api/profile')).json).toMatchObject({ mfaEnabled: true, recoveryCodesLeft: 10 });
    const stored = JSON.stringify(await app.sql('select * from users where id = $1', [person.userId]));
    for (const code of json.recoveryCodes) expect(stored).not.toContain(code.slice(0, 8));
    expect(await subjects(person)).toHaveLength(2);
    const actions = await app.sql('select action from audit_entries where target = $1 order by seq', [person.userId]);
    expect(actions.map(({ action }) => action)).toEqual(expect.arrayContaining(['mfa.begun', 'mfa.enabled']));
  });

  test('requires the password', async () => {
    const person = await registerPerson(app);
    expect(readFaults(await enrol(person, 'not the right one 7'))).toEqual(['/password wrong_password']);
  });

  test('creates another secret if it is started again', async () => {
    const person = await registerPerson(app);
    const first = authenticator((await enrol(person)).json.secret);
    const second = authenticator((await enrol(person)).json.secret);
    expect(readFaults(await confirm(person, codeOf(first)))).toEqual(['/code wrong_code']);
    expect((await confirm(person, codeOf(second))).status).toBe(200);
  });

  test('requires a current TOTP code, and locks after several wrong ones', async () => {
    const person = await registerPerson(app);
    expect((await confirm(person, '123456')).json.code).toBe('mfa_not_enrolled');
    const totp = authenticator((await enrol(person)).json.secret);
    for (const code of [codeOf(totp, 2), codeOf(totp, -2), '', 'abcdef', `${codeOf(totp)}0`])
      expect(readFaults(await confirm(person, code))).toEqual(['/code wrong_code']);
    const locked = await confirm(person, codeOf(totp));
    expect([locked.status, locked.headers.get('retry-after')]).toEqual([429, '30']);
    nextStep();
    expect((await confirm(person, codeOf(totp))).status).toBe(200);
  });

  test('is refused while two-step sign-in is already on', async () => {
    const { person, totp } = await enrolled();
    expect((await enrol(person)).json.code).toBe('mfa_enabled');
    expect((await confirm(person, codeOf(totp))).json.code).toBe('mfa_enabled');
  });
});

describe('a sign-in with two steps', () => {
  test('accepts a TOTP code of the current, previous and next time step, each once', async () => {
    const { person, totp } = await enrolled();
    nextStep();
    const before = codeOf(totp, -1);
    expect((await signIn(person, before)).status).toBe(200);
    expect((await signIn(person, before)).json.error).toBe('invalid_grant');
    const spaced = codeOf(totp).replace(/(...)/, '$1 ');
    expect((await signIn(person, spaced)).status).toBe(200);
    expect((await signIn(person, codeOf(totp))).json.error).toBe('invalid_grant');
    expect((await signIn(person, codeOf(totp, 1))).status).toBe(200);
    expect((await signIn(person, codeOf(totp, -1))).json.error).toBe('invalid_grant');
    expect((await signIn(person, codeOf(totp, 2))).json.error).toBe('invalid_grant');
  });

  test('refuses the TOTP code that completed the setup', async () => {
    const person = await registerPerson(app);
    const totp = authenticator((await enrol(person)).json.secret);
    const code = codeOf(totp);
    await confirm(person, code);
    expect((await signIn(person, code)).json.error).toBe('invalid_grant');
  });

  test('accepts a recovery code once in any spelling, and reports its use by mail', async () => {
    const { person, recoveryCodes } = await enrolled();
    const [first = '', second = ''] = recoveryCodes;
    expect((await signIn(person, first)).status).toBe(200);
    expect((await signIn(person, first)).json.error).toBe('invalid_grant');
    expect((await signIn(person, ` ${second.toUpperCase().replace('-', ' ')}`)).status).toBe(200);
    expect((await person.call('/api/profile')).json.recoveryCodesLeft).toBe(8);
    const told = (await readMails(app, person.email)).slice(2);
    expect(told).toHaveLength(2);
    expect(told[1]!.text).toContain('8');
  });
});

describe('turning off two-step sign-in', () => {
  test.each(['a code', 'a recovery code'])('succeeds with the password and %s', async (which) => {
    const { person, totp, recoveryCodes } = await enrolled();
    const code = which === 'a code' ? codeOf(totp) : recoveryCodes[4]!;
    expect((await disable(person, code)).status).toBe(204);
    expect((await person.call('/api/profile')).json).toMatchObject({ mfaEnabled: false, recoveryCodesLeft: 0 });
    expect((await askToken(app, { username: person.email, password: PASSWORD })).status).toBe(200);
    expect((await disable(person, code)).json.code).toBe('mfa_not_enrolled');
    expect((await subjects(person)).length).toBe(which === 'a code' ? 3 : 4);
    const [row] = await app.sql('select totp_secret, totp_step from users where id = $1', [person.userId]);
    expect(row).toEqual({ totp_secret: null, totp_step: null });
  });

  test('is refused for a wrong code, and before the setup is complete', async () => {
    const { person } = await enrolled();
    expect(readFaults(await disable(person, 'abcdef'))).toEqual(['/code wrong_code']);
    expect((await person.call('/api/profile')).json.mfaEnabled).toBe(true);
    const other = await registerPerson(app);
    const { json } = await enrol(other);
    expect((await disable(other, codeOf(authenticator(json.secret)))).json.code).toBe('mfa_not_enrolled');
  });
});

describe('a request for new recovery codes', () => {
  test('replaces the old recovery codes', async () => {
    const { person, totp, recoveryCodes } = await enrolled();
    const { status, json } = await renew(person, codeOf(totp));
    expect(status).toBe(200);
    expect(json.recoveryCodes).toHaveLength(10);
    expect(json.recoveryCodes).not.toEqual(expect.arrayContaining([recoveryCodes[0]]));
    expect((await signIn(person, recoveryCodes[0]!)).json.error).toBe('invalid_grant');
    expect((await signIn(person, json.recoveryCodes[0])).status).toBe(200);
  });

  test('accepts a recovery code as the second step', async () => {
    const { person, recoveryCodes } = await enrolled();
    expect((await renew(person, recoveryCodes[9]!)).status).toBe(200);
    expect((await person.call('/api/profile')).json.recoveryCodesLeft).toBe(10);
  });

  test('is refused without two-step sign-in, and for a wrong code', async () => {
    expect((await renew(await registerPerson(app), '123456')).json.code).toBe('mfa_not_enrolled');
    const { person } = await enrolled();
    expect(readFaults(await renew(person, '0000-0000'))).toEqual(['/code wrong_code']);
  });
});
