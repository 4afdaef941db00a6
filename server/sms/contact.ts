// Making, changing and deleting a contact.
import { v7 as uuid } from 'uuid';
import type { Core } from '../core.ts';
import { em, prepared, type Db } from '../database/db.ts';
import { Problem } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { runKeyed } from '../http/idempotency.ts';
import { byContact, contactRequest } from './contact-schemas.ts';
import { contact, viewContact } from './contact-view.ts';
import { findContact } from './contacts.ts';
import { SmsContact } from './entities.ts';
import { confirm, confirmation, writes } from './fields.ts';

const EXAMPLE = { nome: 'Ana Paulo', telefone: '923 456 789' };

/** The endpoints that change contacts. */
export function contactWrites(core: Core): Route[] {
  return [declareCreate(core), declareReplace(core), declareDelete(core)];
}

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
        return { status: 201, body: viewContact(await findContact(db, merchantId, id)) };
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
    description: 'Both fields. Scheduled messages stay as they are.',
    params: byContact,
    body: contactRequest,
    example: EXAMPLE,
    answers: { 200: { description: 'Changed', schema: contact } },
    run: ({ caller: { merchantId }, params: { contactoId }, body, keyed }) =>
      runKeyed(core, { merchantId, keyed }, async (db) => {
        const set = { name: body.nome, phone: body.telefone, updatedAt: core.clock.now() };
        const changed = await em(db).nativeUpdate(SmsContact, { merchantId, id: contactoId }, set);
        if (changed === 0) throw new Problem('not_found');
        return { status: 200, body: viewContact(await findContact(db, merchantId, contactoId)) };
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
      'It leaves every list. Scheduled messages stay. That somebody at its number wants no more messages is not forgotten.',
    params: byContact,
    answers: { 200: { description: 'Deleted', schema: confirmation } },
    run: ({ caller: { merchantId }, params: { contactoId }, keyed }) =>
      runKeyed(core, { merchantId, keyed }, async (db) => {
        await deleteContact(db, merchantId, contactoId);
        return confirm('Contacto eliminado.');
      }),
  });
}

/** @throws Problem not_found */
async function deleteContact(db: Db, merchantId: string, id: string): Promise<void> {
  // First of all: waits for those who are putting it on a list, so that they are seen below, and no others begin.
  if ((await em(db).nativeDelete(SmsContact, { merchantId, id })) === 0) throw new Problem('not_found');
  await leaveLists.run(db, { id });
}

/**
 * In one order, so that a list and its contacts that are deleted at once never wait for one another in a circle.
 * @param column of the id that is given
 */
const deletePlaces = (column: 'listId' | 'contactId') =>
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
      .deleteFrom('sms_list_contacts as p')
      .using('locked as l')
      .whereRef('p.listId', '=', 'l.listId')
      .whereRef('p.contactId', '=', 'l.contactId'),
  );

/** Takes a contact off every list. */
const leaveLists = deletePlaces('contactId');

/** Takes every contact off a list. */
export const emptyList = deletePlaces('listId');
