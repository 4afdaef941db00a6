// A merchant's contacts: pages of them, one, and under which name it knows a phone.
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import type { Core } from '../core.ts';
import { isAny, prepared, type Db, type Tables } from '../database/db.ts';
import { Problem } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { byContact, contactQuery, type ContactQuery } from './contact-schemas.ts';
import { contact, contactPage, viewContact, type KnownContact } from './contact-view.ts';
import { reads, showPage, type SmsPage } from './fields.ts';
import { findPage } from './page.ts';

/** The endpoints that read contacts. */
export function contactReads(core: Core): Route[] {
  return [declareList(core), declareRead(core)];
}

function declareList(core: Core): Route {
  return route({
    ...reads,
    path: '/api/Contactos/ListarContactos',
    operationId: 'listSmsContacts',
    summary: 'List contacts, newest first',
    query: contactQuery,
    answers: { 200: { description: 'A page', schema: contactPage } },
    async run({ caller, query }) {
      const { merchantId } = caller;
      const isListed: Filter = (eb) => eb.and([eb('merchantId', '=', merchantId), ...filterBy(query, eb)]);
      const body = await showContacts(core, query, isListed, (eb) => eb.ref('createdAt'));
      return { status: 200, body };
    },
  });
}

type Contacts = ExpressionBuilder<Tables, 'sms_contacts'>;
type Filter = (eb: Contacts) => Expression<SqlBool>;

function filterBy({ telefone, nome }: ContactQuery, eb: Contacts): Expression<SqlBool>[] {
  // Not `like`, to which % and _ are no letters.
  const placeOf = (text: string) => eb.fn<number>('strpos', [eb.fn('lower', ['name']), eb.fn('lower', [eb.val(text)])]);
  return [
    ...(telefone === undefined ? [] : [eb('phone', '=', telefone)]),
    ...(nome === undefined ? [] : [eb(placeOf(nome), '>', 0)]),
  ];
}

/** A page of contacts, in its envelope. @param since newest first; contacts of the same moment by id */
export async function showContacts(
  core: Core,
  page: SmsPage,
  filter: Filter,
  since: (eb: Contacts) => Expression<Date | null>,
) {
  const { rows, total } = await findPage(
    core,
    page,
    (tables) => tables.selectFrom('sms_contacts').where(filter),
    (contacts) => contacts.selectAll().select(isOptedOut).orderBy(since, 'desc').orderBy('id', 'desc'),
  );
  return showPage(rows.map(viewContact), page, total);
}

const isOptedOut = (eb: Contacts) =>
  eb
    .exists(
      eb
        .selectFrom('sms_opt_outs as o')
        .whereRef('o.merchantId', '=', 'sms_contacts.merchantId')
        .whereRef('o.phone', '=', 'sms_contacts.phone'),
    )
    .$castTo<boolean>()
    .as('optedOut');

function declareRead(core: Core): Route {
  return route({
    ...reads,
    path: '/api/Contactos/ObterContactoPorId/{contactoId}',
    operationId: 'readSmsContact',
    summary: 'Read one contact',
    params: byContact,
    answers: { 200: { description: 'The contact', schema: contact } },
    run: async ({ caller, params }) => ({
      status: 200,
      body: viewContact(await findContact(core, caller.merchantId, params.contactoId)),
    }),
  });
}

/** @throws Problem not_found for what does not exist and for what is another merchant's alike */
export async function findContact(db: Db, merchantId: string, id: string): Promise<KnownContact> {
  const found = await selectContact.first(db, { merchantId, id });
  if (!found) throw new Problem('not_found');
  return found;
}

const selectContact = prepared((tables, { merchantId, id }: { merchantId: string; id: string }) =>
  tables
    .selectFrom('sms_contacts')
    .selectAll()
    .select(isOptedOut)
    .where('merchantId', '=', merchantId)
    .where('id', '=', id),
);

/**
 * Under which name a merchant knows these phones (E.164): that of the contact changed last, where several share one.
 * Phones of no contact are left out.
 */
export async function findNames(db: Db, merchantId: string, phones: string[]): Promise<Map<string, string>> {
  const rows = await selectNames.all(db, { merchantId, phones });
  return new Map(rows.map(({ phone, name }) => [phone, name]));
}

const selectNames = prepared((tables, { merchantId, phones }: { merchantId: string; phones: string[] }) =>
  tables
    .selectFrom('sms_contacts')
    .distinctOn('phone')
    .select(['phone', 'name'])
    .where('merchantId', '=', merchantId)
    .where('phone', ...isAny(phones))
    .orderBy('phone')
    .orderBy('updatedAt', 'desc')
    .orderBy('id', 'desc'),
);
