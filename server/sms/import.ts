// Imports many contacts in one transaction. One invalid contact fails the request, which lists all invalid contacts.
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { Core } from '../core.ts';
import { em, isAny, prepared, takeLock, type Db } from '../database/db.ts';
import { MAX_BYTES } from '../http/body.ts';
import { UUID } from '../http/fields.ts';
import { runKeyed } from '../http/idempotency.ts';
import { Problem, type Fault } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { importAnswer, importRequest, MAX_LIST_CONTACTS, viewList, type ImportRequest } from './contact-schemas.ts';
import { SmsList, SmsListContact } from './entities.ts';
import { writes } from './fields.ts';
import { insertEntries, lockList } from './lists.ts';

/** Maximum entries in `errors`, which can list both fields of every contact. */
const MAX_FAULTS = 2 * MAX_LIST_CONTACTS;

export function importRoutes(core: Core): Route[] {
  return [
    route({
      ...writes,
      method: 'POST',
      path: '/api/Contactos/ImportarContactos',
      operationId: 'importSmsContacts',
      summary: 'Import contacts',
      description:
        'Imports all contacts, or none if one is invalid: `errors` points to each invalid field. A contact with the ' +
        'same name and number as an existing one is not created again. With `listaId` or `novaLista` all contacts ' +
        `are on that list afterwards. A list has at most ${MAX_LIST_CONTACTS} contacts.`,
      body: importRequest,
      maxBytes: MAX_BYTES,
      checkBody: findListConflict,
      maxFaults: MAX_FAULTS,
      example: { contactos: [{ nome: 'Ana Paulo', telefone: '923 456 789' }], novaLista: 'Clientes de Luanda' },
      refusals: {
        404: 'not_found: `errors` names the list',
        409: `sms_list_full: the list would have over ${MAX_LIST_CONTACTS} contacts`,
      },
      answers: { 200: { description: 'Imported', schema: importAnswer } },
      run: ({ caller: { merchantId }, body, keyed }) =>
        runKeyed(core, { merchantId, keyed }, async (db) => ({
          status: 200,
          body: await importContacts(db, { merchantId, body, at: core.clock.now() }),
        })),
    }),
  ];
}

function findListConflict(input: unknown): Fault[] {
  const { listaId, novaLista } = (input ?? {}) as Partial<ImportRequest>;
  if (listaId == null || novaLista == null) return [];
  return [{ pointer: '/listaId', code: 'exactly_one', params: { fields: 'listaId, novaLista' } }];
}

type Import = { merchantId: string; body: ImportRequest; at: Date };

/** Imports contacts. @throws Problem not_found, sms_list_full */
async function importContacts(db: Db, { merchantId, body, at }: Import) {
  // A merchant's imports run one at a time, so that two imports do not create the same contact.
  await takeLock(db, `sms import ${merchantId}`);
  // Transactions that need both lock the list before its contacts, which prevents deadlocks.
  const list = await findTarget(db, { merchantId, body, at });
  const wanted = new Map(body.contactos.map(({ nome, telefone }) => [keyOf(telefone, nome), { nome, telefone }]));
  const phones = body.contactos.map(({ telefone }) => telefone);
  const existing = new Map<string, string>();
  for (const { id, name, phone } of await lockExisting.all(db, { merchantId, phones })) {
    const key = keyOf(phone, name);
    if (wanted.has(key)) existing.set(key, id);
  }
  const made = [...wanted].filter(([key]) => !existing.has(key)).map(([, contact]) => ({ id: uuid(), ...contact }));
  await insertContacts.run(db, {
    merchantId,
    ids: made.map(({ id }) => id),
    names: made.map(({ nome }) => nome),
    phones: made.map(({ telefone }) => telefone),
    at,
  });
  const ids = [...existing.values(), ...made.map(({ id }) => id)];
  const about = { criados: made.length, existentes: existing.size };
  if (!list) return { ...about, lista: null };
  await insertEntries.run(db, { listId: list.id, contactIds: ids, at });
  const total = await em(db).count(SmsListContact, { listId: list.id });
  if (total > MAX_LIST_CONTACTS) throw new Problem('sms_list_full');
  return { ...about, lista: viewList(list, total) };
}

const keyOf = (phone: string, name: string) => `${phone} ${name}`;

/** Returns the list that gets the contacts, or null if the request has no list. */
async function findTarget(db: Db, { merchantId, body, at }: Import): Promise<Omit<SmsList, 'merchantId'> | null> {
  const { listaId, novaLista } = body;
  if (novaLista != null) {
    const list = { id: uuid(), name: novaLista, createdAt: at };
    await em(db).insert(SmsList, { ...list, merchantId });
    return list;
  }
  if (listaId == null) return null;
  const list = UUID.test(listaId) ? await lockList(db, merchantId, listaId) : null;
  if (!list) throw new Problem('not_found', { faults: [{ pointer: '/listaId', code: 'unknown_id' }] });
  return list;
}

/** Locks existing contacts against deletion until the transaction ends. */
const lockExisting = prepared((tables, { merchantId, phones }: { merchantId: string; phones: string[] }) =>
  tables
    .selectFrom('sms_contacts')
    .select(['id', 'name', 'phone'])
    .where('merchantId', '=', merchantId)
    .where('phone', ...isAny(phones))
    .orderBy('id')
    .forKeyShare(),
);

type NewContacts = { merchantId: string; ids: string[]; names: string[]; phones: string[]; at: Date };

const insertContacts = prepared((tables, { merchantId, ids, names, phones, at }: NewContacts) =>
  tables
    .insertInto('sms_contacts')
    .columns(['id', 'merchantId', 'name', 'phone', 'createdAt', 'updatedAt'])
    .expression((eb) =>
      eb
        .selectFrom(
          sql<{
            id: string;
            name: string;
            phone: string;
          }>`unnest(${ids}::uuid[], ${names}::text[], ${phones}::text[])`.as<'n'>(sql`n(id, name, phone)`),
        )
        .select(['n.id', eb.val(merchantId).as('merchantId'), 'n.name', 'n.phone'])
        .select([eb.val(at).as('createdAt'), eb.val(at).as('updatedAt')]),
    ),
);
