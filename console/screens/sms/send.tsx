// Sends or schedules an SMS to one person, pasted numbers or a list, after a preview with the cost.
import type { SmsSendingPreview } from '../../../packages/client/src/contract.ts';
import type { ScreenProps } from '../../../shared/console.ts';
import { ActForm, Folded } from '../../form.tsx';
import type { Screen } from '../../layout.tsx';
import { Card, Head, textsOf } from '../../parts.tsx';
import { addressOf, fill, whenOf } from '../../words.ts';
import { SmsMenu, SMS } from './parts.tsx';
import { isSendable, countLackingUnits, SmsCost } from './preview.tsx';
import { SendForm, type SendPage } from './send-form.tsx';
import { actionOf, readSending } from './sending.ts';

const PATH = `${SMS}/send`;
const HISTORY = `${SMS}/history`;

const buildCall = (form: Record<string, string>) => ({ body: readSending(form) });
const resultPath = ({ batchId }: { batchId: string }) => addressOf(HISTORY, { batch: batchId });

export const smsSend: Screen = {
  path: PATH,
  needs: 'sendSms',
  reads({ query: { template } }) {
    return {
      lists: { operation: 'listSmsContactLists', query: { pageSize: '100' } },
      templates: { operation: 'listSmsTemplates', query: { pageSize: '20' } },
      account: { operation: 'readSmsAccount' },
      template: template ? { operation: 'readSmsTemplate', params: { templateId: template } } : null,
    };
  },
  acts: {
    smsPreview: { operation: 'previewSms', buildCall, showsResultOnce: true },
    smsSend: { operation: 'sendSms', buildCall, resultPath },
    smsSendTemplate: { operation: 'sendSmsTemplate', buildCall, resultPath },
    smsSendList: { operation: 'sendSmsToList', buildCall, resultPath },
    smsPlan: { operation: 'scheduleSms', buildCall, resultPath: () => `${SMS}/schedule` },
  },
  render(page: ScreenProps<SendPage>) {
    const t = textsOf(page);
    const title = page.formResult ? t['sms.sure'] : t['sms.send.new'];
    const content = (
      <>
        <Head title={title} back={{ href: SMS, text: t['sms.title'] }} />
        {page.formResult ? (
          <SendPreview page={page} preview={page.formResult.body as SmsSendingPreview} typed={page.formResult.typed} />
        ) : (
          <>
            <SmsMenu page={page} here="/send" />
            <SendForm page={page} />
          </>
        )}
      </>
    );
    return { title, content };
  },
};

type SendPreviewProps = { page: ScreenProps<SendPage>; preview: SmsSendingPreview; typed: Record<string, string> };

/** The preview of a sending. Its button sends the message once, even if pressed twice. */
function SendPreview({ page, preview, typed }: SendPreviewProps) {
  const t = textsOf(page);
  const { agendadaPara } = preview;
  return (
    <Card>
      <SmsCost page={page} preview={preview} />
      {isSendable(preview) && (
        <ActForm
          page={page}
          name={actionOf(typed)}
          button={agendadaPara ? fill(t['sms.plan.button'], { when: whenOf(agendadaPara) }) : t['sms.send.button']}
        >
          {Object.entries(typed).map(
            ([name, value]) => !OWN.has(name) && <input key={name} type="hidden" name={name} value={value} />,
          )}
        </ActForm>
      )}
      <Folded page={page} act="smsPreview" title={t['sms.sure.change']} isOpen={countLackingUnits(preview) > 0}>
        <SendForm page={page} typed={typed} />
      </Folded>
    </Card>
  );
}

/** Hidden fields that every console form has. */
const OWN = new Set(['act', 'token', 'key', 'etag']);
