// The SMS contacts: search, a form for one contact, and the import from a table.
import type { SmsContact, SmsContactList } from '../../../packages/client/src/contract.ts';
import type { Drawn } from '../../../shared/console.ts';
import { normalizePhone, showPhone } from '../../../shared/phone.ts';
import { ActForm, Field, Folded } from '../../form.tsx';
import type { DrawnScreen } from '../../layout.tsx';
import { Badge, Card, Head, Line, Search, textsOf, type AnyDrawn } from '../../parts.tsx';
import { None, pageOf, Pages, Places, SMS, type Numbered } from './parts.tsx';
import { ContactsFile, PasteContacts, readImport } from './pasted-contacts.tsx';

const PATH = `${SMS}/contacts`;

type Page = { list: Numbered<SmsContact>; lists: Numbered<SmsContactList> | null };

/** Searches by phone number if the text is one, otherwise by a part of the name. */
function readSearch(q = ''): Record<string, string> {
  const text = q.trim();
  if (!text) return {};
  return normalizePhone(text) ? { telefone: text } : { nome: text };
}

export const smsContacts: DrawnScreen = {
  path: PATH,
  needs: 'listSmsContacts',
  reads(opened, { may }) {
    const query = { ...pageOf(opened), ...readSearch(opened.query['q']) };
    return {
      list: { operation: 'listSmsContacts', query },
      lists: may('importSmsContacts') ? { operation: 'listSmsContactLists', query: { pageSize: '100' } } : null,
    };
  },
  acts: {
    smsContactCreate: {
      operation: 'createSmsContact',
      ask: ({ nome = '', telefone = '' }) => ({ body: { nome, telefone } }),
    },
    smsImport: {
      operation: 'importSmsContacts',
      files: { rows: 'text' },
      ask: (form) => ({ body: readImport(form) }),
      leadsTo: ({ lista }: { lista: SmsContactList | null }) => (lista ? `${SMS}/lists/${lista.listaId}` : PATH),
    },
  },
  draw(drawn: Drawn<Page>) {
    const t = textsOf(drawn);
    const { list } = drawn.data;
    const { q } = drawn.opened.query;
    const content = (
      <>
        <Head title={t['sms.contacts']} back={{ href: SMS, text: t['sms.title'] }} />
        <Places drawn={drawn} here="/contacts" />
        {drawn.visitor.may('createSmsContact') && <MakeContacts drawn={drawn} />}
        {(list.data.length > 0 || q) && <Search drawn={drawn} hint={t['sms.search.contact']} />}
        {list.data.length > 0 ? (
          <Pages drawn={drawn} list={list} path={PATH} keeps={{ q }}>
            {list.data.map((contact) => (
              <ContactLine key={contact.contactoId} drawn={drawn} contact={contact} />
            ))}
          </Pages>
        ) : (
          <None drawn={drawn} text={t['sms.contacts.none']} path={PATH} isSearch={!!q} />
        )}
      </>
    );
    return { title: t['sms.contacts'], content };
  },
};

function MakeContacts({ drawn }: { drawn: Drawn<Page> }) {
  const t = textsOf(drawn);
  const { lists } = drawn.data;
  return (
    <Card>
      <Folded drawn={drawn} act="smsContactCreate" title={t['sms.contact.new']}>
        <ActForm drawn={drawn} name="smsContactCreate" button={t['sms.save']}>
          <ContactFields drawn={drawn} act="smsContactCreate" />
        </ActForm>
      </Folded>
      <Folded drawn={drawn} act="smsImport" title={t['sms.import']}>
        <ActForm drawn={drawn} name="smsImport" button={t['sms.import.button']} hasFiles>
          <PasteContacts drawn={drawn} act="smsImport" />
          {lists && lists.data.length > 0 && (
            <Field
              drawn={drawn}
              act="smsImport"
              name="listaId"
              label={t['sms.import.list']}
              choices={[['', '—'], ...lists.data.map(({ listaId, nome }): [string, string] => [listaId, nome])]}
            />
          )}
          <Field
            drawn={drawn}
            act="smsImport"
            name="novaLista"
            label={t['sms.import.newList']}
            hint={t['sms.import.newList.hint']}
            maxLength={100}
          />
          <ContactsFile drawn={drawn} act="smsImport" />
        </ActForm>
      </Folded>
    </Card>
  );
}

/** @param contact the contact to change; absent for a new contact */
export function ContactFields({ drawn, act, contact }: { drawn: AnyDrawn; act: string; contact?: SmsContact }) {
  const t = textsOf(drawn);
  const about = { drawn, act };
  return (
    <>
      <Field
        {...about}
        name="nome"
        label={t['sms.contact.name']}
        value={contact?.nome ?? ''}
        maxLength={100}
        required
      />
      <Field
        {...about}
        name="telefone"
        label={t['sms.contact.phone']}
        value={contact ? showPhone(contact.telefone) : ''}
        type="tel"
        inputmode="tel"
        required
      />
    </>
  );
}

/** One contact. A badge marks an opted-out contact. */
function ContactLine({ drawn, contact }: { drawn: AnyDrawn; contact: SmsContact }) {
  const { contactoId, nome, telefone } = contact;
  return (
    <Line
      id={contactoId}
      href={`${PATH}/${contactoId}`}
      title={nome}
      about={showPhone(telefone)}
      end={<Refuses drawn={drawn} contact={contact} />}
    />
  );
}

export function Refuses({ drawn, contact }: { drawn: AnyDrawn; contact: SmsContact }) {
  return contact.recusaSms ? <Badge icon="stop" look="warning" text={textsOf(drawn)['sms.refuses']} /> : null;
}
