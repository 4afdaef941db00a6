// A merchant's contacts: pages of them, one, and under which name it knows a phone.
import type { Core } from '../core.ts';
import { findRow, type Db } from '../database/rows.ts';
import { Problem } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { byContact, contactQuery, type ContactQuery } from './contact-schemas.ts';
import { contact, contactPage, viewContact, type KnownContact } from './contact-view.ts';
import { SmsContact } from './entities.ts';
import { reads, showPage } from './fields.ts';
import { findPage, type Asked } from './page.ts';

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
      const values: unknown[] = [caller.merchantId];
      const where = ['merchant_id = $1', ...filterBy(query, values)].join(' and ');
      return { status: 200, body: await showContacts(core, { where, values, order: NEWEST, page: query }) };
    },
  });
}

const NEWEST = 'created_at desc, id desc';

const FILTERS: Record<'telefone' | 'nome', (place: string) => string> = {
  telefone: (place) => `phone = ${place}`,
  // Not `like`, to which % and _ are no letters.
  nome: (place) => `strpos(lower(name), lower(${place})) > 0`,
};

/** The filter as conditions on `sms_contacts`; its values are added to `values`. */
function filterBy(query: ContactQuery, values: unknown[]): string[] {
  return (['telefone', 'nome'] as const).flatMap((name) => {
    const value = query[name];
    return value === undefined ? [] : [FILTERS[name](`$${values.push(value)}`)];
  });
}

/** A page of contacts, in its envelope. */
export async function showContacts(core: Core, asked: Omit<Asked, 'also'>) {
  const { rows, total } = await findPage<SmsContact, OptedOut>(core, SmsContact, { ...asked, also: [OPTED_OUT] });
  return showPage(rows.map(viewContact), asked.page, total);
}

type OptedOut = Pick<KnownContact, 'optedOut'>;

const OPTED_OUT = `exists (select from sms_opt_outs o
  where o.merchant_id = sms_contacts.merchant_id and o.phone = sms_contacts.phone) as "optedOut"`;

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
  const where = 'merchant_id = $1 and id = $2';
  const found = await findRow<SmsContact, OptedOut>(db, SmsContact, where, [merchantId, id], [OPTED_OUT]);
  if (!found) throw new Problem('not_found');
  return found;
}

/**
 * Under which name a merchant knows these phones (E.164): that of the contact changed last, where several share one.
 * Phones of no contact are left out.
 */
export async function findNames(db: Db, merchantId: string, phones: string[]): Promise<Map<string, string>> {
  const { rows } = await db.pool.query<{ phone: string; name: string }>(
    `select distinct on (phone) phone, name from sms_contacts where merchant_id = $1::uuid and phone = any($2::text[])
     order by phone, updated_at desc, id desc`,
    [merchantId, phones],
  );
  return new Map(rows.map(({ phone, name }) => [phone, name]));
}
