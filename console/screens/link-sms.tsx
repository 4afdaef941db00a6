// A payment link by SMS: the form, and the preview with the cost before it is sent.
import type { Link, SmsContactList, SmsSendingPreview } from '../../packages/client/src/contract.ts';
import type { Act, ScreenProps } from '../../shared/console.ts';
import { ActForm, Field, Folded } from '../form.tsx';
import { Card, Head, textsOf } from '../parts.tsx';
import { splitPhones, WrongLines } from './pasted.tsx';
import { isSendable, countLackingUnits, SmsCost } from './sms/preview.tsx';

/** The data of the screen that this form needs. `lists`: null if the visitor may not send SMS. */
type Page = { link: Link; lists: { data: SmsContactList[] } | null };
type Part = { page: ScreenProps<Page> };

/** The recipients and the whole text. The preview and the sending have the same body. */
function readBody({ numbers = '', listaId, conteudo = '', url = '' }: Record<string, string>) {
  const numerosDestino = splitPhones(numbers);
  const text = conteudo.includes(url) ? conteudo : `${conteudo} ${url}`.trim();
  return { ...(numerosDestino.length > 0 && { numerosDestino }), ...(listaId && { listaId }), conteudo: text };
}

export const LINK_SMS_ACTS: Record<'linkSmsPreview' | 'linkSms', Act> = {
  linkSmsPreview: { operation: 'previewSms', buildCall: (form) => ({ body: readBody(form) }), showsResultOnce: true },
  linkSms: { operation: 'sendLinkSms', buildCall: (form, { params }) => ({ params, body: readBody(form) }) },
};

/** The folded form below the link's share buttons. */
export function LinkSms({ page }: Part) {
  const t = textsOf(page);
  if (!page.visitor.may('sendLinkSms')) return null;
  // A refusal of the sending shows its faults in the same form.
  const act = page.refused?.act === 'linkSms' ? 'linkSms' : 'linkSmsPreview';
  return (
    <Folded page={page} act={act} title={t['link.sms']}>
      <SmsFields page={page} act={act} />
    </Folded>
  );
}

type FieldsProps = Part & { act: string; typed?: Record<string, string>; tone?: 'plain' };

function SmsFields({ page, act, typed = {}, tone }: FieldsProps) {
  const t = textsOf(page);
  const { link, lists } = page.data;
  const about = { page, act };
  const choices = (lists?.data ?? []).map(({ listaId, nome, totalContactos }): [string, string] => [
    listaId,
    `${nome} (${totalContactos})`,
  ]);
  return (
    <ActForm page={page} name="linkSmsPreview" button={t['link.sms.send']} {...(tone && { tone })}>
      <input type="hidden" name="url" value={link.url} />
      <Field
        {...about}
        name="numbers"
        pointer="numerosDestino"
        label={t['link.sms.numbers']}
        hint={t['link.sms.numbers.hint']}
        value={typed['numbers'] ?? ''}
        lines={3}
      />
      <WrongLines {...about} field="numbers" pointer="numerosDestino" split={splitPhones} />
      {choices.length > 0 && (
        <Field
          {...about}
          name="listaId"
          label={t['link.sms.list']}
          value={typed['listaId'] ?? ''}
          choices={[['', '—'], ...choices]}
        />
      )}
      <Field
        {...about}
        name="conteudo"
        label={t['link.sms.text']}
        hint={t['link.sms.text.hint']}
        value={typed['conteudo'] ?? `${link.title}:`}
        lines={2}
      />
    </ActForm>
  );
}

/** The screen between the form and the sending. Its button sends the link once, even if pressed twice. */
export function renderLinkSmsPreview(page: ScreenProps<Page>, back: string) {
  const t = textsOf(page);
  const { body, typed } = page.formResult as NonNullable<typeof page.formResult>;
  const preview = body as SmsSendingPreview;
  const content = (
    <>
      <Head title={t['sms.sure']} back={{ href: back, text: page.data.link.title }} />
      <Card>
        <SmsCost page={page} preview={preview} />
        {isSendable(preview) && (
          <ActForm page={page} name="linkSms" button={t['sms.send.button']}>
            {(['numbers', 'listaId', 'conteudo', 'url'] as const).map((name) => (
              <input key={name} type="hidden" name={name} value={typed[name] ?? ''} />
            ))}
          </ActForm>
        )}
        <Folded page={page} act="linkSmsPreview" title={t['sms.sure.change']} isOpen={countLackingUnits(preview) > 0}>
          <SmsFields page={page} act="linkSmsPreview" typed={typed} tone="plain" />
        </Folded>
      </Card>
    </>
  );
  return { title: t['sms.sure'], content };
}
