// SMS templates, which are texts with placeholders, and the form for a new one.
import type { SmsTemplate } from '../../../packages/client/src/contract.ts';
import type { Drawn } from '../../../shared/console.ts';
import { ActForm, Field, Folded } from '../../form.tsx';
import type { DrawnScreen } from '../../layout.tsx';
import { Card, Head, Line, textsOf, type AnyDrawn } from '../../parts.tsx';
import { Counter } from './counter.tsx';
import { None, pageOf, Pages, Places, SMS, startOf, type Numbered } from './parts.tsx';

const PATH = `${SMS}/templates`;

type Page = { list: Numbered<SmsTemplate> };

export const smsTemplates: DrawnScreen = {
  path: PATH,
  needs: 'listSmsTemplates',
  reads: (opened) => ({ list: { operation: 'listSmsTemplates', query: pageOf(opened) } }),
  acts: {
    smsTemplateCreate: {
      operation: 'createSmsTemplate',
      ask: ({ nome = '', conteudo = '' }) => ({ body: { nome, conteudo } }),
    },
  },
  draw(drawn: Drawn<Page>) {
    const t = textsOf(drawn);
    const { list } = drawn.data;
    const content = (
      <>
        <Head title={t['sms.templates']} back={{ href: SMS, text: t['sms.title'] }} />
        <Places drawn={drawn} here="/templates" />
        {drawn.visitor.may('createSmsTemplate') && (
          <Card>
            <Folded drawn={drawn} act="smsTemplateCreate" title={t['sms.template.new']} isOpen={list.data.length === 0}>
              <ActForm drawn={drawn} name="smsTemplateCreate" button={t['sms.save']}>
                <TemplateFields drawn={drawn} act="smsTemplateCreate" />
              </ActForm>
            </Folded>
          </Card>
        )}
        {list.data.length > 0 ? (
          <Pages drawn={drawn} list={list} path={PATH}>
            {list.data.map(({ id, nome, conteudo }) => (
              <Line key={id} id={id} href={`${PATH}/${id}`} title={nome} about={startOf(conteudo)} end={null} />
            ))}
          </Pages>
        ) : (
          <None drawn={drawn} text={t['sms.templates.none']} path={PATH} isSearch={false} />
        )}
      </>
    );
    return { title: t['sms.templates'], content };
  },
};

/** @param template the template to change; absent for a new template */
export function TemplateFields({ drawn, act, template }: { drawn: AnyDrawn; act: string; template?: SmsTemplate }) {
  const t = textsOf(drawn);
  const about = { drawn, act };
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
      <Counter drawn={drawn} field={`${act}-conteudo`} />
    </>
  );
}
