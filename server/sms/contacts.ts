// Operations on contacts: the people to whom a merchant sends SMS.
import { plainWords } from '../../shared/search.ts';
import { sql, type Expression, type ExpressionBuilder, type SqlBool } from 'kysely';
import { LockMode } from '@mikro-orm/postgresql';
import { v7 as uuid } from 'uuid';
import type { Core } from '../core.ts';
import { em, isAny, prepared, type Db, type Tables } from '../database/db.ts';
import { etagOf, requireMatch } from '../http/precondition.ts';
import { runKeyed } from '../http/idempotency.ts';
import { Problem } from '../http/problem.ts';
import type { Listing } from '../lists/page.ts';
import { SMS_CONTACTS } from '../database/functions/counted-lists.ts';
import { digitsOf, plainWordsSql } from '../database/plain-words.ts';
import { route, type Route } from '../http/route.ts';
import {
  byContact,
  contact,
  contactPage,
  contactQuery,
  contactRequest,
  viewContact,
  type ContactQuery,
  type ContactWithOptOut,
} from './contact-schemas.ts';
import { SmsContact } from './entities.ts';
import { findRefusing } from './opt-outs/refusals.ts';
import { confirm, confirmation, findPage, reads, showPage, writes, type SmsPage } from './fields.ts';

export function contactRoutes(core: Core): Route[] {
  return [declareCreate(core), declareReplace(core), declareDelete(core), declareList(core), declareRead(core)];
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
      const { telefone, nome, pesquisa } = query;
      const body = await showContacts(core, query, {
        merchantId,
        isSelective: telefone !== undefined || nome !== undefined || pesquisa !== undefined,
        rows: (tables) =>
          tables
            .selectFrom('sms_contacts')
            .where((eb) => eb.and([eb('merchantId', '=', merchantId), ...filterBy(query, eb)])),
        order: ['createdAt', 'id'],
      });
      return { status: 200, body };
    },
  });
}

type Contacts = ExpressionBuilder<Tables, 'sms_contacts'>;

function filterBy({ telefone, nome, pesquisa }: ContactQuery, eb: Contacts): Expression<SqlBool>[] {
  // The search uses `strpos`, because `like` reads % and _ as wildcards.
  const positionOf = (text: string) =>
    eb.fn<number>('strpos', [eb.fn('lower', ['name']), eb.fn('lower', [eb.val(text)])]);
  return [
    ...(telefone === undefined ? [] : [eb('phone', '=', telefone)]),
    ...(pesquisa === undefined ? [] : [matchesText(pesquisa)]),
    ...(nome === undefined ? [] : [eb(positionOf(nome), '>', 0)]),
  ];
}

/** SQL condition: the name has all words of the text, or the number has its digits. */
function matchesText(text: string): Expression<SqlBool> {
  const words = plainWords(text).split(' ');
  const each = words.map((word) => sql<SqlBool>`strpos(${sql.raw(plainWordsSql('name'))}, ${word}) > 0`);
  const digits = digitsOf(text);
  const hasDigits = digits ? sql<SqlBool>`strpos(phone, ${digits}) > 0` : sql<SqlBool>`false`;
  return sql<SqlBool>`((${sql.join(each, sql` and `)}) or ${hasDigits})`;
}

export async function showContacts(
  core: Core,
  page: SmsPage,
  listing: Pick<Listing, 'merchantId' | 'isSelective' | 'rows' | 'order'>,
) {
  const { rows, total } = await findPage<SmsContact>(core, page, { ...listing, list: SMS_CONTACTS, keys: {} });
  return showPage((await addOptOuts(core, core, rows)).map(viewContact), page, total);
}

async function addOptOuts(core: Core, db: Db, contacts: SmsContact[]): Promise<ContactWithOptOut[]> {
  const isRefusing = await findRefusing({ ...db, keyring: core.keyring }, contacts);
  return contacts.map((one) => ({ ...one, optedOut: isRefusing(one) }));
}

function declareRead(core: Core): Route {
  return route({
    ...reads,
    path: '/api/Contactos/ObterContactoPorId/{contactoId}',
    operationId: 'readSmsContact',
    summary: 'Read one contact',
    params: byContact,
    tagged: true,
    answers: { 200: { description: 'The contact', schema: contact } },
    run: async ({ caller, params }) =>
      answerContact(await findContact(core, core, caller.merchantId, params.contactoId)),
  });
}

/** The fields that a merchant edits. The ETag ignores the opt-out, because only the person changes it. */
const viewEdited = ({ name, phone }: Pick<SmsContact, 'name' | 'phone'>) => ({ name, phone });

function answerContact(found: ContactWithOptOut) {
  return { status: 200, body: viewContact(found), headers: { ETag: etagOf(viewEdited(found)) } };
}

/** Finds a contact. @throws Problem not_found if no contact of this merchant has the id */
async function findContact(core: Core, db: Db, merchantId: string, id: string): Promise<ContactWithOptOut> {
  const [found] = await addOptOuts(core, db, await em(db).find(SmsContact, { merchantId, id }));
  if (!found) throw new Problem('not_found');
  return found;
}

/**
 * Returns the contact's name of each phone (E.164). Of contacts that share a phone, the last changed one counts.
 * The map has no entry for a phone without a contact.
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

const EXAMPLE = { nome: 'Ana Paulo', telefone: '923 456 789' };

function declareCreate(core: Core): Route {
  return route({
    ...writes,
    method: 'POST',
    path: '/api/Contactos/CadastrarContacto',
    operationId: 'createSmsContact',
    summary: 'Create a contact',
    description: 'Several contacts may have the same number.',
    body: contactRequest,
    example: EXAMPLE,
    answers: { 201: { description: 'Created', schema: contact } },
    run: ({ caller: { merchantId }, body, keyed }) =>
      runKeyed(core, { merchantId, keyed }, async (db) => {
        const id = uuid();
        const at = core.clock.now();
        const made = { id, merchantId, name: body.nome, phone: body.telefone, createdAt: at, updatedAt: at };
        await em(db).insert(SmsContact, made);
        return { status: 201, body: viewContact(await findContact(core, db, merchantId, id)) };
      }),
  });
}

function declareReplace(core: Core): Route {
  return route({
    ...writes,
    method: 'PUT',
    path: '/api/Contactos/AtualizarContacto/{contactoId}',
    operationId: 'replaceSmsContact',
    summary: 'Change a contact',
    description: 'Replaces both fields. Scheduled messages keep their number and text.',
    params: byContact,
    body: contactRequest,
    tagged: true,
    example: EXAMPLE,
    answers: { 200: { description: 'Changed', schema: contact } },
    run: ({ caller: { merchantId }, params: { contactoId }, body, keyed, ifMatch }) =>
      runKeyed(core, { merchantId, keyed }, async (db) => {
        const mine = { merchantId, id: contactoId };
        const before = await em(db).findOne(SmsContact, mine, { lockMode: LockMode.PESSIMISTIC_WRITE });
        if (!before) throw new Problem('not_found');
        requireMatch(ifMatch, viewEdited(before));
        const set = { name: body.nome, phone: body.telefone, updatedAt: core.clock.now() };
        await em(db).nativeUpdate(SmsContact, mine, set);
        return answerContact(await findContact(core, db, merchantId, contactoId));
      }),
  });
}

function declareDelete(core: Core): Route {
  return route({
    ...writes,
    method: 'DELETE',
    path: '/api/Contactos/DeletarContacto/{contactoId}',
    operationId: 'removeSmsContact',
    summary: 'Delete a contact',
    description:
      'Removes the contact from every list. Scheduled messages stay. A refusal of SMS by its number stays too.',
    params: byContact,
    answers: { 200: { description: 'Deleted', schema: confirmation } },
    run: ({ caller: { merchantId }, params: { contactoId }, keyed }) =>
      runKeyed(core, { merchantId, keyed }, async (db) => {
        // The delete waits for transactions that put the contact on a list. The next statement sees their rows.
        const deleted = await em(db).nativeDelete(SmsContact, { merchantId, id: contactoId });
        if (deleted === 0) throw new Problem('not_found');
        await leaveLists.run(db, { id: contactoId });
        return confirm('Contacto eliminado.');
      }),
  });
}

/**
 * Deletes entries of lists. Rows are locked in one order, so that concurrent deletions cannot deadlock.
 * @param column the column of the entry that is compared with `id`
 */
const deleteEntries = (column: 'listId' | 'contactId') =>
  prepared((tables, { id }: { id: string }) =>
    tables
      .with('locked', (on) =>
        on
          .selectFrom('sms_list_contacts')
          .select(['listId', 'contactId'])
          .where(column, '=', id)
          .orderBy('listId')
          .orderBy('contactId')
          .forUpdate(),
      )
      .deleteFrom('sms_list_contacts as e')
      .using('locked as l')
      .whereRef('e.listId', '=', 'l.listId')
      .whereRef('e.contactId', '=', 'l.contactId'),
  );

const leaveLists = deleteEntries('contactId');

export const emptyList = deleteEntries('listId');
