// Contacts and lists of them as the API shows them.
import { z } from 'zod';
import { viewPage } from '../http/fields.ts';
import type { SmsContact, SmsList } from './entities.ts';

/** A contact, and whether somebody at its phone wants no more messages. */
export type KnownContact = SmsContact & { optedOut: boolean };

export function viewContact({ id, name, phone, optedOut }: KnownContact) {
  return { contactoId: id, nome: name, telefone: phone, recusaSms: optedOut };
}

/** Answer of a contact. */
export const contact = z
  .object({
    contactoId: z.uuid(),
    nome: z.string(),
    telefone: z.string().describe('E.164'),
    recusaSms: z.boolean().describe('Somebody answered a message there with PARAR or STOP: no more are sent'),
  })
  .meta({ id: 'SmsContact' });

export const contactPage = viewPage.schema(contact);

export function viewList({ id, name, createdAt }: Pick<SmsList, 'id' | 'name' | 'createdAt'>, totalContacts: number) {
  return { listaId: id, nome: name, totalContactos: totalContacts, criadoEm: createdAt };
}

/** Answer of a list, without its contacts. */
export const contactList = z
  .object({ listaId: z.uuid(), nome: z.string(), totalContactos: z.int(), criadoEm: z.iso.datetime() })
  .meta({ id: 'SmsContactList' });

export const contactListPage = viewPage.schema(contactList);

/** Answer of one list. */
export const contactListDetails = contactList
  .extend({ contactos: contactPage.describe('A page of its contacts, added last first') })
  .meta({ id: 'SmsContactListDetails' });
