// A merchant with SMS contacts and lists.
import { expect } from 'vitest';
import type { CallOptions, TestApp } from './app.ts';

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
    /** Returns the list with 100 of its contacts. */
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

/** Returns list entries whose contact or list does not exist. */
export async function findOrphans(app: TestApp): Promise<object[]> {
  return app.sql(
    `select * from sms_list_contacts p where not exists (select from sms_lists where id = p.list_id)
       or not exists (select from sms_contacts where id = p.contact_id)`,
  );
}
