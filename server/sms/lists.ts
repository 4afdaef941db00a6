// A merchant's contact lists: pages of them, and one with its contacts.
import { LockMode } from '@mikro-orm/postgresql';
import type { ExpressionBuilder } from 'kysely';
import { z } from 'zod';
import type { Core } from '../core.ts';
import { em, type Db, type Tables } from '../database/db.ts';
import { Problem } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { byList } from './contact-schemas.ts';
import { contactListDetails, contactListPage, viewList } from './contact-view.ts';
import { showContacts } from './contacts.ts';
import { SmsList } from './entities.ts';
import { reads, showPage, smsPage } from './fields.ts';
import { findPage } from './page.ts';

/** The endpoints that read lists. */
export function listReads(core: Core): Route[] {
  return [declareList(core), declareRead(core)];
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
      const { rows, total } = await findPage(
        core,
        query,
        (tables) => tables.selectFrom('sms_lists').where('merchantId', '=', merchantId),
        (lists) => lists.selectAll().select(countContacts).orderBy('createdAt', 'desc').orderBy('id', 'desc'),
      );
      const data = rows.map((list) => viewList(list, list.contacts));
      return { status: 200, body: showPage(data, query, total) };
    },
  });
}

const countContacts = (eb: ExpressionBuilder<Tables, 'sms_lists'>) =>
  eb
    .selectFrom('sms_list_contacts as place')
    .whereRef('place.listId', '=', 'sms_lists.id')
    .select((from) => from.fn.countAll<number>().as('contacts'))
    .$asScalar()
    .as('contacts');

function declareRead(core: Core): Route {
  return route({
    ...reads,
    path: '/api/Contactos/ObterListaDeContactosPorId/{listaId}',
    operationId: 'readSmsContactList',
    summary: 'Read one contact list, with a page of its contacts',
    description: 'The page is of its contacts, added last first.',
    params: byList,
    query: z.object(smsPage),
    answers: { 200: { description: 'The list', schema: contactListDetails } },
    async run({ caller: { merchantId }, params: { listaId }, query }) {
      const contactos = await showContacts(core, query, isOn(merchantId, listaId), addedTo(listaId));
      // After its contacts: a list that is deleted meanwhile is not shown empty, but not at all.
      const list = await findList(core, merchantId, listaId);
      if (!list) throw new Problem('not_found');
      return { status: 200, body: { ...viewList(list, contactos.totalItems), contactos } };
    },
  });
}

type Contacts = ExpressionBuilder<Tables, 'sms_contacts'>;

const isOn = (merchantId: string, listId: string) => (eb: Contacts) =>
  eb.and([
    eb('merchantId', '=', merchantId),
    eb('id', 'in', eb.selectFrom('sms_list_contacts').select('contactId').where('listId', '=', listId)),
  ]);

const addedTo = (listId: string) => (eb: Contacts) =>
  eb
    .selectFrom('sms_list_contacts as place')
    .select('place.addedAt')
    .where('place.listId', '=', listId)
    .whereRef('place.contactId', '=', 'sms_contacts.id')
    .$asScalar();

/** One list; null for what does not exist and for what is another merchant's. */
export function findList(db: Db, merchantId: string, id: string): Promise<SmsList | null> {
  return em(db).findOne(SmsList, { merchantId, id });
}

/** The same, as it stays until the transaction ends: its contacts are counted by one at a time. */
export function lockList(db: Db, merchantId: string, id: string): Promise<SmsList | null> {
  return em(db).findOne(SmsList, { merchantId, id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
}
