// Making and deleting a contact list.
import { v7 as uuid } from 'uuid';
import type { Core } from '../core.ts';
import { insertRow, type Db } from '../database/rows.ts';
import { UUID } from '../http/fields.ts';
import { Problem } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { runKeyed } from '../http/stored.ts';
import { byList, listRequest, MOST_ON_LIST, sameId, type ListRequest } from './contact-schemas.ts';
import { contactList, viewList } from './contact-view.ts';
import { deletePlaces } from './contact.ts';
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
  await insertRow(db, SmsList, { ...list, merchantId });
  await db.pool.query(
    `insert into sms_list_contacts (list_id, contact_id, added_at)
     select $1::uuid, contact_id, $3::timestamptz from unnest($2::uuid[]) contact_id`,
    [list.id, contactIds, at],
  );
  return { list, total: contactIds.length };
}

/**
 * The contacts with these ids, each once, kept from being deleted meanwhile: the database knows nothing of who is on a list.
 * @throws Problem not_found, naming every id that is no contact of this merchant
 */
async function lockContacts(db: Db, merchantId: string, ids: string[]): Promise<string[]> {
  const { rows } = await db.pool.query<{ id: string }>(
    'select id from sms_contacts where merchant_id = $1::uuid and id = any($2::uuid[]) for key share',
    [merchantId, ids.filter((id) => UUID.test(id))],
  );
  const known = new Set(rows.map(({ id }) => id));
  const faults = ids.flatMap((id, nth) =>
    known.has(sameId(id)) ? [] : [{ pointer: `/contactoIds/${nth}`, code: 'unknown_id' as const }],
  );
  if (faults.length > 0) throw new Problem('not_found', { faults });
  return [...known];
}

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
        const text = 'delete from sms_lists where merchant_id = $1::uuid and id = $2::uuid';
        if ((await db.pool.query(text, [merchantId, listaId])).rowCount === 0) throw new Problem('not_found');
        await deletePlaces(db, 'list_id', listaId);
        return confirm('Lista eliminada. Os contactos ficam.');
      }),
  });
}
