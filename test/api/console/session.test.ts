import { describe, expect, test } from 'vitest';
import { CONSOLE_CLIENT } from '../../../server/people/sessions.ts';
import { startTestApp } from '../../support/app.ts';
import { cookieOf, enterConsole, formTokenIn, sendSignIn, visitWith } from '../../support/console.ts';
import { addAccess, addMember, PASSWORD } from '../../support/members.ts';
import { MINUTE_MS } from '../../../shared/durations.ts';

const app = await startTestApp();

const demo = async () => (await app.sql<{ id: string }>(`select id from merchants where name = 'Loja da Ilha'`))[0]!.id;
const merchantId = await demo();

describe('a sign-in', () => {
  test('is requested without a session, and returns to the requested page', async () => {
    const visit = visitWith(app, '');
    const refused = await visit.open('/console/payments?status=Paid');
    expect(refused.status).toBe(303);
    const door = refused.headers.get('location')!;
    expect(door).toBe(`/console/sign-in?to=${encodeURIComponent('/console/payments?status=Paid')}`);
    const shown = await visit.open(door);
    expect(shown.text).toContain('name="to" value="/console/payments?status=Paid"');
    const { email } = await addMember(app, { merchantId });
    const entered = await sendSignIn(app, { email, password: PASSWORD, to: '/console/payments?status=Paid' });
    expect(entered.headers.get('location')).toBe('/console/payments?status=Paid');
  });

  test.each(['https://evil.example/', '//evil.example', '/console/../api', '/consolex', String.raw`/console\@evil`])(
    'does not redirect to %s',
    async (to) => {
      const { email } = await addMember(app, { merchantId });
      const entered = await sendSignIn(app, { email, password: PASSWORD, to });
      expect(entered.headers.get('location')).toBe('/console');
    },
  );

  test('with a wrong password does not show whether the account exists, and keeps the email address', async () => {
    const { email } = await addMember(app, { merchantId });
    const refused = await sendSignIn(app, { email, password: 'nenhuma destas' });
    expect(refused.status).toBe(400);
    expect(refused.headers.getSetCookie()).toEqual([]);
    expect(refused.text).toContain(`value="${email}"`);
    expect(refused.text).not.toContain('nenhuma destas');
    const unknown = await sendSignIn(app, { email: 'ninguem@exemplo.ao', password: 'nenhuma destas' });
    expect(unknown.text.replace('ninguem@exemplo.ao', email)).toBe(refused.text);
  });
});

describe('the session cookie', () => {
  test('is valid only for this host, hidden from scripts and other sites, and contains no data', async () => {
    const secure = await app.startTwin({
      env: { PUBLIC_URL: 'https://pagar.example', SANDBOX_PASSWORD: 'mulemba-kitanda' },
    });
    const { email } = await addMember(app, { merchantId });
    const reply = await sendSignIn(secure, { email, password: PASSWORD }, { origin: 'https://pagar.example' });
    const [value, ...attributes] = reply.headers.getSetCookie()[0]!.split('; ');
    expect(value).toMatch(/^__Host-balcao=/);
    expect(attributes.toSorted()).toEqual(['HttpOnly', 'Path=/', 'SameSite=Strict', 'Secure']);
    expect(reply.headers.get('cache-control')).toBe('no-store');
  });

  test('is new at each sign-in, which ends the earlier session', async () => {
    const member = await addMember(app, { merchantId });
    const before = await enterConsole(app, member);
    const again = await visitWith(app, before.cookie).post('/console/sign-in', {
      email: member.email,
      password: PASSWORD,
    });
    expect(cookieOf(again)).not.toBe(before.cookie);
    expect((await before.open('/console/account')).status).toBe(303);
    expect((await visitWith(app, cookieOf(again)).open('/console/account')).status).toBe(200);
  });

  test("is refused without its secret part or with another session's", async () => {
    const [one, other] = [await addMember(app, { merchantId }), await addMember(app, { merchantId })];
    const [mine, theirs] = [await enterConsole(app, one), await enterConsole(app, other)];
    const [name, id, proof] = [mine.cookie.split('=')[0], theirs.cookie.split(/[=.]/)[1], mine.cookie.split('.')[1]];
    for (const forged of [`${name}=${id}`, `${name}=${id}.`, `${name}=${id}.${proof}`, `${name}=x`])
      expect((await visitWith(app, forged).open('/console/account')).status).toBe(303);
    expect((await theirs.open('/console/account')).status).toBe(200);
  });

  test('gives no access to operations of the API', async () => {
    const visit = await enterConsole(app, await addMember(app, { merchantId }));
    expect((await visit.open('/api/profile')).status).toBe(401);
    const name = visit.cookie.split('=')[1]!;
    expect((await app.call('/api/profile', { token: name })).status).toBe(401);
  });
});

describe('a console session', () => {
  test('ends half an hour after its last use', async () => {
    const visit = await enterConsole(app, await addMember(app, { merchantId }));
    await app.clock.leap(29 * MINUTE_MS);
    expect((await visit.open('/console/account')).status).toBe(200);
    await app.clock.leap(29 * MINUTE_MS);
    // A live request of an open page does not extend the session.
    expect((await visit.open('/console/account', { headers: { 'x-balcao-live': '1' } })).status).toBe(200);
    await app.clock.leap(MINUTE_MS + 1);
    const { headers } = await visit.open('/console/account');
    expect(headers.get('location')).toBe('/console/sign-in?to=%2Fconsole%2Faccount&ended=');
    expect((await visit.open(headers.get('location')!)).text).toContain('A sua sessão terminou.');
  });

  test('ends after twelve hours even if it is used all the time', async () => {
    const visit = await enterConsole(app, await addMember(app, { merchantId }));
    for (let minutes = 0; minutes < 12 * 60 - 20; minutes += 20) {
      await app.clock.leap(20 * MINUTE_MS);
      expect((await visit.open('/console/account')).status).toBe(200);
    }
    await app.clock.leap(20 * MINUTE_MS + 1);
    expect((await visit.open('/console/account')).status).toBe(303);
  });

  test('is listed and can be ended by the API and by the console', async () => {
    const member = await addMember(app, { merchantId });
    const visit = await enterConsole(app, member);
    const token = await member.token();
    const { json } = await app.call('/api/profile/sessions', { token });
    const listed = json.data.find(({ clientId }: { clientId: string }) => clientId === CONSOLE_CLIENT);
    expect(listed).toMatchObject({ isCurrent: false, merchantId });
    const ended = await app.call(`/api/profile/sessions/${listed.id}`, { method: 'DELETE', token });
    expect(ended.status).toBe(204);
    expect((await visit.open('/console/account')).status).toBe(303);

    const [here, there] = [await enterConsole(app, member), await enterConsole(app, member)];
    const sessionId = there.cookie.split(/[=.]/)[1]!;
    expect((await here.act('/console/account', 'end', { sessionId })).status).toBe(303);
    expect((await there.open('/console/account')).status).toBe(303);
    expect((await here.open('/console/account')).status).toBe(200);
  });

  test('ends at the sign-out, which deletes the cookie', async () => {
    const visit = await enterConsole(app, await addMember(app, { merchantId }));
    const token = formTokenIn(await visit.open('/console/account'));
    const out = await visit.post('/console/sign-out', { token });
    expect(out.headers.get('location')).toBe('/console/sign-in?out');
    expect(out.headers.getSetCookie()[0]).toMatch(/^balcao=; .*Max-Age=0/);
    expect((await visit.open('/console/account')).status).toBe(303);
  });

  test('is replaced by a new session when the person switches to another merchant', async () => {
    const member = await addMember(app, { merchantId });
    const [other, foreign] = [await app.addMerchant({ name: 'Padaria' }), await app.addMerchant()];
    await addAccess(app, { userId: member.userId, merchantId: other.merchantId, role: 'Viewer' });
    const visit = await enterConsole(app, member);
    const token = formTokenIn(await visit.open('/console/account'));
    expect((await visit.post('/console/merchant', { token, merchantId: foreign.merchantId })).status).toBe(404);
    const moved = await visit.post('/console/merchant', { token, merchantId: other.merchantId });
    expect(moved.status).toBe(303);
    expect((await visit.open('/console/account')).status).toBe(303);
    const { text } = await visitWith(app, cookieOf(moved)).open('/console/account');
    expect(text).toMatch(/<strong>Padaria<\/strong>/);
  });

  test('shows no page of a merchant after the person loses access to this merchant', async () => {
    const member = await addMember(app, { merchantId });
    const visit = await enterConsole(app, member);
    expect((await visit.open('/console/payments')).status).toBe(200);
    await app.sql('delete from memberships where user_id = $1', [member.userId]);
    expect((await visit.open('/console/payments')).status).toBe(404);
    expect((await visit.open('/console/account')).status).toBe(200);
  });
});

describe('a form that is sent after its session has ended', () => {
  const CHARGE = { act: 'charge', key: 'k1', amount: '1.234', way: 'qrcode', phone: '', about: 'Pão & bolos' };
  const keptIn = (text: string) => {
    const [, kept = ''] = /name="kept" value="([^"]*)"/.exec(text) ?? [];
    return kept.replaceAll('&quot;', '"').replaceAll('&amp;', '&');
  };
  const open = async () => {
    const member = await addMember(app, { merchantId, role: 'Cashier' });
    const visit = await enterConsole(app, member);
    const token = formTokenIn(await visit.open('/console/account'));
    await visit.post('/console/sign-out', { token });
    return { member, visit: visitWith(app, ''), token };
  };

  test('is kept by the sign-in page, and shown again after the sign-in with the reason', async () => {
    const { member, visit, token } = await open();
    const door = await visit.post('/console/charge', { ...CHARGE, token });
    expect(door.status).toBe(200);
    expect(door.text).toContain('A sua sessão terminou e o formulário não foi enviado.');
    const kept = keptIn(door.text);
    expect(JSON.parse(kept)).toEqual({
      act: 'charge',
      key: CHARGE.key,
      amount: '1.234',
      way: 'qrcode',
      phone: '',
      about: 'Pão & bolos',
    });
    const wrong = await visit.post('/console/charge', { kept, email: member.email, password: 'nenhuma destas' });
    expect([wrong.status, keptIn(wrong.text)]).toEqual([400, kept]);
    const back = await visit.post('/console/charge', { kept, email: member.email, password: PASSWORD });
    expect(back.status).toBe(401);
    expect(back.text).toContain('A sua sessão tinha terminado e nada foi enviado.');
    expect(back.text).toContain('value="1.234"');
    expect(back.text).toContain('value="Pão &amp; bolos"');
    expect(back.text).toMatch(/value="qrcode" checked/);
    // The first form may have arrived before, over a line that broke. A repeat with its key is harmless.
    expect(back.text).toContain(`name="key" value="${CHARGE.key}"`);
    const again = { ...CHARGE, amount: '1234', token: formTokenIn(back) };
    expect((await visitWith(app, cookieOf(back)).post('/console/charge', again)).status).toBe(303);
  });

  test('is shown immediately after a sign-in on another tab', async () => {
    const { member, visit } = await open();
    const kept = keptIn((await visit.post('/console/charge', CHARGE)).text);
    const other = await enterConsole(app, member);
    const back = await other.post('/console/charge', { kept, email: '', password: '' });
    expect([back.status, back.text]).toEqual([401, expect.stringContaining('value="1.234"')]);
  });

  test('is not kept with a password, a secret or a code', async () => {
    const { visit } = await open();
    const form = { act: 'password', currentPassword: PASSWORD, password: 'outra ginguba azul 81', code: '123456' };
    const { text } = await visit.post('/console/account', form);
    expect(keptIn(text)).toBe('{"act":"password"}');
    for (const secret of [PASSWORD, 'ginguba', '123456']) expect(text).not.toContain(secret);
  });

  test('is not kept if another website sent it', async () => {
    const { visit } = await open();
    const sent = await visit.post('/console/charge', CHARGE, { origin: 'https://evil.example' });
    expect([sent.status, sent.headers.get('location')]).toEqual([303, '/console/sign-in?to=%2Fconsole%2Fcharge']);
  });

  test('is reported as lost if it is large or has files', async () => {
    const { visit } = await open();
    const lost = '/console/sign-in?to=%2Fconsole%2Freferences&lost=';
    const large = await visit.post('/console/references', { act: 'referencesCheck', lines: 'x'.repeat(20_000) });
    expect([large.status, large.headers.get('location')]).toEqual([303, lost]);
    const files = await visit.send(
      '/console/references',
      'referencesCheck',
      {},
      { 'lines.file': new File(['1'], 'a') },
    );
    expect([files.status, files.headers.get('location')]).toEqual([303, lost]);
    expect((await visit.open(lost)).text).toContain('preencha-o outra vez');
  });
});

describe('a form submitted by another site', () => {
  const FOREIGN: [what: string, headers: Record<string, string>][] = [
    ['another origin', { origin: 'https://evil.example' }],
    ['a hidden origin', { origin: 'null' }],
    ['an empty origin', { origin: '' }],
    ['another site by Sec-Fetch-Site', { 'sec-fetch-site': 'cross-site' }],
    ['another host of the same site', { 'sec-fetch-site': 'same-site' }],
  ];

  test.each(FOREIGN)('changes nothing if it comes from %s', async (_what, headers) => {
    const member = await addMember(app, { merchantId });
    expect((await sendSignIn(app, { email: member.email, password: PASSWORD }, headers)).status).toBe(403);
    const visit = await enterConsole(app, member);
    const token = formTokenIn(await visit.open('/console/account'));
    const act = { token, act: 'profile', language: 'fr' };
    expect((await visit.post('/console/account', act, headers)).status).toBe(403);
    await visit.post('/console/sign-out', { token }, headers);
    const { text, status } = await visit.open('/console/account');
    expect([status, /<html lang="(\w\w)"/.exec(text)?.[1]]).toEqual([200, 'pt']);
  });

  test("changes nothing without the session's token", async () => {
    const [one, other] = [await addMember(app, { merchantId }), await addMember(app, { merchantId })];
    const [visit, theirs] = [await enterConsole(app, one), await enterConsole(app, other)];
    const foreign = formTokenIn(await theirs.open('/console/account'));
    for (const token of ['', 'x', foreign])
      for (const path of ['/console/account', '/console/merchant'])
        expect((await visit.post(path, { token, act: 'profile', language: 'fr', merchantId })).status).toBe(403);
    await visit.post('/console/sign-out', { token: foreign });
    expect((await visit.open('/console/account')).text).toContain('<html lang="pt"');
  });
});
