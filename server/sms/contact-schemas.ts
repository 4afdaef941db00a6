// What a contact may be, and how it is shown.
import { z } from 'zod';
import { fault } from '../http/validate.ts';
import { filterText, viewPage } from '../http/fields.ts';
import { invalid } from '../http/problem.ts';
import type { SmsContact, SmsList } from './entities.ts';
import { idText, nameText, phoneText, smsPage } from './fields.ts';

/** One way to write each letter (NFC), as in texts: they take names in, and decomposed ones would cost more. */
const name = nameText.transform((given) => given.normalize('NFC'));

export const contactRequest = z.object({ nome: name, telefone: phoneText });

export const contactQuery = z.object({
  ...smsPage,
  telefone: phoneText.optional().describe('Only contacts with this number, in any usual way of writing it'),
  nome: filterText(100)
    .transform((text) => text.normalize('NFC'))
    .optional()
    .describe('Only contacts with this in their name, whatever the case'),
});

export type ContactQuery = z.output<typeof contactQuery>;

/** As many contacts as a list has at most: one sending takes no more. */
export const MOST_ON_LIST = 1_000;

/** Body of creating a list. What is no id stays: it is told with the unknown ones. */
export const listRequest = z.object({
  nome: name,
  contactoIds: z
    .array(z.string())
    .refine((ids) => isListful(ids), fault('too_big', { maximum: MOST_ON_LIST }))
    .nullish()
    .describe(`Contacts to put on it, at most ${MOST_ON_LIST}; repeated ones count once`),
});

/** Repeated ids are told when they are unknown, each: a body holds 20,000 of them. */
const MOST_NAMED = 10 * MOST_ON_LIST;

function isListful(ids: string[]): boolean {
  return new Set(ids.map(sameId)).size <= MOST_ON_LIST;
}

/** @throws Problem validation_failed where there are more than anybody looks through */
export function checkNamed(input: unknown): [] {
  const ids = (input as { contactoIds?: unknown } | null | undefined)?.contactoIds;
  if (!Array.isArray(ids) || ids.length <= MOST_NAMED) return [];
  throw invalid([{ pointer: '/contactoIds', code: 'too_big', params: { maximum: MOST_ON_LIST, isList: true } }]);
}

/** Ids are the same in capitals. */
export function sameId(id: string): string {
  return id.toLowerCase();
}

export const importRequest = z.object({
  contactos: z.array(contactRequest).min(1).max(MOST_ON_LIST).describe('In any order; repeated ones count once'),
  listaId: z.string().nullish().describe('A list to put all of them on'),
  novaLista: name.nullish().describe('Or the name of a new list for them'),
});

export type ImportRequest = z.output<typeof importRequest>;

export const additionRequest = z.object({ listaId: z.string(), contactoId: z.string() });

const contactoId = idText.describe('`contactoId` of a contact');
const listaId = idText.describe('`listaId` of a list');
export const byContact = z.object({ contactoId });
export const byList = z.object({ listaId });
export const byPlace = z.object({ listaId, contactoId });

/** A contact, and whether somebody at its phone wants no more messages. */
export type KnownContact = SmsContact & { optedOut: boolean };

export function viewContact({ id, name, phone, optedOut }: KnownContact) {
  return { contactoId: id, nome: name, telefone: phone, recusaSms: optedOut };
}

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

export const contactList = z
  .object({ listaId: z.uuid(), nome: z.string(), totalContactos: z.int(), criadoEm: z.iso.datetime() })
  .meta({ id: 'SmsContactList' });

export const contactListPage = viewPage.schema(contactList);

export const contactListDetails = contactList
  .extend({ contactos: contactPage.describe('A page of its contacts, added last first') })
  .meta({ id: 'SmsContactListDetails' });

export const importAnswer = z
  .object({
    criados: z.int().describe('Contacts that were made'),
    existentes: z.int().describe('Those with this name and number that were there already'),
    lista: contactList.nullable().describe('The list that they are on now; null: none was named'),
  })
  .meta({ id: 'SmsContactImport' });
