import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { jumpClock } from '../../support/jump-clock.ts';
import { expectRefusal, NO_TERMINAL, operate, operateJson, readAudit } from '../../support/operator.ts';
import { anyEmail, askToken, readMails, registerPerson } from '../../support/people.ts';
import { addAccess } from '../../support/members.ts';

let app: TestApp;
let merchantId: string;
beforeAll(async () => {
  app = await startTestApp({ clock: jumpClock() });
});
beforeEach(async () => {
  ({ merchantId } = await app.addMerchant({ name: 'Padaria Sol' }));
});

const listMembers = () => app.sql('select role, user_id from memberships where merchant_id = $1', [merchantId]);

describe('`grant` and `revoke`', () => {
  test('invite an unknown person by mail, and withdraw the invitation', async () => {
    const email = anyEmail();
    const granted = await operateJson(app, 'user', 'grant', merchantId, email, 'cashier');
    expect(granted).toEqual({ merchantId, email, userId: expect.any(String), role: 'Cashier', status: 'Invited' });
    expect((await readMails(app, email))[0]!.text).toContain('/account/invitation?token=');
    const listed = await operateJson(app, 'user', 'list', merchantId);
    expect(listed).toMatchObject([
      { kind: 'person', id: granted.userId, name: email, may: 'Cashier', acceptedAt: null },
      { kind: 'client', revokedAt: null },
    ]);
    const { stdout } = await operate(app, ['user', 'list', merchantId]);
    expect(stdout).toMatch(/^KIND +ID +NAME +SINCE +ACCEPTED AT +REVOKED AT +MAY\nperson +/);

    await expectRefusal(app, ['user', 'revoke', merchantId, email], 2, NO_TERMINAL);
    await operateJson(app, 'user', 'revoke', merchantId, email, '--yes');
    expect(await listMembers()).toEqual([]);
    for (const action of ['access.granted', 'access.revoked'])
      expect(await readAudit(app, action, merchantId)).toMatchObject([{ target: granted.userId }]);
  });

  test('change the role of a member', async () => {
    const person = await registerPerson(app);
    await addAccess(app, { userId: person.userId, merchantId, role: 'Viewer' });
    const granted = await operateJson(app, 'user', 'grant', merchantId, person.email, 'Owner');
    expect(granted).toMatchObject({ role: 'Owner', status: 'Active' });
    const [entry] = await readAudit(app, 'access.changed', merchantId);
    expect(entry.changes).toMatchObject({ role: { before: 'Viewer', after: 'Owner' } });
  });

  test('keep the last Owner', async () => {
    const person = await registerPerson(app);
    await addAccess(app, { userId: person.userId, merchantId });
    await expectRefusal(app, ['user', 'revoke', merchantId, person.email, '--yes'], 1, 'Owner');
    expect(await listMembers()).toHaveLength(1);
  });

  test('refuse an unknown merchant or person', async () => {
    await expectRefusal(app, ['user', 'grant', randomUUID(), 'ana@exemplo.ao', 'Owner'], 1, 'There is no merchant');
    const revoke = ['user', 'revoke', merchantId, 'nobody@exemplo.ao', '--yes'];
    await expectRefusal(app, revoke, 1, 'No person has the address nobody@exemplo.ao');
  });

  test('refuse to revoke access that does not exist', async () => {
    const { email } = await registerPerson(app);
    await expectRefusal(app, ['user', 'revoke', merchantId, email, '--yes'], 1, '');
  });
});

describe('`unlock`', () => {
  test('removes the lock after wrong passwords', async () => {
    const person = await registerPerson(app);
    const guess = () => askToken(app, { username: person.email, password: 'not the right one' });
    let reply = await guess();
    for (let nth = 0; nth < 10 && reply.status !== 429; nth++) reply = await guess();
    const signIn = () => askToken(app, { username: person.email, password: person.password });
    expect((await signIn()).status).toBe(429);
    await operateJson(app, 'user', 'unlock', person.email);
    expect((await signIn()).status).toBe(200);
    expect(await readAudit(app, 'user.unlocked', null)).toMatchObject([{ target: person.userId }]);
    await expectRefusal(app, ['user', 'unlock', anyEmail()], 1, 'No person has the address');
  });
});

describe('`reset-mfa`', () => {
  test('turns two-step sign-in off, ends sessions and notifies the person', async () => {
    const person = await registerPerson(app);
    const { refreshToken } = await person.signIn();
    await app.sql(
      `update users set totp_secret = $2, totp_confirmed_at = $3, totp_step = 1, recovery_codes = '{a}' where id = $1`,
      [person.userId, app.node.core.keyring.seal('JBSWY3DPEHPK3PXP', 'totp secret'), app.clock.now()],
    );
    const signIn = () => askToken(app, { username: person.email, password: person.password });
    expect((await signIn()).json.error).toBe('mfa_required');
    await expectRefusal(app, ['user', 'reset-mfa', person.email], 2, NO_TERMINAL);
    expect((await signIn()).json.error).toBe('mfa_required');

    await operateJson(app, 'user', 'reset-mfa', person.email, '--yes');
    expect((await signIn()).status).toBe(200);
    const refresh = await askToken(app, { grant_type: 'refresh_token', refresh_token: refreshToken });
    expect([refresh.status, refresh.json.error]).toEqual([400, 'invalid_grant']);
    const [user] = await app.sql('select * from users where id = $1', [person.userId]);
    expect(user).toMatchObject({ totp_secret: null, totp_confirmed_at: null, totp_step: null, recovery_codes: [] });
    expect(await readAudit(app, 'mfa.disabled', null)).toMatchObject([{ target: person.userId }]);
    const mails = await readMails(app, person.email);
    // Registration, and this.
    expect(mails).toHaveLength(2);
    await expectRefusal(app, ['user', 'reset-mfa', person.email, '--yes'], 1, 'has no second factor');
  });
});
