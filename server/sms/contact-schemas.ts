// Schemas of SMS contacts, contact lists and the import of contacts.
import { z } from 'zod';
import { fault } from '../http/validate.ts';
import { filterText, singleLine, viewPage } from '../http/fields.ts';
import { invalidFields } from '../http/problem.ts';
import type { SmsContact, SmsList } from './entities.ts';
import { idText, nameText, phoneText, smsPage } from './fields.ts';

/** Schema of a contact's name in NFC, because decomposed letters in a message cost more units. */
const name = nameText.transform((text) => text.normalize('NFC'));

export const contactRequest = z.object({ nome: name, telefone: phoneText });

export const contactQuery = z.object({
  ...smsPage,
  telefone: phoneText.optional().describe('Only contacts with this number, in any usual format'),
  nome: filterText(100)
    .transform((text) => text.normalize('NFC'))
    .optional()
    .describe('Only contacts whose name contains this text; case is ignored'),
  pesquisa: singleLine(100)
    .optional()
    .describe('Only contacts with this text in the name, or with these digits in the number; accents are ignored'),
});

export type ContactQuery = z.output<typeof contactQuery>;

/** Maximum number of contacts on a list, since one batch has no more recipients. */
export const MAX_LIST_CONTACTS = 1_000;

/** Body that creates a contact list. Texts that are not ids pass the schema; the handler reports them as unknown. */
export const listRequest = z.object({
  nome: name,
  contactoIds: z
    .array(z.string())
    .refine((ids) => fitsOnList(ids), fault('too_big', { maximum: MAX_LIST_CONTACTS }))
    .nullish()
    .describe(`Contacts of the list, at most ${MAX_LIST_CONTACTS}; repeated ids count once`),
});

/** Maximum number of contact ids, counting repetitions: each unknown one gets an entry in `errors`. */
const MAX_IDS = 10 * MAX_LIST_CONTACTS;

function fitsOnList(ids: string[]): boolean {
  return new Set(ids.map(normalizeId)).size <= MAX_LIST_CONTACTS;
}

/** Limits the number of contact ids. @throws Problem validation_failed if `contactoIds` has over MAX_IDS entries */
export function checkIdCount(input: unknown): [] {
  const ids = (input as { contactoIds?: unknown } | null | undefined)?.contactoIds;
  if (!Array.isArray(ids) || ids.length <= MAX_IDS) return [];
  throw invalidFields([
    { pointer: '/contactoIds', code: 'too_big', params: { maximum: MAX_LIST_CONTACTS, isList: true } },
  ]);
}

/** Lowers the case of an id, since the database returns UUIDs in lower case. */
export function normalizeId(id: string): string {
  return id.toLowerCase();
}

export const importRequest = z.object({
  contactos: z
    .array(contactRequest)
    .min(1)
    .max(MAX_LIST_CONTACTS)
    .describe('In any order; repeated contacts count once'),
  listaId: z.string().nullish().describe('An existing list that receives all contacts'),
  novaLista: name.nullish().describe('Or the name of a new list for all contacts'),
});

export type ImportRequest = z.output<typeof importRequest>;

export const additionRequest = z.object({ listaId: z.string(), contactoId: z.string() });

const contactoId = idText.describe('`contactoId` of a contact');
const listaId = idText.describe('`listaId` of a list');
export const byContact = z.object({ contactoId });
export const byList = z.object({ listaId });
export const byEntry = z.object({ listaId, contactoId });

/** A contact. `optedOut`: the person at this number refuses the merchant's SMS. */
export type ContactWithOptOut = SmsContact & { optedOut: boolean };

export function viewContact({ id, name, phone, optedOut }: ContactWithOptOut) {
  return { contactoId: id, nome: name, telefone: phone, recusaSms: optedOut };
}

export const contact = z
  .object({
    contactoId: z.uuid(),
    nome: z.string(),
    telefone: z.string().describe('E.164'),
    recusaSms: z.boolean().describe('The person at this number refuses your SMS, so none are sent'),
  })
  .meta({ id: 'SmsContact' });

export const contactPage = viewPage.schema(contact);

export function viewList({ id, name, createdAt }: Pick<SmsList, 'id' | 'name' | 'createdAt'>, totalContacts: number) {
  return { listaId: id, nome: name, totalContactos: totalContacts, criadoEm: createdAt };
}

export const contactList = z
  .object({ listaId: z.uuid(), nome: z.string(), totalContactos: z.int(), criadoEm: z.iso.datetime() })
  .meta({ id: 'SmsContactList' });

export const contactListPage = viewPage.schema(contactList);

export const contactListDetails = contactList
  .extend({ contactos: contactPage.describe('A page of its contacts, the last added first') })
  .meta({ id: 'SmsContactListDetails' });

export const importAnswer = z
  .object({
    criados: z.int().describe('Contacts that were created'),
    existentes: z.int().describe('Contacts with the same name and number that existed already'),
    lista: contactList.nullable().describe('The list that has all contacts now; null: the request named none'),
  })
  .meta({ id: 'SmsContactImport' });
