import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { writeExport } from '../../../server/privacy/export.ts';
import { PERSONAL, type Holding } from '../../../server/privacy/register.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { openCallbackFixture, type CallbackFixture } from '../../support/callbacks.ts';
import { operate } from '../../support/cli.ts';
import { findTraces, insertPerson } from '../../support/personal-data.ts';
import { webframe } from '../../support/payments.ts';

const PHONE = '923456789';
const EMAIL = 'domingas@correio.example';
const SPELLINGS = [PHONE, '923 456 789', '923%20456%20789', '923-456-789'];

let app: TestApp;
let shop: CallbackFixture;
let other: CallbackFixture;
beforeAll(async () => {
  app = await startTestApp();
  shop = await openCallbackFixture(app);
  other = await openCallbackFixture(app);
});

const erase = (body: object, of = shop) => of.call('/api/privacy/erase', { body });
const read = async (id: string, of = shop) => (await of.call(`/api/privacy/erasures/${id}`)).json;

async function untilErased(id: string, status = 'Done', of = shop): Promise<any> {
  return until(async () => {
    await app.clock.advance(5_000);
    const found = await read(id, of);
    return found.status === status && found;
  }, `the erasure being ${status}`);
}

/** Inserts contacts, opt-outs and stored responses, because payments do not create them. */
async function addBeside(of: CallbackFixture): Promise<void> {
  const { merchantId } = of;
  const now = new Date();
  await app.sql(
    `with c as (insert into sms_contacts (id, merchant_id, name, phone, created_at, updated_at)
       values (uuidv7(), $1, 'Domingas Kiala', '+244923456789', $2, $2) returning id),
     l as (insert into sms_lists (id, merchant_id, name, created_at) values (uuidv7(), $1, 'Só 923-456-789', $2) returning id)
     insert into sms_list_contacts (list_id, contact_id, added_at) select l.id, c.id, $2 from c, l`,
    [merchantId, now],
  );
  await app.sql(
    `insert into sms_templates (id, merchant_id, name, content, created_at, updated_at)
     values (uuidv7(), $1, 'Aviso', 'Ligue (+244) 923 456 789.', $2, $2)`,
    [merchantId, now],
  );
  await app.sql(
    `insert into sms_opt_outs (merchant_id, phone, created_at) values ($1, '+244923456789', $2) on conflict do nothing`,
    [merchantId, now],
  );
  await app.sql(
    `insert into sms_opt_out_codes (code, merchant_id, phone, created_at) values (substr(md5(random()::text), 1, 8), $1, '+244923456789', $2)`,
    [merchantId, now],
  );
  await app.sql(
    `insert into idempotency_keys (merchant_id, key, fingerprint, status, body, created_at)
     values ($1, 'k-' || gen_random_uuid(), 'f', 201, '{"phoneNumber":"+244923456789","tel":923456789,"url":"https://l.example/?t=923%20456%20789","email":"Domingas@Correio.example"}', $2)`,
    [merchantId, now],
  );
}

const tablesOf = async (traces: readonly string[]) => [...new Set(await findTraces(app, traces))].toSorted();

async function tellOf(paymentId: string): Promise<void> {
  const [{ id }] = await app.sql('select id from attempts where payment_id = $1', [paymentId]);
  await app.sql(
    `insert into inbox (id, rail, notification_id, body, received_at, applied_at, outcome)
     values (uuidv7(), 'gpo', gen_random_uuid()::text, $1, now(), now(), 'applied')`,
    [JSON.stringify({ orderId: id, phone: '+244923456789', amount: 923456789, reference: '923456789' })],
  );
}

const of = (merchantId: string) =>
  app.sql(
    `select p.reference, p.amount_minor, p.status, t.amount_minor as taken, t.provider_ref, p.created_at
     from payments p join transactions t on t.payment_id = p.id where p.merchant_id = $1 order by p.id`,
    [merchantId],
  );

test('an export contains all data about a person, only of the merchant that requests it', async () => {
  const fresh = await openCallbackFixture(app);
  const { paymentId } = await insertPerson(app, fresh.merchantId, new Date());
  await tellOf(paymentId);
  await addBeside(fresh);
  const told = await fresh.call('/api/privacy/export', { body: { phone: '+244 923 456 789' } });
  expect(told.status, told.text).toBe(200);
  expect(told.headers.get('content-type')).toContain('application/json');
  const { subject, merchantId, columns, held } = told.json;
  expect({ subject, merchantId }).toEqual({ subject: { phone: '+244923456789' }, merchantId: fresh.merchantId });
  expect([...new Set(held.map(({ table }: any) => table))].toSorted()).toEqual(
    (
      'attempts delivery_attempts events idempotency_keys inbox link_payments notifications payment_references payments ' +
      'refunds sms_contacts sms_ledger sms_lists sms_messages sms_opt_out_codes sms_opt_outs sms_templates transactions'
    ).split(' '),
  );
  expect(held.find(({ table }: any) => table === 'payments').row).toMatchObject({ id: paymentId, amountMinor: 150000 });
  expect(columns.payments.phone).toMatchObject({ kept: 'RETENTION_PAYERS_DAYS' });
  const stranger = await other.call('/api/privacy/export', { body: { phone: PHONE } });
  expect(stranger.json.held).toEqual([]);
  const audit = await app.sql(`select * from audit_entries where action = 'privacy.exported'`);
  expect(audit).toHaveLength(2);
  expect(JSON.stringify(audit)).not.toContain(PHONE);
  await app.sql(`delete from inbox where body like '%923456789%'`);
  const gone = await erase({ phone: PHONE }, fresh);
  await untilErased(gone.json.id, 'Done', fresh);
});

test('an erasure keeps only the money, affects one merchant, and runs once for repeated requests', async () => {
  const made = [];
  for (const each of [shop, other]) {
    const { paymentId } = await insertPerson(app, each.merchantId, new Date());
    await tellOf(paymentId);
    await addBeside(each);
    made.push(paymentId);
  }
  await app.sql(`delete from inbox where rail = 'ppr'`);
  const [books, others] = [await of(shop.merchantId), await of(other.merchantId)];
  const everything = async () => {
    const told = await other.call('/api/privacy/export', { body: { phone: PHONE } });
    return told.json.held;
  };
  const before = await everything();
  const ordered = await erase({ phone: PHONE });
  expect(ordered.status, ordered.text).toBe(202);
  expect(ordered.json).toMatchObject({ status: 'Pending', waitingFor: [], completedAt: null });
  expect((await erase({ phone: '+244 923456789' })).json.id).toBe(ordered.json.id);
  const done = await untilErased(ordered.json.id);
  expect(done.erased).toMatchObject({ payments: 1, sms_messages: 1, sms_contacts: 1, inbox: 1 });
  const told = await shop.call('/api/privacy/export', { body: { phone: PHONE } });
  // An amount that consists of the same digits is kept.
  expect(told.json.held.map(({ table }: any) => table)).toEqual(['inbox']);
  // The erasure by phone also removed the email address and the name of that payment.
  const byMail = await shop.call('/api/privacy/export', { body: { email: EMAIL } });
  expect(byMail.json.held.filter(({ table }: any) => table !== 'idempotency_keys')).toEqual([]);
  expect(await of(shop.merchantId)).toEqual(books);
  expect(await of(other.merchantId)).toEqual(others);
  expect(await everything()).toEqual(before);
  const [{ body }] = await app.sql('select body from idempotency_keys where merchant_id = $1', [shop.merchantId]);
  expect(JSON.parse(body)).toEqual({
    phoneNumber: 'erased',
    tel: null,
    url: 'https://l.example/?t=erased',
    email: 'Domingas@Correio.example',
  });
  const [message] = await app.sql(
    `select body from inbox where body like '%' || (select id::text from attempts where payment_id = $1) || '%'`,
    [made[0]],
  );
  expect(JSON.parse(message.body)).toMatchObject({ phone: 'erased', amount: 923456789, reference: '923456789' });
  const last = await erase({ phone: PHONE }, other);
  await untilErased(last.json.id, 'Done', other);
  await app.sql(`delete from inbox where body like '%"reference":"923456789"%'`);
  expect(await tablesOf(SPELLINGS)).toEqual([]);
});

test('an erasure by email address ignores letter case, and keeps longer addresses that contain it', async () => {
  const { paymentId } = await insertPerson(app, shop.merchantId, new Date());
  const [{ id: longer }] = await app.sql(
    `insert into payments (id, merchant_id, reference, amount_minor, currency, payment_type, payment_method, status, revision, description, created_at)
     values (uuidv7(), $1, 'ENC-9', 100, 'AOA', 'GPO', 'push', 'Failed', 1, 'x.domingas@correio.example', now()) returning id`,
    [shop.merchantId],
  );
  const { json } = await erase({ email: 'DOMINGAS@correio.example' });
  await untilErased(json.id);
  const rows = await app.sql('select id, description, phone from payments where id = any($1) order by id', [
    [paymentId, longer],
  ]);
  expect(rows).toEqual([
    { id: paymentId, description: null, phone: null },
    { id: longer, description: 'x.domingas@correio.example', phone: null },
  ]);
});

test('an erasure returns the open payments of the person, and waits for their end', async () => {
  const body = webframe({ metadata: { custom: { cliente: '923 456 789' } } });
  const made = await shop.call('/api/payments', { body });
  expect(made.status, made.text).toBe(201);
  const { json } = await erase({ phone: PHONE });
  const waiting = await untilErased(json.id, 'Waiting');
  expect(waiting).toMatchObject({ waitingFor: [{ kind: 'payment', id: made.json.id }], waitingCount: 1 });
  expect((await shop.call(`/api/payments/${made.json.id}`)).json.customMetadata).toEqual({ cliente: '923 456 789' });
  expect((await shop.call(`/api/payments/${made.json.id}/cancel`, { method: 'POST' })).status).toBe(200);
  const done = await until(async () => {
    await app.clock.pass(60_000);
    const found = await read(json.id);
    return found.status === 'Done' && found;
  }, 'it being over');
  expect(done).toMatchObject({ waitingFor: [], waitingCount: 0 });
  expect(await app.sql('select custom_metadata from payments where id = $1', [made.json.id])).toEqual([
    { custom_metadata: null },
  ]);
});

test('a phone that opted out receives no SMS after its erasure, and its opt-out page still works', async () => {
  const phone = '+244911222333';
  await app.sql(`insert into sms_opt_outs (merchant_id, phone, created_at) values ($1, $2, now())`, [
    shop.merchantId,
    phone,
  ]);
  await app.sql(
    `insert into sms_opt_out_codes (code, merchant_id, phone, created_at) values ('abcdefgh', $1, $2, now())`,
    [shop.merchantId, phone],
  );
  const { json } = await erase({ phone });
  await untilErased(json.id);
  expect(await tablesOf(['911222333'])).toEqual([]);
  const contact = { nome: 'Nova', telefone: '911222333' };
  const added = await shop.call('/api/Contactos/CadastrarContacto', { body: contact });
  expect(added.json).toMatchObject({ recusaSms: true });
  const page = await app.call('/parar/abcdefgh', { headers: { accept: 'text/html' } });
  expect(page.status).toBe(200);
  expect(page.text).not.toContain('333');
});

test('an opt-out by the merchant is kept without the phone, which still finds and removes it', async () => {
  const phone = '+244911222444';
  const { json: written } = await shop.call('/api/sms/opt-outs', { body: { phone } });
  await untilErased((await erase({ phone })).json.id);
  const bare = { ...written, phone: null };
  expect((await shop.call(`/api/sms/opt-outs?phone=${encodeURIComponent(phone)}`)).json.data).toEqual([bare]);
  const file = await shop.call('/api/sms/opt-outs', { headers: { accept: 'text/csv' } });
  expect(file.text).toContain(`${written.id};;`);
  expect(file.text).not.toContain('digest:');
  expect(await shop.call('/api/sms/opt-outs', { body: { phone } })).toMatchObject({ status: 200, json: bare });
  const taken = await shop.call(`/api/sms/opt-outs/${written.id}`, { method: 'DELETE' });
  expect(taken.status, taken.text).toBe(204);
  expect((await shop.call('/api/sms/opt-outs', { body: { phone } })).status).toBe(201);
});

test('an export of thousands of rows is sent in pieces of limited size', async () => {
  const phone = '+244911444555';
  await app.sql(
    `insert into payments (id, merchant_id, reference, amount_minor, currency, payment_type, payment_method, status, revision, phone, created_at)
     select uuidv7(), $1, 'M-' || n, 100, 'AOA', 'GPO', 'push', 'Failed', 1, $2, now() from generate_series(1, 6000) n`,
    [shop.merchantId, phone],
  );
  const pieces = await Array.fromAsync(writeExport(app.node.core, { merchantId: shop.merchantId, subject: { phone } }));
  const sizes = pieces.map(({ length }) => length);
  expect(JSON.parse(pieces.join('')).held).toHaveLength(6_000);
  expect(pieces.length).toBeGreaterThan(12);
  expect(Math.max(...sizes)).toBeLessThan(sizes.reduce((sum, size) => sum + size) / 6);
});

test.each([
  [{}, ['/phone']],
  [{ phone: PHONE, email: EMAIL }, ['/phone']],
  [{ phone: '12' }, ['/phone']],
  [{ email: 'nobody' }, ['/email']],
])('a request with %j is refused', async (body, pointers) => {
  for (const path of ['export', 'erase']) {
    const refused = await shop.call(`/api/privacy/${path}`, { body });
    expect(refused.status, refused.text).toBe(400);
    expect(refused.json.errors.map(({ pointer }: any) => pointer)).toEqual(pointers);
  }
});

/** These columns have random, encrypted or hashed values, or keys that a daily job deletes. */
const UNNAMED = ['erasures.sealedSubject', 'erasures.subjectHash', 'idempotency_keys.key', 'sms_opt_out_codes.code'];

/** Returns the registered columns of payers and contacts in which the person's data is absent. */
async function listUnnamed(): Promise<string[]> {
  const columns = Object.entries(PERSONAL).flatMap(([table, held]) =>
    Object.entries(held as Record<string, Holding>)
      .filter(([, { whose }]) => whose === 'payer' || whose === 'contact')
      .map(([column]) => ({ table, column })),
  );
  const traces = [...SPELLINGS, '%2B244', EMAIL, 'Domingas Kiala', 'AO0600060000010003713117'].join('|');
  const unnamed: string[] = [];
  for (const { table, column } of columns) {
    const name = column.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const rows = await app.sql(`select from "${table}" where "${name}"::text ~ $1 limit 1`, [traces]);
    if (rows.length === 0) unnamed.push(`${table}.${column}`);
  }
  return unnamed.filter((one) => !UNNAMED.includes(one));
}

test("an operator exports and erases a person's data at all merchants, in every registered column", async () => {
  const folder = mkdtempSync(join(tmpdir(), 'balcao-privacy-'));
  const phone = ['--phone', PHONE];
  for (const each of [shop, other]) {
    await insertPerson(app, each.merchantId, new Date());
    await addBeside(each);
  }
  await app.sql(
    `update payments set reference = 'C 923456789', reference_claim = 'C 923456789', payer_tax_id = '923456789', cancel_url = 'https://l.example/?t=%2B244923456789'
     where merchant_id = $1 and phone = '+244923456789'`,
    [shop.merchantId],
  );
  await app.sql(`update refunds set reference = 'R 923456789' where merchant_id = $1`, [shop.merchantId]);
  await app.sql(`update sms_templates set name = 'De 923456789' where merchant_id = $1`, [shop.merchantId]);
  await app.sql(
    `insert into reconciliations (id, rail, since, found) values (gen_random_uuid(), 'gpo', now(), '{"text":"de 923 456 789"}')`,
  );
  await app.sql(
    `insert into settlement_credits (id, merchant_id, settlement_id, amount_minor, currency, date, bank_reference, entered_by_kind,
       entered_by_id, created_at)
     select gen_random_uuid(), merchant_id, id, 100, 'AOA', '2026-03-02', 'TRF DE 923 456 789', 'client', 'c', now()
     from settlements where merchant_id = $1 limit 1`,
    [shop.merchantId],
  );
  await app.sql(
    `with shift as (
       insert into shifts (id, merchant_id, user_id, status, takes_cash, opening_minor, opened_at, note)
       values (gen_random_uuid(), $1, gen_random_uuid(), 'closed', true, 0, now(), 'Troco de 923 456 789')
       returning id)
     insert into cash_entries (id, merchant_id, shift_id, kind, amount_minor, note, created_by_id, created_at)
     select gen_random_uuid(), $1, id, 'in', 100, 'De 923 456 789', gen_random_uuid(), now() from shift`,
    [shop.merchantId],
  );
  await app.sql(
    `insert into settlement_explanations (id, merchant_id, difference_minor, reason, note, explained_by_kind,
       explained_by_id, created_at)
     select id, merchant_id, 1, 'other', 'Falta de 923 456 789', 'client', 'c', now()
     from settlements where merchant_id = $1 limit 1`,
    [shop.merchantId],
  );
  await app.sql(
    `insert into request_errors (id, merchant_id, occurred_at, method, path, status, code, faults, request_id)
     values (gen_random_uuid(), $1, now(), 'POST', '/api/payments', 400, 'validation_failed',
       '[{"pointer":"/metadata/custom/923456789","code":"too_long"}]', 'r')`,
    [shop.merchantId],
  );
  await app.sql(
    `insert into mails (id, "to", subject, sealed_text, sealed_html, created_at) values (uuidv7(), $1, 'Olá', '', '', now())`,
    [EMAIL],
  );
  expect(await listUnnamed()).toEqual([]);
  try {
    const file = join(folder, 'held.json');
    expect(await operate(app, ['privacy', 'export', file, ...phone])).toMatchObject({ code: 0, stderr: '' });
    const { merchantId, held } = JSON.parse(readFileSync(file, 'utf8'));
    expect(merchantId).toBe(null);
    expect(new Set(held.map(({ row }: any) => row.merchantId))).toContain(other.merchantId);
    expect((await operate(app, ['privacy', 'export', file, ...phone])).code).toBe(1);
    expect((await operate(app, ['privacy', 'erase', '--phone', '12', '--yes'])).code).toBe(2);
    // Stored responses contain the payment's email address too.
    for (const subject of [phone, ['--email', EMAIL]]) {
      const { code, stdout } = await operate(app, ['privacy', 'erase', ...subject, '--yes', '--json']);
      expect(code).toBe(0);
      const { id } = JSON.parse(stdout);
      // A CLI command uses the real clock.
      await app.sql('update erasures set due_at = $2 where id = $1', [id, app.clock.now()]);
      const isDone = async () => {
        await app.clock.advance(5_000);
        const listed = await operate(app, ['privacy', 'list', '--json']);
        return JSON.parse(listed.stdout).some((one: any) => one.id === id && one.status === 'Done');
      };
      await until(isDone, 'the erasure being done');
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  await app.sql(`update payments set description = null where reference = 'ENC-9'`);
  expect(await tablesOf([...SPELLINGS, EMAIL, 'Domingas Kiala'])).toEqual([]);
});
