// /api/profile: what a person sees and changes of themselves.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { anyEmail, registerPerson, type Person } from '../../support/people.ts';
import { addAccess } from '../../support/members.ts';

const DAY_MS = 24 * 3_600_000;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

describe('GET /api/profile', () => {
  test('describes a person without a merchant', async () => {
    const createdAt = app.clock.now().toISOString();
    const email = anyEmail();
    const person = await registerPerson(app, { email, phoneNumber: '923456789', language: 'en' });
    const reply = await person.call('/api/profile');
    expect(reply.status).toBe(200);
    expect(reply.json).toEqual({
      id: person.userId,
      email,
      firstName: 'Ana',
      lastName: 'Domingos',
      phoneNumber: '+244923456789',
      language: 'en',
      emailVerifiedAt: createdAt,
      mfaEnabled: false,
      recoveryCodesLeft: 0,
      createdAt,
      merchants: [],
    });
    expect(reply.text).not.toMatch(/argon2|passwordHash|totp/);
  });

  test('lists merchants in order of age, without expired invitations', async () => {
    const person = await registerPerson(app);
    const [first, second, lapsed] = [
      await app.addMerchant({ name: 'Um' }),
      await app.addMerchant(),
      await app.addMerchant(),
    ];
    await addAccess(app, { userId: person.userId, merchantId: first.merchantId });
    app.clock.leap(1000);
    const expiresAt = new Date(app.clock.now().getTime() + 2 * DAY_MS);
    await addAccess(app, { userId: person.userId, merchantId: second.merchantId, role: 'Viewer', expiresAt });
    await addAccess(app, {
      userId: person.userId,
      merchantId: lapsed.merchantId,
      role: 'Viewer',
      expiresAt: new Date(expiresAt.getTime() - DAY_MS),
    });
    app.clock.leap(DAY_MS);
    const { json } = await person.call('/api/profile');
    expect(json.merchants).toEqual([
      {
        merchantId: first.merchantId,
        name: 'Um',
        role: 'Owner',
        roleId: '00000000-0000-4000-8000-000000000005',
        createdAt: expect.any(String),
      },
      expect.objectContaining({ merchantId: second.merchantId, role: 'Viewer' }),
    ]);
  });
});

describe('PATCH /api/profile', () => {
  const names = { firstName: 'Rita', lastName: 'Neto', phoneNumber: '+244 911 222 333', language: 'fr' };

  test('changes every field', async () => {
    const person = await registerPerson(app);
    const reply = await person.call('/api/profile', { method: 'PUT', body: { ...names, email: 'x@y.ao', id: '1' } });
    expect(reply.status).toBe(200);
    expect(reply.json).toMatchObject({ ...names, phoneNumber: '+244911222333', email: person.email });
    expect((await person.call('/api/profile')).json).toEqual(reply.json);
    const entries = await app.sql(`select * from audit_entries where target = $1 and action = 'profile.changed'`, [
      person.userId,
    ]);
    expect(entries).toHaveLength(1);
    expect(entries[0]).toMatchObject({ merchant_id: null, actor_kind: 'user', actor_id: person.userId });
    expect(entries[0].changes).toMatchObject({ firstName: { before: 'Ana', after: 'Rita' } });
  });

  describe('without a field', () => {
    let person: Person;
    beforeAll(async () => {
      person = await registerPerson(app, { phoneNumber: '923456789', language: 'pt' });
    });

    const countEntries = async () => {
      const about = `select from audit_entries where target = $1 and action = 'profile.changed'`;
      return (await app.sql(about, [person.userId])).length;
    };

    // One after another, of one person.
    test.each([
      [{}, {}],
      [{ firstName: null, lastName: null, language: null }, {}],
      [{ firstName: 'Rita' }, { firstName: 'Rita' }],
      [{ phoneNumber: null }, { phoneNumber: null }],
      [{ language: 'EN' }, { language: 'en' }],
    ])('keeps its value: %j', async (body, changed) => {
      const [{ json: before }, entries] = [await person.call('/api/profile'), await countEntries()];
      const { json } = await person.call('/api/profile', { method: 'PUT', body });
      expect(json).toEqual({ ...before, ...changed });
      if (Object.keys(changed).length > 0) expect(json).not.toEqual(before);
      expect(await countEntries()).toBe(entries + (Object.keys(changed).length > 0 ? 1 : 0));
    });
  });

  test('runs once for an Idempotency-Key, which belongs to the person', async () => {
    const [person, other] = [await registerPerson(app), await registerPerson(app)];
    const headers = { 'idempotency-key': randomUUID() };
    const change = (who: typeof person, firstName: string) =>
      who.call('/api/profile', { method: 'PUT', body: { firstName }, headers });
    const first = await change(person, 'Rita');
    await person.call('/api/profile', { method: 'PUT', body: { firstName: 'Eva' } });
    const again = await change(person, 'Rita');
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.json).toEqual(first.json);
    expect((await person.call('/api/profile')).json.firstName).toBe('Eva');
    expect((await change(person, 'Zola')).status).toBe(422);
    expect((await change(other, 'Zola')).json.firstName).toBe('Zola');
  });
});
