// Notifications by mail: who gets them, in which language, and how often.
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { HOUR_MS } from '../../../shared/durations.ts';
import type { RoleName } from '../../../shared/roles.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { openCallbackFixture, type CallbackFixture } from '../../support/callbacks.ts';
import { listInbox, receiveMail } from '../../support/mail.ts';
import { addMember, type Member } from '../../support/members.ts';
import { creepUntil } from '../../support/payments.ts';

let app: TestApp;
let fixture: CallbackFixture;
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(async () => {
  fixture = await openCallbackFixture(app);
});

const join = (role: RoleName) => addMember(app, { merchantId: fixture.merchantId, role });

/** Writes notifications that are due, as `writeNotice` does, and waits until each has been handled. */
async function notice(count = 1, type = 'payment.late', details: object = { transactionId: randomUUID() }) {
  await app.sql(
    `insert into notifications (id, merchant_id, type, details, subject, created_at, due_at)
     select gen_random_uuid(), $1, $2, $3, gen_random_uuid()::text, $4::timestamptz, $4::timestamptz
     from generate_series(1, $5)`,
    [fixture.merchantId, type, details, app.clock.now(), count],
  );
  await untilHandled();
}

const untilHandled = () => creepUntil(app, async () => (await listDue(app.clock.now())).length === 0, 'each handled');

const listDue = (now: Date) =>
  app.sql('select from notifications where merchant_id = $1 and (due_at <= $2 or due_count > 0 and due_at <= $3)', [
    fixture.merchantId,
    now,
    new Date(now.getTime() + 60_000),
  ]);

const mailsTo = async ({ email }: Member) =>
  (await app.sql('select subject from mails where "to" = $1', [email])).length;

async function choose(person: Member, noticeMail: unknown) {
  const token = await person.token({ merchant_id: fixture.merchantId });
  const reply = await app.call('/api/profile', { method: 'PUT', token, body: { noticeMail } });
  return [reply.status, reply.json.noticeMail];
}

describe('a notification about money', () => {
  test('is mailed to owners and administrators, and to no other role', async () => {
    const people = await Promise.all((['Owner', 'Administrator', 'Developer', 'Cashier', 'Viewer'] as const).map(join));
    await notice();
    expect(await Promise.all(people.map(mailsTo))).toEqual([1, 1, 0, 0, 0]);
    const letter = await receiveMail(app, people[0]!.email);
    expect(letter.subject).toBe('Pagamento recebido fora de tempo');
    expect(letter.text).toContain('/console/account#notices');
  });

  test('is mailed to a cashier who chose it, and never what a cashier may not read', async () => {
    const cashier = await join('Cashier');
    expect(await choose(cashier, ['money', 'access'])).toEqual([200, ['money', 'access']]);
    await notice();
    await notice(1, 'access.granted', { role: 'Owner' });
    expect(await mailsTo(cashier)).toBe(1);
  });

  test('is not mailed to an owner who chose other groups, until the choice is removed', async () => {
    const owner = await join('Owner');
    expect(await choose(owner, ['connections'])).toEqual([200, ['connections']]);
    await notice();
    expect(await mailsTo(owner)).toBe(0);
    await notice(1, 'webhook.endpoint_failing');
    expect(await mailsTo(owner)).toBe(1);
    expect(await choose(owner, null)).toEqual([200, null]);
    await notice(1, 'payment.overpaid');
    expect(await mailsTo(owner)).toBe(2);
  });

  test('is mailed in the language of each person', async () => {
    const [owner, other] = [await join('Owner'), await join('Owner')];
    await app.sql(`update users set language = 'fr' where id = $1`, [other.userId]);
    await notice();
    expect((await receiveMail(app, owner.email)).subject).toBe('Pagamento recebido fora de tempo');
    expect((await receiveMail(app, other.email)).subject).toBe('Paiement arrivé en retard');
  });
});

test('a flood of one type is one mail an hour, which counts the notifications', async () => {
  const owner = await join('Owner');
  await notice();
  await notice(12);
  await notice(8);
  expect(await mailsTo(owner)).toBe(1);
  await notice(1, 'payment.stuck');
  expect(await mailsTo(owner)).toBe(2);
  await app.clock.pass(HOUR_MS);
  await creepUntil(app, async () => (await mailsTo(owner)) === 3, 'the mail of the flood');
  await untilHandled();
  const letter = await receiveMail(app, owner.email, 3);
  expect(letter.subject).toBe('Pagamento recebido fora de tempo (20)');
  expect(letter.text).toContain('E mais 15 como estes.');
  expect(
    await app.sql('select from notifications where merchant_id = $1 and due_at is not null', [fixture.merchantId]),
  ).toEqual([]);
});

describe('a change of access', () => {
  test('is mailed to the other owners with the name of the person, and not to that person', async () => {
    const [ana, rui] = [await join('Owner'), await join('Owner')];
    const token = await ana.token({ merchant_id: fixture.merchantId });
    const path = `/api/merchants/${fixture.merchantId}/clients`;
    expect((await app.call(path, { token, body: { name: 'ERP' } })).status).toBe(201);
    const letter = await receiveMail(app, rui.email);
    expect(letter.subject).toBe('Novas credenciais');
    expect(letter.text).toContain('Ana Neto criou as credenciais «ERP»');
    expect(letter.text).toContain('/console/developers');
    expect(await listInbox(app, ana.email)).toEqual([]);
  });
});

test.each([[['sms']], ['money'], [[1]]])('PUT /api/profile refuses %j as noticeMail', async (noticeMail) => {
  expect(await choose(await join('Owner'), noticeMail)).toEqual([400, undefined]);
});
