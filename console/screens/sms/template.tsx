// One SMS template: its text, and forms to change, use and delete it.
import type { SmsTemplate } from '../../../packages/client/src/contract.ts';
import type { Drawn } from '../../../shared/console.ts';
import { ActForm, Folded, FoldedAct } from '../../form.tsx';
import type { DrawnScreen } from '../../layout.tsx';
import { Card, Head, Moment, Rows, textsOf } from '../../parts.tsx';
import { addressOf } from '../../words.ts';
import { Bubble, SMS } from './parts.tsx';
import { TemplateFields } from './templates.tsx';

const LIST = `${SMS}/templates`;

type Page = { template: SmsTemplate };

export const smsTemplate: DrawnScreen = {
  path: `${LIST}/{templateId}`,
  needs: 'readSmsTemplate',
  reads: ({ params }) => ({ template: { operation: 'readSmsTemplate', params } }),
  acts: {
    smsTemplateChange: {
      operation: 'updateSmsTemplate',
      ask: ({ nome = '', conteudo = '' }, { params }) => ({ params, body: { nome, conteudo } }),
    },
    smsTemplateRemove: {
      operation: 'deleteSmsTemplate',
      ask: (_, { params }) => ({ params }),
      leadsTo: () => LIST,
    },
  },
  draw(drawn: Drawn<Page>) {
    const t = textsOf(drawn);
    const { template } = drawn.data;
    const { may } = drawn.visitor;
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
        {may('updateSmsTemplate') && <Changes drawn={drawn} />}
      </>
    );
    return { title: template.nome, content };
  },
};

function Changes({ drawn }: { drawn: Drawn<Page> }) {
  const t = textsOf(drawn);
  return (
    <Card>
      <Folded drawn={drawn} act="smsTemplateChange" title={t['sms.change']}>
        <ActForm drawn={drawn} name="smsTemplateChange" button={t['sms.save']} tag={drawn.tags['template']}>
          <TemplateFields drawn={drawn} act="smsTemplateChange" template={drawn.data.template} />
        </ActForm>
      </Folded>
      <FoldedAct
        drawn={drawn}
        name="smsTemplateRemove"
        title={t['sms.remove']}
        sure={t['sms.template.remove.sure']}
        button={t['sms.remove']}
        look="plain danger"
      />
    </Card>
  );
}
