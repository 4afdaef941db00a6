// The SMS contacts: search, a form for one contact, and the import from a table.
import type { SmsContact, SmsContactList } from '../../../packages/client/src/contract.ts';
import type { ScreenProps } from '../../../shared/console.ts';
import { showPhone } from '../../../shared/phone.ts';
import { ActForm, Field, Folded } from '../../form.tsx';
import type { Screen } from '../../layout.tsx';
import { Badge, Card, Head, Line, Search, textsOf, type AnyScreenProps } from '../../parts.tsx';
import { NoEntries, pageOf, Pages, SmsMenu, SMS, type Numbered } from './parts.tsx';
import { ContactsFile, PasteContacts, readImport } from './pasted-contacts.tsx';

const PATH = `${SMS}/contacts`;

type Page = { list: Numbered<SmsContact>; lists: Numbered<SmsContactList> | null };

/** Searches contacts by a part of the name or of the phone number. */
function readSearch(q = ''): Record<string, string> {
  const text = q.trim();
  return text ? { pesquisa: text } : {};
}

export const smsContacts: Screen = {
  path: PATH,
  needs: 'listSmsContacts',
  menu: { group: 'customers', text: 'sms.contacts', icon: 'contacts' },
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
      buildCall: ({ nome = '', telefone = '' }) => ({ body: { nome, telefone } }),
    },
    smsImport: {
      operation: 'importSmsContacts',
      files: { rows: 'text' },
      buildCall: (form) => ({ body: readImport(form) }),
      resultPath: ({ lista }: { lista: SmsContactList | null }) => (lista ? `${SMS}/lists/${lista.listaId}` : PATH),
    },
  },
  render(page: ScreenProps<Page>) {
    const t = textsOf(page);
    const { list } = page.data;
    const { q } = page.opened.query;
    const content = (
      <>
        <Head title={t['sms.contacts']} back={{ href: SMS, text: t['sms.title'] }} />
        <SmsMenu page={page} here="/contacts" />
        {page.visitor.may('createSmsContact') && <MakeContacts page={page} />}
        {(list.data.length > 0 || q) && <Search page={page} hint={t['sms.search.contact']} />}
        {list.data.length > 0 ? (
          <Pages page={page} list={list} path={PATH} keeps={{ q }}>
            {list.data.map((contact) => (
              <ContactLine key={contact.contactoId} page={page} contact={contact} />
            ))}
          </Pages>
        ) : (
          <NoEntries page={page} text={t['sms.contacts.none']} path={PATH} isSearch={!!q} />
        )}
      </>
    );
    return { title: t['sms.contacts'], content };
  },
};

function MakeContacts({ page }: { page: ScreenProps<Page> }) {
  const t = textsOf(page);
  const { lists } = page.data;
  return (
    <Card>
      <Folded page={page} act="smsContactCreate" title={t['sms.contact.new']}>
        <ActForm page={page} name="smsContactCreate" button={t['sms.save']}>
          <ContactFields page={page} act="smsContactCreate" />
        </ActForm>
      </Folded>
      <Folded page={page} act="smsImport" title={t['sms.import']}>
        <ActForm page={page} name="smsImport" button={t['sms.import.button']} hasFiles>
          <PasteContacts page={page} act="smsImport" />
          {lists && lists.data.length > 0 && (
            <Field
              page={page}
              act="smsImport"
              name="listaId"
              label={t['sms.import.list']}
              choices={[['', '—'], ...lists.data.map(({ listaId, nome }): [string, string] => [listaId, nome])]}
            />
          )}
          <Field
            page={page}
            act="smsImport"
            name="novaLista"
            label={t['sms.import.newList']}
            hint={t['sms.import.newList.hint']}
            maxLength={100}
          />
          <ContactsFile page={page} act="smsImport" />
        </ActForm>
      </Folded>
    </Card>
  );
}

/** The fields of a contact's form. @param contact the contact to change; absent for a new contact */
export function ContactFields({ page, act, contact }: { page: AnyScreenProps; act: string; contact?: SmsContact }) {
  const t = textsOf(page);
  const about = { page, act };
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

/** One SMS contact in the list. A badge marks a contact that opted out. */
function ContactLine({ page, contact }: { page: AnyScreenProps; contact: SmsContact }) {
  const { contactoId, nome, telefone } = contact;
  return (
    <Line
      id={contactoId}
      href={`${PATH}/${contactoId}`}
      title={nome}
      about={showPhone(telefone)}
      end={<Refuses page={page} contact={contact} />}
    />
  );
}

export function Refuses({ page, contact }: { page: AnyScreenProps; contact: SmsContact }) {
  return contact.recusaSms ? <Badge icon="stop" tone="warning" text={textsOf(page)['sms.refuses']} /> : null;
}
