// SMS templates, which are texts with placeholders, and the form for a new one.
import type { SmsTemplate } from '../../../packages/client/src/contract.ts';
import type { ScreenProps } from '../../../shared/console.ts';
import { ActForm, Field, Folded } from '../../form.tsx';
import type { Screen } from '../../layout.tsx';
import { Card, Head, Line, textsOf, type AnyScreenProps } from '../../parts.tsx';
import { Counter } from './counter.tsx';
import { NoEntries, pageOf, Pages, SmsMenu, SMS, startOf, type Numbered } from './parts.tsx';

const PATH = `${SMS}/templates`;

type Page = { list: Numbered<SmsTemplate> };

export const smsTemplates: Screen = {
  path: PATH,
  needs: 'listSmsTemplates',
  reads: (opened) => ({ list: { operation: 'listSmsTemplates', query: pageOf(opened) } }),
  acts: {
    smsTemplateCreate: {
      operation: 'createSmsTemplate',
      buildCall: ({ nome = '', conteudo = '' }) => ({ body: { nome, conteudo } }),
    },
  },
  render(page: ScreenProps<Page>) {
    const t = textsOf(page);
    const { list } = page.data;
    const content = (
      <>
        <Head title={t['sms.templates']} back={{ href: SMS, text: t['sms.title'] }} />
        <SmsMenu page={page} here="/templates" />
        {page.visitor.may('createSmsTemplate') && (
          <Card>
            <Folded page={page} act="smsTemplateCreate" title={t['sms.template.new']} isOpen={list.data.length === 0}>
              <ActForm page={page} name="smsTemplateCreate" button={t['sms.save']}>
                <TemplateFields page={page} act="smsTemplateCreate" />
              </ActForm>
            </Folded>
          </Card>
        )}
        {list.data.length > 0 ? (
          <Pages page={page} list={list} path={PATH}>
            {list.data.map(({ id, nome, conteudo }) => (
              <Line key={id} id={id} href={`${PATH}/${id}`} title={nome} about={startOf(conteudo)} end={null} />
            ))}
          </Pages>
        ) : (
          <NoEntries page={page} text={t['sms.templates.none']} path={PATH} isSearch={false} />
        )}
      </>
    );
    return { title: t['sms.templates'], content };
  },
};

/** The fields of a template's form. @param template the template to change; absent for a new template */
export function TemplateFields({ page, act, template }: { page: AnyScreenProps; act: string; template?: SmsTemplate }) {
  const t = textsOf(page);
  const about = { page, act };
  return (
    <>
      <Field
        {...about}
        name="nome"
        label={t['sms.template.name']}
        value={template?.nome ?? ''}
        maxLength={100}
        required
      />
      <Field
        {...about}
        name="conteudo"
        label={t['sms.text']}
        hint={t['sms.template.hint']}
        value={template?.conteudo ?? ''}
        lines={4}
        required
      />
      <Counter page={page} field={`${act}-conteudo`} />
    </>
  );
}
