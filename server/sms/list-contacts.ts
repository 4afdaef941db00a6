// Endpoints for the contacts of a list: add one, remove one, and read all for a batch.
import type { Core } from '../core.ts';
import { em, prepared, type Db } from '../database/db.ts';
import { UUID } from '../http/fields.ts';
import { Problem } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { runKeyed } from '../http/idempotency.ts';
import { additionRequest, byEntry, MAX_LIST_CONTACTS } from './contact-schemas.ts';
import { SmsListContact } from './entities.ts';
import { confirm, confirmation, writes } from './fields.ts';
import { lockList } from './lists.ts';

export function listContactWrites(core: Core): Route[] {
  return [declareAdd(core), declareRemove(core)];
}

/** Returns all contacts of a list, the first added one first. Contacts can share a phone. Null: no such list. */
export async function findListContacts(
  db: Db,
  merchantId: string,
  listId: string,
): Promise<{ name: string; phone: string }[] | null> {
  if (!UUID.test(listId)) return null;
  const rows = await selectContacts.all(db, { merchantId, listId });
  if (rows.length === 0) return null;
  return rows.flatMap(({ name, phone }) => (name === null || phone === null ? [] : [{ name, phone }]));
}

/** Reads list and contacts in one statement, so that it sees a deletion as a whole. An empty list is a row of nulls. */
const selectContacts = prepared((tables, { merchantId, listId }: { merchantId: string; listId: string }) =>
  tables
    .selectFrom('sms_lists as l')
    .leftJoin('sms_list_contacts as m', 'm.listId', 'l.id')
    .leftJoin('sms_contacts as c', 'c.id', 'm.contactId')
    .select(['c.name', 'c.phone'])
    .where('l.id', '=', listId)
    .where('l.merchantId', '=', merchantId)
    .orderBy('m.addedAt')
    .orderBy('m.contactId'),
);

function declareAdd(core: Core): Route {
  return route({
    ...writes,
    method: 'POST',
    path: '/api/Contactos/AdicionarContactoALista',
    operationId: 'addSmsContactToList',
    summary: 'Add a contact to a list',
    description: 'Returns 200 too if the contact is on the list already.',
    body: additionRequest,
    example: { listaId: '01980000-0000-7000-8000-000000000002', contactoId: '01980000-0000-7000-8000-000000000001' },
    refusals: {
      404: 'not_found: `errors` names the unknown id',
      409: `sms_list_full: the list has ${MAX_LIST_CONTACTS} contacts`,
    },
    answers: { 200: { description: 'The contact is on the list', schema: confirmation } },
    run: ({ caller: { merchantId }, body, keyed }) =>
      runKeyed(core, { merchantId, keyed }, async (db) => {
        const { listId, contactId } = await lockBoth(db, merchantId, body);
        const isNew = await addContact(db, { listId, contactId, addedAt: core.clock.now() });
        return confirm(isNew ? 'Contacto adicionado à lista.' : 'O contacto já estava na lista.');
      }),
  });
}

const lockContact = prepared((tables, { merchantId, id }: { merchantId: string; id: string }) =>
  tables
    .selectFrom('sms_contacts')
    .select('id')
    .where('merchantId', '=', merchantId)
    .where('id', '=', id)
    .forKeyShare(),
);

/**
 * Locks the list, so that one transaction at a time counts its contacts, and the contact against deletion.
 * Transactions that need both lock the list before its contacts, which prevents deadlocks.
 * @throws Problem not_found with the ids that are unknown
 */
async function lockBoth(
  db: Db,
  merchantId: string,
  { listaId, contactoId }: { listaId: string; contactoId: string },
): Promise<{ listId: string; contactId: string }> {
  const list = UUID.test(listaId) ? await lockList(db, merchantId, listaId) : null;
  const contact = UUID.test(contactoId) ? await lockContact.first(db, { merchantId, id: contactoId }) : null;
  if (list && contact) return { listId: list.id, contactId: contact.id };
  const wrong = [...(list ? [] : ['/listaId']), ...(contact ? [] : ['/contactoId'])];
  throw new Problem('not_found', { faults: wrong.map((pointer) => ({ pointer, code: 'unknown_id' })) });
}

/**
 * Adds a contact to a locked list. Returns false if the contact was already on the list.
 * @throws Problem sms_list_full
 */
async function addContact(db: Db, entry: Pick<SmsListContact, 'listId' | 'contactId' | 'addedAt'>): Promise<boolean> {
  const { listId, contactId } = entry;
  if (await em(db).findOne(SmsListContact, { listId, contactId })) return false;
  if ((await em(db).count(SmsListContact, { listId })) >= MAX_LIST_CONTACTS) throw new Problem('sms_list_full');
  await em(db).insert(SmsListContact, entry);
  return true;
}

function declareRemove(core: Core): Route {
  return route({
    ...writes,
    method: 'DELETE',
    path: '/api/Contactos/RemoverContactoDaLista/{listaId}/{contactoId}',
    operationId: 'removeSmsContactFromList',
    summary: 'Remove a contact from a list',
    description: 'The contact itself stays.',
    params: byEntry,
    refusals: { 404: 'not_found: no such list, or the contact is not on it' },
    answers: { 200: { description: 'The contact is not on the list any more', schema: confirmation } },
    run: ({ caller: { merchantId }, params: { listaId, contactoId }, keyed }) =>
      runKeyed(core, { merchantId, keyed }, async (db) => {
        // The lock serializes changes of the list, so that its count of contacts stays exact.
        const list = await lockList(db, merchantId, listaId);
        const entry = list && { listId: list.id, contactId: contactoId };
        const removed = entry && (await em(db).nativeDelete(SmsListContact, entry));
        if (!removed) throw new Problem('not_found');
        return confirm('Contacto retirado da lista.');
      }),
  });
}
