// Who is on a list: putting a contact there, taking it off, and all of them for a sending.
import type { Core } from '../core.ts';
import { em, prepared, type Db } from '../database/db.ts';
import { UUID } from '../http/fields.ts';
import { Problem } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { runKeyed } from '../http/idempotency.ts';
import { additionRequest, byPlace, MOST_ON_LIST } from './contact-schemas.ts';
import { SmsListContact } from './entities.ts';
import { confirm, confirmation, writes } from './fields.ts';
import { lockList } from './lists.ts';

export function listContactWrites(core: Core): Route[] {
  return [declareAdd(core), declareRemove(core)];
}

/** All contacts of a list, added first (E.164 phones; several may share one); null: no such list of this merchant. */
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

/** One statement: a list that is being deleted is there with all of them, or not at all; an empty one is a row of nulls. */
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
    summary: 'Put a contact on a list',
    description: 'A contact that is there already stays: 200 too.',
    body: additionRequest,
    example: { listaId: '01980000-0000-7000-8000-000000000002', contactoId: '01980000-0000-7000-8000-000000000001' },
    refusals: {
      404: 'not_found: `errors` names which of the two is none of yours',
      409: `sms_list_full: ${MOST_ON_LIST} contacts are on it`,
    },
    answers: { 200: { description: 'It is on the list', schema: confirmation } },
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
 * The list, whose contacts are counted by one at a time, and the contact, kept from being deleted meanwhile; in this order,
 * as nobody locks a list who holds a contact.
 * @throws Problem not_found, naming which is none of this merchant's
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

/** False: it was there. The list must be locked. @throws Problem sms_list_full */
async function addContact(db: Db, place: Pick<SmsListContact, 'listId' | 'contactId' | 'addedAt'>): Promise<boolean> {
  const { listId, contactId } = place;
  if (await em(db).findOne(SmsListContact, { listId, contactId })) return false;
  if ((await em(db).count(SmsListContact, { listId })) >= MOST_ON_LIST) throw new Problem('sms_list_full');
  await em(db).insert(SmsListContact, place);
  return true;
}

function declareRemove(core: Core): Route {
  return route({
    ...writes,
    method: 'DELETE',
    path: '/api/Contactos/RemoverContactoDaLista/{listaId}/{contactoId}',
    operationId: 'removeSmsContactFromList',
    summary: 'Take a contact off a list',
    description: 'The contact itself stays.',
    params: byPlace,
    refusals: { 404: 'not_found: no such list of yours, or the contact is not on it' },
    answers: { 200: { description: 'It is off the list', schema: confirmation } },
    run: ({ caller: { merchantId }, params: { listaId, contactoId }, keyed }) =>
      runKeyed(core, { merchantId, keyed }, async (db) => {
        // The list first: one change of it at a time, so that its count is exact.
        const list = await lockList(db, merchantId, listaId);
        const place = list && { listId: list.id, contactId: contactoId };
        const removed = place && (await em(db).nativeDelete(SmsListContact, place));
        if (!removed) throw new Problem('not_found');
        return confirm('Contacto retirado da lista.');
      }),
  });
}
