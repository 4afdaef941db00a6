// A merchant's contact lists: pages of them, and one with its contacts.
import { z } from 'zod';
import type { Core } from '../core.ts';
import { findRow, type Db } from '../database/rows.ts';
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
      const asked = { where: 'merchant_id = $1', values: [merchantId], order: 'created_at desc, id desc', page: query };
      const { rows, total } = await findPage<SmsList>(core, SmsList, asked);
      const totals = await countContacts(core, rows);
      const data = rows.map((list) => viewList(list, totals.get(list.id) ?? 0));
      return { status: 200, body: showPage(data, query, total) };
    },
  });
}

/** How many contacts each of these lists has; an empty one is left out. */
async function countContacts(db: Db, lists: SmsList[]): Promise<Map<string, number>> {
  const { rows } = await db.pool.query<{ id: string; total: number }>(
    'select list_id as id, count(*)::int as total from sms_list_contacts where list_id = any($1::uuid[]) group by list_id',
    [lists.map(({ id }) => id)],
  );
  return new Map(rows.map(({ id, total }) => [id, total]));
}

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
      const contactos = await showContacts(core, { ...ON_LIST, values: [merchantId, listaId], page: query });
      // After its contacts: a list that is deleted meanwhile is not shown empty, but not at all.
      const list = await findList(core, merchantId, listaId);
      if (!list) throw new Problem('not_found');
      return { status: 200, body: { ...viewList(list, contactos.totalItems), contactos } };
    },
  });
}

const ON_LIST = {
  where: 'merchant_id = $1 and id in (select contact_id from sms_list_contacts where list_id = $2)',
  order: `(select added_at from sms_list_contacts where list_id = $2 and contact_id = sms_contacts.id) desc,
    sms_contacts.id desc`,
};

/** One list; null for what does not exist and for what is another merchant's. @param lock `for update` keeps it as it is */
export function findList(
  db: Db,
  merchantId: string,
  id: string,
  lock: '' | 'for update' = '',
): Promise<SmsList | null> {
  return findRow(db, SmsList, `merchant_id = $1 and id = $2 ${lock}`, [merchantId, id]);
}
