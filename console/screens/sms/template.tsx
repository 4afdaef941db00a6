// One SMS template: its text, and forms to change, use and delete the template.
import type { SmsTemplate } from '../../../packages/client/src/contract.ts';
import type { ScreenProps } from '../../../shared/console.ts';
import { ActForm, Folded, FoldedAct } from '../../form.tsx';
import type { Screen } from '../../layout.tsx';
import { Card, Head, Moment, Rows, textsOf } from '../../parts.tsx';
import { addressOf } from '../../words.ts';
import { Bubble, SMS } from './parts.tsx';
import { TemplateFields } from './templates.tsx';

const LIST = `${SMS}/templates`;

type Page = { template: SmsTemplate };

export const smsTemplate: Screen = {
  path: `${LIST}/{templateId}`,
  needs: 'readSmsTemplate',
  reads: ({ params }) => ({ template: { operation: 'readSmsTemplate', params } }),
  acts: {
    smsTemplateChange: {
      operation: 'updateSmsTemplate',
      buildCall: ({ nome = '', conteudo = '' }, { params }) => ({ params, body: { nome, conteudo } }),
    },
    smsTemplateRemove: {
      operation: 'deleteSmsTemplate',
      buildCall: (_, { params }) => ({ params }),
      resultPath: () => LIST,
    },
  },
  render(page: ScreenProps<Page>) {
    const t = textsOf(page);
    const { template } = page.data;
    const { may } = page.visitor;
    const content = (
      <>
        <Head title={template.nome} back={{ href: LIST, text: t['sms.templates'] }}>
          {may('sendSmsTemplate') && (
            <a class="button" href={addressOf(`${SMS}/send`, { template: template.id })}>
              {t['sms.template.use']}
            </a>
          )}
        </Head>
        <Card>
          <Bubble text={template.conteudo} />
          <Rows
            rows={[
              [t['sms.template.keys'], template.chaves.join(', ')],
              [t['sms.template.changed'], <Moment key="at" at={template.atualizadoEm} />],
            ]}
          />
        </Card>
        {may('updateSmsTemplate') && <Changes page={page} />}
      </>
    );
    return { title: template.nome, content };
  },
};

function Changes({ page }: { page: ScreenProps<Page> }) {
  const t = textsOf(page);
  return (
    <Card>
      <Folded page={page} act="smsTemplateChange" title={t['sms.change']}>
        <ActForm page={page} name="smsTemplateChange" button={t['sms.save']} tag={page.tags['template']}>
          <TemplateFields page={page} act="smsTemplateChange" template={page.data.template} />
        </ActForm>
      </Folded>
      <FoldedAct
        page={page}
        name="smsTemplateRemove"
        title={t['sms.remove']}
        sure={t['sms.template.remove.sure']}
        button={t['sms.remove']}
        tone="plain danger"
      />
    </Card>
  );
}
