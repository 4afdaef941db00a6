// Making and deleting a contact list.
import { v7 as uuid } from 'uuid';
import type { Core } from '../core.ts';
import { em, isAny, prepared, type Db } from '../database/db.ts';
import { UUID } from '../http/fields.ts';
import { Problem } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { runKeyed } from '../http/idempotency.ts';
import { byList, listRequest, MOST_ON_LIST, sameId, type ListRequest } from './contact-schemas.ts';
import { contactList, viewList } from './contact-view.ts';
import { emptyList } from './contact.ts';
import { SmsList } from './entities.ts';
import { confirm, confirmation, writes } from './fields.ts';

/** The endpoints that make and delete lists. */
export function listWrites(core: Core): Route[] {
  return [declareCreate(core), declareDelete(core)];
}

function declareCreate(core: Core): Route {
  return route({
    ...writes,
    method: 'POST',
    path: '/api/Contactos/CriarListaDeContactos',
    operationId: 'createSmsContactList',
    summary: 'Create a contact list',
    description: `With contacts on it, or none yet. A list has at most ${MOST_ON_LIST} contacts, as many as one sending takes.`,
    body: listRequest,
    // Every id may be unknown.
    maxFaults: MOST_ON_LIST,
    example: { nome: 'Clientes de Luanda', contactoIds: ['01980000-0000-7000-8000-000000000001'] },
    refusals: { 404: 'not_found: `errors` names every id that is no contact of yours; nothing was created' },
    answers: { 201: { description: 'Created', schema: contactList } },
    run: ({ caller: { merchantId }, body, keyed }) =>
      runKeyed(core, { merchantId, keyed }, async (db) => {
        const { list, total } = await createList(db, { merchantId, body, at: core.clock.now() });
        return { status: 201, body: viewList(list, total) };
      }),
  });
}

type Creation = { merchantId: string; body: ListRequest; at: Date };

/** @throws Problem not_found, naming every id that is no contact of this merchant */
async function createList(
  db: Db,
  { merchantId, body, at }: Creation,
): Promise<{ list: Pick<SmsList, 'id' | 'name' | 'createdAt'>; total: number }> {
  const contactIds = await lockContacts(db, merchantId, body.contactoIds ?? []);
  const list = { id: uuid(), name: body.nome, createdAt: at };
  await em(db).insert(SmsList, { ...list, merchantId });
  await insertPlaces.run(db, { listId: list.id, contactIds, at });
  return { list, total: contactIds.length };
}

type Places = { listId: string; contactIds: string[]; at: Date };

const insertPlaces = prepared((tables, { listId, contactIds, at }: Places) =>
  tables
    .insertInto('sms_list_contacts')
    .columns(['listId', 'contactId', 'addedAt'])
    .expression((eb) =>
      eb
        .selectFrom('sms_contacts')
        .select([eb.val(listId).as('listId'), 'id', eb.val(at).as('addedAt')])
        .where('id', ...isAny(contactIds)),
    ),
);

/**
 * The contacts with these ids, each once, kept from being deleted meanwhile: the database knows nothing of who is on a list.
 * @throws Problem not_found, naming every id that is no contact of this merchant
 */
async function lockContacts(db: Db, merchantId: string, ids: string[]): Promise<string[]> {
  const rows = await lockByIds.all(db, { merchantId, ids: ids.filter((id) => UUID.test(id)) });
  const known = new Set(rows.map(({ id }) => id));
  const faults = ids.flatMap((id, nth) =>
    known.has(sameId(id)) ? [] : [{ pointer: `/contactoIds/${nth}`, code: 'unknown_id' as const }],
  );
  if (faults.length > 0) throw new Problem('not_found', { faults });
  return [...known];
}

const lockByIds = prepared((tables, { merchantId, ids }: { merchantId: string; ids: string[] }) =>
  tables
    .selectFrom('sms_contacts')
    .select('id')
    .where('merchantId', '=', merchantId)
    .where('id', ...isAny(ids))
    .forKeyShare(),
);

function declareDelete(core: Core): Route {
  return route({
    ...writes,
    method: 'DELETE',
    path: '/api/Contactos/DeletarListaDeContactos/{listaId}',
    operationId: 'removeSmsContactList',
    summary: 'Delete a contact list',
    description: 'Its contacts stay, and so do scheduled messages.',
    params: byList,
    answers: { 200: { description: 'Deleted', schema: confirmation } },
    run: ({ caller: { merchantId }, params: { listaId }, keyed }) =>
      runKeyed(core, { merchantId, keyed }, async (db) => {
        // First of all: whoever is adding a contact holds the list, and is seen below.
        const deleted = await em(db).nativeDelete(SmsList, { merchantId, id: listaId });
        if (deleted === 0) throw new Problem('not_found');
        await emptyList.run(db, { id: listaId });
        return confirm('Lista eliminada. Os contactos ficam.');
      }),
  });
}
