// The contact lists, and the form for a new one.
import type { SmsContactList } from '../../../packages/client/src/contract.ts';
import type { ScreenProps } from '../../../shared/console.ts';
import { ActForm, Field, Folded } from '../../form.tsx';
import type { Screen } from '../../layout.tsx';
import { Card, Head, Line, Moment, textsOf } from '../../parts.tsx';
import { NoEntries, pageOf, Pages, peopleOf, SmsMenu, SMS, type Numbered } from './parts.tsx';

const PATH = `${SMS}/lists`;

type Page = { list: Numbered<SmsContactList> };

export const smsLists: Screen = {
  path: PATH,
  needs: 'listSmsContactLists',
  reads: (opened) => ({ list: { operation: 'listSmsContactLists', query: pageOf(opened) } }),
  acts: {
    smsListCreate: {
      operation: 'createSmsContactList',
      buildCall: ({ nome = '' }) => ({ body: { nome } }),
      resultPath: ({ listaId }: SmsContactList) => `${PATH}/${listaId}`,
    },
  },
  render(page: ScreenProps<Page>) {
    const t = textsOf(page);
    const { list } = page.data;
    const content = (
      <>
        <Head title={t['sms.lists']} back={{ href: SMS, text: t['sms.title'] }} />
        <SmsMenu page={page} here="/lists" />
        {page.visitor.may('createSmsContactList') && (
          <Card>
            <Folded page={page} act="smsListCreate" title={t['sms.list.new']} isOpen={list.data.length === 0}>
              <ActForm page={page} name="smsListCreate" button={t['sms.list.create']}>
                <Field
                  page={page}
                  act="smsListCreate"
                  name="nome"
                  label={t['sms.list.name']}
                  hint={t['sms.list.name.hint']}
                  maxLength={100}
                  required
                />
              </ActForm>
            </Folded>
          </Card>
        )}
        {list.data.length > 0 ? (
          <Pages page={page} list={list} path={PATH}>
            {list.data.map(({ listaId, nome, totalContactos, criadoEm }) => (
              <Line
                key={listaId}
                id={listaId}
                href={`${PATH}/${listaId}`}
                title={nome}
                about={<Moment at={criadoEm} />}
                end={<span class="small">{peopleOf(page, totalContactos)}</span>}
              />
            ))}
          </Pages>
        ) : (
          <NoEntries page={page} text={t['sms.lists.none']} path={PATH} isSearch={false} />
        )}
      </>
    );
    return { title: t['sms.lists'], content };
  },
};
