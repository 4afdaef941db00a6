// Many contacts at once, as they are copied from a table: all of them are taken over, or none, and each wrong one is named.
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { Core } from '../core.ts';
import { em, isAny, prepared, takeLock, type Db } from '../database/db.ts';
import { MAX_BYTES } from '../http/body.ts';
import { UUID } from '../http/fields.ts';
import { runKeyed } from '../http/idempotency.ts';
import { Problem, type Fault } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { importAnswer, importRequest, MOST_ON_LIST, viewList, type ImportRequest } from './contact-schemas.ts';
import { SmsList, SmsListContact } from './entities.ts';
import { writes } from './fields.ts';
import { insertPlaces, lockList } from './lists.ts';

/** Both fields of each may be wrong. */
const MOST_FAULTS = 2 * MOST_ON_LIST;

export function importRoutes(core: Core): Route[] {
  return [
    route({
      ...writes,
      method: 'POST',
      path: '/api/Contactos/ImportarContactos',
      operationId: 'importSmsContacts',
      summary: 'Take over many contacts',
      description: `All of them or, where one is wrong, none: \`errors\` names each by its place. Who is there already by this name and number is not made again. With \`listaId\` or \`novaLista\` all of them are on that list afterwards, which has at most ${MOST_ON_LIST}.`,
      body: importRequest,
      maxBytes: MAX_BYTES,
      checkBody: findTwoLists,
      maxFaults: MOST_FAULTS,
      example: { contactos: [{ nome: 'Ana Paulo', telefone: '923 456 789' }], novaLista: 'Clientes de Luanda' },
      refusals: { 404: 'not_found: `errors` names the list', 409: `sms_list_full: it would have over ${MOST_ON_LIST}` },
      answers: { 200: { description: 'They are there', schema: importAnswer } },
      run: ({ caller: { merchantId }, body, keyed }) =>
        runKeyed(core, { merchantId, keyed }, async (db) => ({
          status: 200,
          body: await importContacts(db, { merchantId, body, at: core.clock.now() }),
        })),
    }),
  ];
}

function findTwoLists(input: unknown): Fault[] {
  const { listaId, novaLista } = (input ?? {}) as Partial<ImportRequest>;
  if (listaId == null || novaLista == null) return [];
  return [{ pointer: '/listaId', code: 'exactly_one', params: { fields: 'listaId, novaLista' } }];
}

type Import = { merchantId: string; body: ImportRequest; at: Date };

/** @throws Problem not_found, sms_list_full */
async function importContacts(db: Db, { merchantId, body, at }: Import) {
  // One after another: what two bring at once is made once.
  await takeLock(db, `sms import ${merchantId}`);
  // The list first, as nobody locks a list who holds a contact.
  const list = await findTarget(db, { merchantId, body, at });
  const wanted = new Map(body.contactos.map(({ nome, telefone }) => [keyOf(telefone, nome), { nome, telefone }]));
  const phones = body.contactos.map(({ telefone }) => telefone);
  const known = new Map<string, string>();
  for (const { id, name, phone } of await lockKnown.all(db, { merchantId, phones })) {
    const key = keyOf(phone, name);
    if (wanted.has(key)) known.set(key, id);
  }
  const made = [...wanted].filter(([key]) => !known.has(key)).map(([, contact]) => ({ id: uuid(), ...contact }));
  await insertContacts.run(db, {
    merchantId,
    ids: made.map(({ id }) => id),
    names: made.map(({ nome }) => nome),
    phones: made.map(({ telefone }) => telefone),
    at,
  });
  const ids = [...known.values(), ...made.map(({ id }) => id)];
  const about = { criados: made.length, existentes: known.size };
  if (!list) return { ...about, lista: null };
  await insertPlaces.run(db, { listId: list.id, contactIds: ids, at });
  const total = await em(db).count(SmsListContact, { listId: list.id });
  if (total > MOST_ON_LIST) throw new Problem('sms_list_full');
  return { ...about, lista: viewList(list, total) };
}

const keyOf = (phone: string, name: string) => `${phone} ${name}`;

/** Null: no list is wanted. */
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

/** Kept from being deleted until the transaction ends. */
const lockKnown = prepared((tables, { merchantId, phones }: { merchantId: string; phones: string[] }) =>
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
