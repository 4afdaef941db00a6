import { Secret, TOTP } from 'otpauth';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Reply, type TestApp } from '../../support/app.ts';
import { enterConsole, sendSignIn, type Visit } from '../../support/console.ts';
import { addMember, PASSWORD, type Member } from '../../support/members.ts';

const ACCOUNT = '/console/account';
const OTHER = 'outra ginguba azul 81';
const STEP_MS = 30_000;

let app: TestApp;
let ana: Member;
let visit: Visit;
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(async () => {
  const { merchantId } = await app.addMerchant();
  ana = await addMember(app, { merchantId });
  visit = await enterConsole(app, ana);
});

const secretIn = ({ text }: Reply) => /value="([A-Z2-7]{32})"/.exec(text)![1]!;
const codesIn = ({ text }: Reply) => /<pre[^>]*>([^<]+)<\/pre>/.exec(text)![1]!.split('\n');
const codeOf = (secret: string, laterMs = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: app.clock.now().getTime() + laterMs });
/** A code that the random secret has neither in this step nor in the steps beside it. */
const wrongCodeOf = (secret: string) => {
  const valid = [-STEP_MS, 0, STEP_MS].map((laterMs) => codeOf(secret, laterMs));
  return ['000000', '111111', '222222', '333333'].find((code) => !valid.includes(code))!;
};

async function enrol(): Promise<{ secret: string; codes: string[] }> {
  const secret = secretIn(await visit.act(ACCOUNT, 'enrol', { password: PASSWORD }));
  const codes = codesIn(await visit.act(ACCOUNT, 'confirm', { code: codeOf(secret) }));
  app.clock.leap(STEP_MS);
  return { secret, codes };
}

describe('the profile page', () => {
  const about = { firstName: 'Eva', lastName: 'Neto', phoneNumber: '923 456 789', language: 'fr' };
  const readProfile = async () => (await app.call('/api/profile', { token: await ana.token() })).json;

  test("changes the person's data and language", async () => {
    expect((await visit.act(ACCOUNT, 'profile', about)).status).toBe(303);
    expect(await readProfile()).toMatchObject({ ...about, phoneNumber: '+244923456789' });
    expect((await visit.open(ACCOUNT)).text).toContain('<html lang="fr"');
    await visit.act(ACCOUNT, 'profile', { ...about, phoneNumber: ' ' });
    expect((await readProfile()).phoneNumber).toBeNull();
  });

  test('shows errors beside their fields, and does not overwrite a concurrent change', async () => {
    const wrong = await visit.act(ACCOUNT, 'profile', { ...about, lastName: '', phoneNumber: '12' });
    expect(wrong.status).toBe(400);
    for (const field of ['lastName', 'phoneNumber'])
      expect(wrong.text).toMatch(new RegExp(`<input[^>]*id="profile-${field}"[^>]*aria-invalid="true"`));
    const { text } = await visit.open(ACCOUNT);
    const etag = /name="etag" value="([^"]+)"/.exec(text)![1]!.replaceAll('&quot;', '"');
    await app.call('/api/profile', { method: 'PUT', token: await ana.token(), body: { firstName: 'Rita' } });
    const late = await visit.act(ACCOUNT, 'profile', { ...about, etag });
    expect([late.status, late.text]).toEqual([412, expect.stringContaining('Está guardado agora: <strong>Rita')]);
    expect((await readProfile()).firstName).toBe('Rita');
  });
});

describe('the password page', () => {
  test('changes the password and ends the other sessions', async () => {
    const elsewhere = await enterConsole(app, ana);
    const changed = await visit.act(ACCOUNT, 'password', { currentPassword: PASSWORD, password: OTHER });
    expect([changed.status, changed.headers.get('location')]).toEqual([303, `${ACCOUNT}?done=password`]);
    expect((await elsewhere.open(ACCOUNT)).status).toBe(303);
    expect((await visit.open(ACCOUNT)).status).toBe(200);
    await expect(enterConsole(app, ana)).rejects.toThrow('not signed in');
    await enterConsole(app, ana, OTHER);
  });

  test.each([
    ['currentPassword', { currentPassword: 'nenhuma destas', password: OTHER }, 'Não é a sua palavra-passe.'],
    ['password', { currentPassword: PASSWORD, password: 'curta' }, 'Use 12 a 128 caracteres.'],
    ['password', { currentPassword: PASSWORD, password: 'passwordpassword' }, 'É demasiado fácil de adivinhar'],
  ])('shows an error of the field %s beside it, and returns no password', async (field, typed, told) => {
    const { status, text } = await visit.act(ACCOUNT, 'password', typed);
    expect([status, text]).toEqual([400, expect.stringContaining(told)]);
    expect(text).toMatch(new RegExp(`<input[^>]*id="password-${field}"[^>]*aria-invalid="true"`));
    for (const secret of Object.values(typed)) expect(text).not.toContain(secret);
    await enterConsole(app, ana);
  });
});

describe('the page of two-step sign-in', () => {
  test('turns two-step sign-in on with a TOTP code, and shows the QR image and the recovery codes once', async () => {
    const elsewhere = await enterConsole(app, ana);
    const begun = await visit.act(ACCOUNT, 'enrol', { password: PASSWORD });
    expect([begun.status, begun.headers.get('cache-control')]).toEqual([200, expect.stringContaining('no-store')]);
    expect(begun.text).toMatch(/<img class="qr" src="data:image\/svg\+xml;base64,[\w+/=]+"/);
    expect(begun.text).toContain('href="otpauth://totp/');
    const secret = secretIn(begun);
    expect((await visit.open(ACCOUNT)).text).not.toContain(secret);

    const hidden = [...begun.text.matchAll(/type="hidden" name="(secret|otpauthUri|qrCode)" value="([^"]+)"/g)];
    const told = Object.fromEntries(hidden.map(([, name, value]) => [name, value!.replaceAll('&amp;', '&')]));
    const wrongCode = wrongCodeOf(secret);
    const wrong = await visit.act(ACCOUNT, 'confirm', { ...told, code: wrongCode });
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('Esse código não serve.')]);
    // The person can still scan the QR image after a wrong code.
    expect(wrong.text).toContain(`<img class="qr" src="${told['qrCode']}"`);
    expect(secretIn(wrong)).toBe(secret);
    const forged = await visit.act(ACCOUNT, 'confirm', { ...told, otpauthUri: 'javascript:x', code: wrongCode });
    expect(forged.text).not.toMatch(/javascript:|class="qr"/);
    const on = await visit.act(ACCOUNT, 'confirm', { code: ` ${codeOf(secret)} ` });
    expect([on.status, codesIn(on).length]).toEqual([200, 10]);
    expect((await elsewhere.open(ACCOUNT)).status).toBe(303);
    const { text } = await visit.open(ACCOUNT);
    expect(text).toContain('Códigos de recuperação por usar: 10.');
    for (const code of codesIn(on)) expect(text).not.toContain(code);
  });

  test('requires a TOTP code or a recovery code at the next sign-in', async () => {
    const { secret, codes } = await enrol();
    for (const code of [codeOf(secret), codes[0]!]) {
      const asked = await sendSignIn(app, { email: ana.email, password: PASSWORD });
      const mfaToken = /name="mfaToken" value="([^"]+)"/.exec(asked.text)![1]!;
      const wrong = await sendSignIn(app, { mfaToken, code: wrongCodeOf(secret) });
      expect([asked.status, wrong.status]).toEqual([200, 400]);
      for (const { headers } of [asked, wrong]) expect(headers.getSetCookie()).toEqual([]);
      expect((await sendSignIn(app, { mfaToken, code })).status).toBe(303);
    }
    expect((await visit.open(ACCOUNT)).text).toContain('Códigos de recuperação por usar: 9.');
  });

  test('replaces the recovery codes, and turns two-step sign-in off', async () => {
    const { secret, codes } = await enrol();
    const renewed = await visit.act(ACCOUNT, 'renew', { code: codeOf(secret) });
    expect(codesIn(renewed).filter((code) => codes.includes(code))).toEqual([]);
    expect((await visit.act(ACCOUNT, 'disable', { code: codes[1]! })).status).toBe(400);
    const off = await visit.act(ACCOUNT, 'disable', { code: codesIn(renewed)[0]! });
    expect(off.headers.get('location')).toBe(`${ACCOUNT}?done=disable`);
    await enterConsole(app, ana);
  });

  test('requires the password, and locks after wrong passwords', async () => {
    const typed = { password: 'nenhuma destas' };
    const refused = await visit.act(ACCOUNT, 'enrol', typed);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('Não é a sua palavra-passe.')]);
    for (let nth = 0; nth < 4; nth++) await visit.act(ACCOUNT, 'enrol', typed);
    const held = await visit.act(ACCOUNT, 'enrol', { password: PASSWORD });
    expect([held.status, held.text]).toEqual([429, expect.stringContaining('Foram demasiadas tentativas.')]);
  });
});
