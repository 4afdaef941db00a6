// One SMS contact: forms to change it, add it to a list, send it a message, and delete it.
import type { SmsContact, SmsContactList } from '../../../packages/client/src/contract.ts';
import type { ScreenProps } from '../../../shared/console.ts';
import { showPhone } from '../../../shared/phone.ts';
import { ActForm, Field, Folded, FoldedAct } from '../../form.tsx';
import type { Screen } from '../../layout.tsx';
import { Card, Head, textsOf } from '../../parts.tsx';
import { addressOf } from '../../words.ts';
import { ContactFields, Refuses } from './contacts.tsx';
import { SMS, type Numbered } from './parts.tsx';

const LIST = `${SMS}/contacts`;

type Page = { contact: SmsContact; lists: Numbered<SmsContactList> | null };

export const smsContact: Screen = {
  path: `${LIST}/{contactoId}`,
  needs: 'readSmsContact',
  reads: ({ params }, { may }) => ({
    contact: { operation: 'readSmsContact', params },
    lists: may('addSmsContactToList') ? { operation: 'listSmsContactLists', query: { pageSize: '100' } } : null,
  }),
  acts: {
    smsContactChange: {
      operation: 'replaceSmsContact',
      buildCall: ({ nome = '', telefone = '' }, { params }) => ({ params, body: { nome, telefone } }),
    },
    smsContactList: {
      operation: 'addSmsContactToList',
      buildCall: ({ listaId = '' }, { params }) => ({ body: { listaId, contactoId: params['contactoId'] } }),
    },
    smsContactRemove: {
      operation: 'removeSmsContact',
      buildCall: (_, { params }) => ({ params }),
      resultPath: () => LIST,
    },
  },
  render(page: ScreenProps<Page>) {
    const t = textsOf(page);
    const { contact } = page.data;
    const content = (
      <>
        <Head title={contact.nome} back={{ href: LIST, text: t['sms.contacts'] }}>
          {page.visitor.may('sendSms') && !contact.recusaSms && (
            <a class="button" href={addressOf(`${SMS}/send`, { to: showPhone(contact.telefone) })}>
              {t['sms.send.one']}
            </a>
          )}
        </Head>
        <Card>
          <p class="digits">{showPhone(contact.telefone)}</p>
          <Refuses page={page} contact={contact} />
          {page.visitor.may('replaceSmsContact') && <Acts page={page} />}
        </Card>
      </>
    );
    return { title: contact.nome, content };
  },
};

function Acts({ page }: { page: ScreenProps<Page> }) {
  const t = textsOf(page);
  const { contact, lists } = page.data;
  return (
    <>
      <Folded page={page} act="smsContactChange" title={t['sms.change']}>
        <ActForm page={page} name="smsContactChange" button={t['sms.save']} tag={page.tags['contact']}>
          <ContactFields page={page} act="smsContactChange" contact={contact} />
        </ActForm>
      </Folded>
      {lists && lists.data.length > 0 && (
        <Folded page={page} act="smsContactList" title={t['sms.contact.list']}>
          <ActForm page={page} name="smsContactList" button={t['sms.contact.list.button']}>
            <Field
              page={page}
              act="smsContactList"
              name="listaId"
              label={t['sms.list']}
              choices={lists.data.map(({ listaId, nome }): [string, string] => [listaId, nome])}
            />
          </ActForm>
        </Folded>
      )}
      <FoldedAct
        page={page}
        name="smsContactRemove"
        title={t['sms.remove']}
        sure={t['sms.contact.remove.sure']}
        button={t['sms.remove']}
        tone="plain danger"
      />
    </>
  );
}
