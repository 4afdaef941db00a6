// Helpers for SMS: units, sendings and the ledger.
import { randomInt, randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { DEMO } from '../../sandbox/seed.ts';
import { inTransaction } from '../../server/database/orm.ts';
import type { SmsOrder } from '../../server/providers/message.ts';
import { creditUnits } from '../../server/sms/ledger.ts';
import type { CallOptions, Reply, TestApp } from './app.ts';
import { untilDatabaseRests } from './idle.ts';
import { readRailBooks } from './lone-rail.ts';
import { creepUntil, isCalling } from './payments.ts';

export const MERCHANT: string = DEMO.merchantId;

type RailMessage = { id: string; to: string; sender: string; text: string; status: string; calls: number };

export function sendText(app: TestApp, to: string[], conteudo = 'Bom dia', options: CallOptions = {}): Promise<Reply> {
  return app.call('/api/Envio/enviarSms', { ...options, body: { numerosDestino: to, conteudo } });
}

export async function addUnits(app: TestApp, merchantId: string, units: number): Promise<void> {
  await inTransaction(app.node.core, (db) =>
    creditUnits(db, { merchantId, units, description: 'Teste', at: app.clock.now() }),
  );
}

export async function listSent(app: TestApp, query = '', options: CallOptions = {}): Promise<any[]> {
  const reply = await app.call(`/api/Envio/ListarSmsEnviadas?pageSize=100${query}`, options);
  expect(reply.status, reply.text).toBe(200);
  return reply.json.data;
}

export async function readRail(app: TestApp): Promise<RailMessage[]> {
  return (await readRailBooks(app)).messages;
}

/** Advances the clock by seconds, or by 100 ms while a call runs, so that it is not given up. */
export function passUntil<T>(app: TestApp, check: () => Promise<T> | T, what: string): Promise<NonNullable<T>> {
  const stepMs = () => (isCalling(app) ? 100 : 1_000);
  const checkAtRest = async () => {
    if (isCalling(app)) await untilDatabaseRests(app);
    return check();
  };
  return creepUntil(app, checkAtRest, what, stepMs);
}

/** Moves the clock to the message's due time, except during a rail call, because a leap would time the call out. */
export async function leapToDue(app: TestApp, batchId: string): Promise<void> {
  const [row] = await app.sql(
    'select extract(epoch from due_at) * 1000 as due_ms from sms_messages where batch_id = $1',
    [batchId],
  );
  const aheadMs = Number(row.due_ms) - app.clock.now().getTime();
  if (aheadMs > LONGEST_LEASE_MS) app.clock.leap(aheadMs);
}

const LONGEST_LEASE_MS = 60_000;

/** Waits until no message of the merchant has the status. */
export function passWhile(app: TestApp, status: string, merchantId = MERCHANT): Promise<unknown> {
  return passUntil(
    app,
    async () =>
      (await app.sql('select from sms_messages where merchant_id = $1 and status = $2', [merchantId, status]))
        .length === 0,
    `no message ${status}`,
  );
}

/** Returns the balance after comparing it with the ledger. */
export async function readBalance(app: Pick<TestApp, 'sql'>, merchantId: string = MERCHANT): Promise<number> {
  return (await readBooks(app, merchantId)).balance;
}

/** Returns the balance and the units of messages, read by one statement. */
export async function readBooks(
  app: Pick<TestApp, 'sql'>,
  merchantId: string,
): Promise<{ balance: number; held: number }> {
  const [{ entries, account, held }] = await app.sql(
    `select (select balance from sms_accounts where merchant_id = $1) as account,
       (select coalesce(json_agg(l order by l.seq), '[]') from sms_ledger l where l.merchant_id = $1) as entries,
       (select coalesce(sum(parts), 0)::int from sms_messages where merchant_id = $1 and status <> 'Failed') as held`,
    [merchantId],
  );
  let balance = 0;
  for (const { kind, quantity, balance_after: after } of entries) {
    balance += kind === 'debit' ? -quantity : quantity;
    expect(after).toBe(balance);
    expect(balance).toBeGreaterThanOrEqual(0);
  }
  expect(account ?? 0).toBe(balance);
  return { balance, held };
}

/** Returns the fields of a schedule for a moment in Luanda. */
export function minuteOf(at: Date) {
  const local = new Date(at.getTime() + 3_600_000);
  return {
    dia: local.getUTCDate(),
    mes: local.getUTCMonth() + 1,
    ano: local.getUTCFullYear(),
    hora: local.getUTCHours(),
    minuto: local.getUTCMinutes(),
  };
}

export type ContactFixture = Awaited<ReturnType<typeof openContactFixture>>;

export async function openContactFixture(app: TestApp) {
  const { merchantId, clientId, secret } = await app.addMerchant();
  /** Calls an operation below /api/Contactos as this merchant. */
  const call = async (path: string, options: CallOptions = {}) =>
    app.call(`/api/Contactos/${path}`, { token: await app.token(clientId, secret), ...options });
  const make = async (path: string, body: object) => {
    const reply = await call(path, { body });
    expect(reply.status, reply.text).toBe(201);
    return reply.json;
  };
  return {
    merchantId,
    call,
    contact: (nome = 'Ana Paulo', telefone = '923456789') => make('CadastrarContacto', { nome, telefone }),
    list: (nome = 'Clientes', contactoIds?: string[]) => make('CriarListaDeContactos', { nome, contactoIds }),
    add: (listaId: unknown, contactoId: unknown, headers = {}) =>
      call('AdicionarContactoALista', { body: { listaId, contactoId }, headers }),
    remove: (listaId: unknown, contactoId: unknown, headers = {}) =>
      call(`RemoverContactoDaLista/${listaId}/${contactoId}`, { method: 'DELETE', headers }),
    /** Returns the contact list with 100 of its contacts. */
    async show(listaId: string) {
      const { status, json, text } = await call(`ObterListaDeContactosPorId/${listaId}?pageSize=100`);
      expect(status, text).toBe(200);
      return json;
    },
    /** Inserts contacts and returns their ids. */
    async contacts(count: number) {
      const rows = await app.sql<{ id: string }>(
        `insert into sms_contacts (id, merchant_id, name, phone, created_at, updated_at)
         select gen_random_uuid(), $1, 'Cliente ' || nth, '+2449' || lpad(nth::text, 8, '0'), $3, $3
         from generate_series(1, $2::int) nth returning id`,
        [merchantId, count, app.clock.now()],
      );
      return rows.map(({ id }) => id);
    },
  };
}

export async function optOut(app: TestApp, merchantId: string, phone: string): Promise<void> {
  const values = [merchantId, phone, app.clock.now()];
  await app.sql('insert into sms_opt_outs (merchant_id, phone, created_at) values ($1, $2, $3)', values);
}

/** Returns contact list entries whose contact or list does not exist. */
export async function findOrphans(app: TestApp): Promise<object[]> {
  return app.sql(
    `select * from sms_list_contacts p where not exists (select from sms_lists where id = p.list_id)
       or not exists (select from sms_contacts where id = p.contact_id)`,
  );
}

/** A message order to a random phone number. */
export function messageOrder(more: Partial<SmsOrder> = {}): SmsOrder {
  const to = `+2449${randomInt(10 ** 7, 9 * 10 ** 7)}`;
  return { messageId: randomUUID(), sender: 'BALCAO', to, text: 'Olá, Ana. A sua encomenda chegou.', ...more };
}

/** Sends a message to the rail that the gateway does not store. */
export async function sendMessage(app: TestApp, more: Partial<SmsOrder> = {}): Promise<SmsOrder> {
  const order = messageOrder(more);
  const outcome = await (await app.node.core.rails.sms('sms')).send(order);
  if (outcome.result !== 'accepted') throw new Error(`not accepted: ${JSON.stringify(outcome)}`);
  return order;
}
