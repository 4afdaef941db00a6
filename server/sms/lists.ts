// Endpoints for contact lists: create, read, list, delete.
import { LockMode } from '@mikro-orm/postgresql';
import type { ExpressionBuilder, Kysely } from 'kysely';
import { v7 as uuid } from 'uuid';
import { z } from 'zod';
import type { Core } from '../core.ts';
import { em, isAny, prepared, type Db, type Tables } from '../database/db.ts';
import { MAX_BYTES } from '../http/body.ts';
import { UUID } from '../http/fields.ts';
import { SMS_LISTS } from '../database/functions/counted-lists.ts';
import { runKeyed } from '../http/idempotency.ts';
import { Problem } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import {
  byList,
  checkIdCount,
  contactList,
  contactListDetails,
  contactListPage,
  listRequest,
  MAX_LIST_CONTACTS,
  normalizeId,
  viewList,
} from './contact-schemas.ts';
import { emptyList, showContacts } from './contacts.ts';
import { SmsList } from './entities.ts';
import { confirm, confirmation, findPage, reads, showPage, smsPage, writes } from './fields.ts';

export function listRoutes(core: Core): Route[] {
  return [declareCreate(core), declareDelete(core), declareList(core), declareRead(core)];
}

function declareList(core: Core): Route {
  return route({
    ...reads,
    path: '/api/Contactos/ListarListasDeContactos',
    operationId: 'listSmsContactLists',
    summary: 'List contact lists, newest first',
    query: z.object(smsPage),
    answers: { 200: { description: 'A page', schema: contactListPage } },
    async run({ caller: { merchantId }, query }) {
      const { rows, total } = await findPage<SmsList & { contacts: number }>(core, query, {
        list: SMS_LISTS,
        merchantId,
        keys: {},
        rows: (tables) => tables.selectFrom('sms_lists').where('merchantId', '=', merchantId),
        decorate: (tables, lists) =>
          tables
            .selectFrom(lists.as('sms_lists'))
            .selectAll()
            .select(countContacts)
            .orderBy('createdAt', 'desc')
            .orderBy('id', 'desc'),
        order: ['createdAt', 'id'],
      });
      const data = rows.map((list) => viewList(list, list.contacts));
      return { status: 200, body: showPage(data, query, total) };
    },
  });
}

const countContacts = (eb: ExpressionBuilder<Tables, 'sms_lists'>) =>
  eb
    .selectFrom('sms_list_contacts as entry')
    .whereRef('entry.listId', '=', 'sms_lists.id')
    .select((from) => from.fn.countAll<number>().as('contacts'))
    .$asScalar()
    .as('contacts');

function declareRead(core: Core): Route {
  return route({
    ...reads,
    path: '/api/Contactos/ObterListaDeContactosPorId/{listaId}',
    operationId: 'readSmsContactList',
    summary: 'Read one contact list, with a page of its contacts',
    description: 'The page has the last added contacts first.',
    params: byList,
    query: z.object(smsPage),
    answers: { 200: { description: 'The list', schema: contactListDetails } },
    async run({ caller: { merchantId }, params: { listaId }, query }) {
      const contactos = await showContacts(core, query, {
        merchantId,
        isSelective: true,
        rows: (tables) => tables.selectFrom(selectEntries(tables, merchantId, listaId).as('contact')),
        order: ['addedAt', 'id'],
      });
      // The list is read last: a list that was deleted between both reads returns 404, and not an empty page.
      const list = await findList(core, merchantId, listaId);
      if (!list) throw new Problem('not_found');
      return { status: 200, body: { ...viewList(list, contactos.totalItems), contactos } };
    },
  });
}

/** Selects the contacts of a list, each with the time of its addition. */
const selectEntries = (tables: Kysely<Tables>, merchantId: string, listId: string) =>
  tables
    .selectFrom('sms_list_contacts as entry')
    .innerJoin('sms_contacts as c', 'c.id', 'entry.contactId')
    .where('entry.listId', '=', listId)
    .where('c.merchantId', '=', merchantId)
    .selectAll('c')
    .select('entry.addedAt');

/** Finds a contact list of this merchant. Null for an unknown list. */
function findList(db: Db, merchantId: string, id: string): Promise<SmsList | null> {
  return em(db).findOne(SmsList, { merchantId, id });
}

/** Locks a contact list until the transaction ends, so that one transaction at a time counts its contacts. */
export function lockList(db: Db, merchantId: string, id: string): Promise<SmsList | null> {
  return em(db).findOne(SmsList, { merchantId, id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
}

function declareCreate(core: Core): Route {
  return route({
    ...writes,
    method: 'POST',
    path: '/api/Contactos/CriarListaDeContactos',
    operationId: 'createSmsContactList',
    summary: 'Create a contact list',
    description: `A list has 0 to ${MAX_LIST_CONTACTS} contacts, as many as one SMS request accepts.`,
    body: listRequest,
    maxBytes: MAX_BYTES,
    checkBody: checkIdCount,
    // The field `errors` can list every contact id of the request.
    maxFaults: MAX_LIST_CONTACTS,
    example: { nome: 'Clientes de Luanda', contactoIds: ['01980000-0000-7000-8000-000000000001'] },
    refusals: { 404: 'not_found: `errors` names every unknown id; no list was created' },
    answers: { 201: { description: 'Created', schema: contactList } },
    run: ({ caller: { merchantId }, body, keyed }) =>
      runKeyed(core, { merchantId, keyed }, async (db) => {
        const at = core.clock.now();
        const contactIds = await lockContacts(db, merchantId, body.contactoIds ?? []);
        const list = { id: uuid(), merchantId, name: body.nome, createdAt: at };
        await em(db).insert(SmsList, list);
        await insertEntries.run(db, { listId: list.id, contactIds, at });
        return { status: 201, body: viewList(list, contactIds.length) };
      }),
  });
}

export type ListEntries = { listId: string; contactIds: string[]; at: Date };

/** Adds contacts to a list. Existing entries of the list stay unchanged. */
export const insertEntries = prepared((tables, { listId, contactIds, at }: ListEntries) =>
  tables
    .insertInto('sms_list_contacts')
    .columns(['listId', 'contactId', 'addedAt'])
    .expression((eb) =>
      eb
        .selectFrom('sms_contacts')
        .select([eb.val(listId).as('listId'), 'id', eb.val(at).as('addedAt')])
        .where('id', ...isAny(contactIds)),
    )
    .onConflict((existing) => existing.doNothing()),
);

/**
 * Locks the contacts with these ids against deletion, and returns each id once.
 * The lock is needed because the entries of lists have no foreign key to contacts.
 * @throws Problem not_found with every id that is no contact of this merchant
 */
async function lockContacts(db: Db, merchantId: string, ids: string[]): Promise<string[]> {
  const rows = await lockByIds.all(db, { merchantId, ids: ids.filter((id) => UUID.test(id)) });
  const found = new Set(rows.map(({ id }) => id));
  const faults = ids.flatMap((id, nth) =>
    found.has(normalizeId(id)) ? [] : [{ pointer: `/contactoIds/${nth}`, code: 'unknown_id' as const }],
  );
  if (faults.length > 0) throw new Problem('not_found', { faults });
  return [...found];
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
    description: 'Its contacts and scheduled messages stay.',
    params: byList,
    answers: { 200: { description: 'Deleted', schema: confirmation } },
    run: ({ caller: { merchantId }, params: { listaId }, keyed }) =>
      runKeyed(core, { merchantId, keyed }, async (db) => {
        // The delete waits for transactions that add a contact. The next statement sees their rows.
        const deleted = await em(db).nativeDelete(SmsList, { merchantId, id: listaId });
        if (deleted === 0) throw new Problem('not_found');
        await emptyList.run(db, { id: listaId });
        return confirm('Lista eliminada. Os contactos ficam.');
      }),
  });
}
