// One contact list: its contacts, forms to add and remove contacts, and the form to delete it.
import type { SmsContact, SmsContactListDetails } from '../../../packages/client/src/contract.ts';
import type { Drawn } from '../../../shared/console.ts';
import { showPhone } from '../../../shared/phone.ts';
import { ActForm, Folded, FoldedAct } from '../../form.tsx';
import type { DrawnScreen } from '../../layout.tsx';
import { Card, Head, textsOf } from '../../parts.tsx';
import { addressOf } from '../../words.ts';
import { Refuses } from './contacts.tsx';
import { Entry, None, pageOf, Pages, peopleOf, SMS } from './parts.tsx';
import { ContactsFile, PasteContacts, readImport } from './pasted-contacts.tsx';

const LIST = `${SMS}/lists`;

type Page = { list: SmsContactListDetails };

export const smsList: DrawnScreen = {
  path: `${LIST}/{listaId}`,
  needs: 'readSmsContactList',
  reads: (opened) => ({
    list: { operation: 'readSmsContactList', params: opened.params, query: pageOf(opened) },
  }),
  acts: {
    smsListFill: {
      operation: 'importSmsContacts',
      files: { rows: 'text' },
      ask: (form, { params }) => ({ body: readImport({ rows: form['rows'] ?? '', listaId: params['listaId'] ?? '' }) }),
    },
    smsListLeave: {
      operation: 'removeSmsContactFromList',
      ask: ({ contactoId = '' }, { params }) => ({ params: { ...params, contactoId } }),
    },
    smsListRemove: {
      operation: 'removeSmsContactList',
      ask: (_, { params }) => ({ params }),
      leadsTo: () => LIST,
    },
  },
  draw(drawn: Drawn<Page>) {
    const t = textsOf(drawn);
    const { listaId, nome, contactos } = drawn.data.list;
    const path = `${LIST}/${listaId}`;
    const content = (
      <>
        <Head title={nome} back={{ href: LIST, text: t['sms.lists'] }}>
          {drawn.visitor.may('sendSmsToList') && contactos.totalItems > 0 && (
            <a class="button" href={addressOf(`${SMS}/send`, { list: listaId })}>
              {t['sms.send.list']}
            </a>
          )}
        </Head>
        <p class="amount">{peopleOf(drawn, contactos.totalItems)}</p>
        {drawn.visitor.may('importSmsContacts') && <Changes drawn={drawn} />}
        {contactos.data.length > 0 ? (
          <Pages drawn={drawn} list={contactos} path={path}>
            {contactos.data.map((contact) => (
              <Member key={contact.contactoId} drawn={drawn} contact={contact} />
            ))}
          </Pages>
        ) : (
          <None drawn={drawn} text={t['sms.list.none']} path={path} isSearch={false} />
        )}
      </>
    );
    return { title: nome, content };
  },
};

function Changes({ drawn }: { drawn: Drawn<Page> }) {
  const t = textsOf(drawn);
  return (
    <Card>
      <Folded
        drawn={drawn}
        act="smsListFill"
        title={t['sms.list.fill']}
        isOpen={drawn.data.list.contactos.totalItems === 0}
      >
        <ActForm drawn={drawn} name="smsListFill" button={t['sms.list.fill.button']} hasFiles>
          <PasteContacts drawn={drawn} act="smsListFill" />
          <ContactsFile drawn={drawn} act="smsListFill" />
        </ActForm>
      </Folded>
      <FoldedAct
        drawn={drawn}
        name="smsListRemove"
        title={t['sms.list.remove']}
        sure={t['sms.list.remove.sure']}
        button={t['sms.list.remove']}
        look="plain danger"
      />
    </Card>
  );
}

function Member({ drawn, contact }: { drawn: Drawn<Page>; contact: SmsContact }) {
  const t = textsOf(drawn);
  const { contactoId, nome, telefone } = contact;
  return (
    <Entry id={contactoId} title={nome} about={showPhone(telefone)} end={<Refuses drawn={drawn} contact={contact} />}>
      <a href={`${SMS}/contacts/${contactoId}`}>{t['sms.contact.open']}</a>
      {drawn.visitor.may('removeSmsContactFromList') && (
        <ActForm drawn={drawn} name="smsListLeave" button={t['sms.list.leave']} look="plain">
          <input type="hidden" name="contactoId" value={contactoId} />
        </ActForm>
      )}
    </Entry>
  );
}
