// One contact list: its contacts, forms to add and remove contacts, and the form to delete it.
import type { SmsContact, SmsContactListDetails } from '../../../packages/client/src/contract.ts';
import type { ScreenProps } from '../../../shared/console.ts';
import { showPhone } from '../../../shared/phone.ts';
import { ActForm, Folded, FoldedAct } from '../../form.tsx';
import type { Screen } from '../../layout.tsx';
import { Card, Head, textsOf } from '../../parts.tsx';
import { addressOf } from '../../words.ts';
import { Refuses } from './contacts.tsx';
import { Entry, NoEntries, pageOf, Pages, peopleOf, SMS } from './parts.tsx';
import { ContactsFile, PasteContacts, readImport } from './pasted-contacts.tsx';

const LIST = `${SMS}/lists`;

type Page = { list: SmsContactListDetails };

export const smsList: Screen = {
  path: `${LIST}/{listaId}`,
  needs: 'readSmsContactList',
  reads: (opened) => ({
    list: { operation: 'readSmsContactList', params: opened.params, query: pageOf(opened) },
  }),
  acts: {
    smsListFill: {
      operation: 'importSmsContacts',
      files: { rows: 'text' },
      buildCall: (form, { params }) => ({
        body: readImport({ rows: form['rows'] ?? '', listaId: params['listaId'] ?? '' }),
      }),
    },
    smsListLeave: {
      operation: 'removeSmsContactFromList',
      buildCall: ({ contactoId = '' }, { params }) => ({ params: { ...params, contactoId } }),
    },
    smsListRemove: {
      operation: 'removeSmsContactList',
      buildCall: (_, { params }) => ({ params }),
      resultPath: () => LIST,
    },
  },
  render(page: ScreenProps<Page>) {
    const t = textsOf(page);
    const { listaId, nome, contactos } = page.data.list;
    const path = `${LIST}/${listaId}`;
    const content = (
      <>
        <Head title={nome} back={{ href: LIST, text: t['sms.lists'] }}>
          {page.visitor.may('sendSmsToList') && contactos.totalItems > 0 && (
            <a class="button" href={addressOf(`${SMS}/send`, { list: listaId })}>
              {t['sms.send.list']}
            </a>
          )}
        </Head>
        <p class="amount">{peopleOf(page, contactos.totalItems)}</p>
        {page.visitor.may('importSmsContacts') && <Changes page={page} />}
        {contactos.data.length > 0 ? (
          <Pages page={page} list={contactos} path={path}>
            {contactos.data.map((contact) => (
              <Member key={contact.contactoId} page={page} contact={contact} />
            ))}
          </Pages>
        ) : (
          <NoEntries page={page} text={t['sms.list.none']} path={path} isSearch={false} />
        )}
      </>
    );
    return { title: nome, content };
  },
};

function Changes({ page }: { page: ScreenProps<Page> }) {
  const t = textsOf(page);
  return (
    <Card>
      <Folded
        page={page}
        act="smsListFill"
        title={t['sms.list.fill']}
        isOpen={page.data.list.contactos.totalItems === 0}
      >
        <ActForm page={page} name="smsListFill" button={t['sms.list.fill.button']} hasFiles>
          <PasteContacts page={page} act="smsListFill" />
          <ContactsFile page={page} act="smsListFill" />
        </ActForm>
      </Folded>
      <FoldedAct
        page={page}
        name="smsListRemove"
        title={t['sms.list.remove']}
        sure={t['sms.list.remove.sure']}
        button={t['sms.list.remove']}
        tone="plain danger"
      />
    </Card>
  );
}

function Member({ page, contact }: { page: ScreenProps<Page>; contact: SmsContact }) {
  const t = textsOf(page);
  const { contactoId, nome, telefone } = contact;
  return (
    <Entry id={contactoId} title={nome} about={showPhone(telefone)} end={<Refuses page={page} contact={contact} />}>
      <a href={`${SMS}/contacts/${contactoId}`}>{t['sms.contact.open']}</a>
      {page.visitor.may('removeSmsContactFromList') && (
        <ActForm page={page} name="smsListLeave" button={t['sms.list.leave']} tone="plain">
          <input type="hidden" name="contactoId" value={contactoId} />
        </ActForm>
      )}
    </Entry>
  );
}
