// The form of an SMS sending: recipients, text, and time.
import type { SmsContactList, SmsMerchant, SmsTemplate } from '../../../packages/client/src/contract.ts';
import type { ScreenProps } from '../../../shared/console.ts';
import { ActForm, Field } from '../../form.tsx';
import { Card, Chips, textsOf } from '../../parts.tsx';
import { addressOf } from '../../words.ts';
import { splitPhones, WrongLines } from '../pasted.tsx';
import { Counter } from './counter.tsx';
import { Bubble, SMS, type Numbered } from './parts.tsx';
import { PLACEHOLDER_PREFIX } from './sending.ts';

export type SendPage = {
  lists: Numbered<SmsContactList>;
  templates: Numbered<SmsTemplate>;
  account: SmsMerchant;
  /** The selected template. Null if the user types the text into the form. */
  template: SmsTemplate | null;
};

type Part = { page: ScreenProps<SendPage>; act: string; typed: Record<string, string> };

/** The form of an SMS sending. @param typed the values that were typed before */
export function SendForm({ page, typed = {} }: { page: ScreenProps<SendPage>; typed?: Record<string, string> }) {
  const t = textsOf(page);
  // A refusal of the preview or of the sending shows the faults at the same fields.
  const act = page.refused?.act ?? 'smsPreview';
  const isAgain = page.formResult !== null;
  const form = (
    <ActForm page={page} name="smsPreview" button={t['sms.preview']} {...(isAgain && { tone: 'plain' as const })}>
      <RecipientFields page={page} act={act} typed={typed} />
      <TextField page={page} act={act} typed={typed} />
      <TimeFields page={page} act={act} typed={typed} />
    </ActForm>
  );
  if (isAgain) return form;
  return (
    <>
      <Templates page={page} />
      <Card>{form}</Card>
    </>
  );
}

/** The choice between a new text and the merchant's templates. */
function Templates({ page }: { page: ScreenProps<SendPage> }) {
  const t = textsOf(page);
  const { templates, template } = page.data;
  const { to, list } = page.opened.query;
  if (templates.data.length === 0) return null;
  const chips = [{ id: '', nome: t['sms.text.own'] }, ...templates.data].map(({ id, nome }) => ({
    href: addressOf(`${SMS}/send`, { to, list, template: id }),
    text: nome,
    isOn: id === (template?.id ?? ''),
  }));
  return <Chips label={t['sms.templates']} chips={chips} />;
}

function RecipientFields({ page, act, typed }: Part) {
  const t = textsOf(page);
  const { to = '', list = '' } = page.opened.query;
  const { data } = page.data.lists;
  const choices = data.map(({ listaId, nome, totalContactos }): [string, string] => [
    listaId,
    `${nome} (${totalContactos})`,
  ]);
  return (
    <>
      <Field
        page={page}
        act={act}
        name="numbers"
        pointer="numerosDestino"
        label={t['sms.to']}
        hint={data.length > 0 ? t['sms.to.hint.lists'] : t['sms.to.hint']}
        value={typed['numbers'] ?? to}
        lines={3}
      />
      <WrongLines page={page} act={act} field="numbers" pointer="numerosDestino" split={splitPhones} />
      {data.length > 0 && (
        <Field
          page={page}
          act={act}
          name="listaId"
          label={t['sms.to.list']}
          value={typed['listaId'] ?? list}
          choices={[['', '—'], ...choices]}
        />
      )}
    </>
  );
}

function TextField({ page, act, typed }: Part) {
  const t = textsOf(page);
  const { template, account } = page.data;
  const ending = account.optOutText === 'none' ? null : <p class="small quiet">{t['sms.text.ending']}</p>;
  if (!template)
    return (
      <>
        <Field page={page} act={act} name="conteudo" label={t['sms.text']} value={typed['conteudo'] ?? ''} lines={4} />
        <Counter page={page} field={`${act}-conteudo`} />
        {ending}
      </>
    );
  return (
    <>
      <input type="hidden" name="smsId" value={template.id} />
      <Bubble text={template.conteudo} />
      {template.chaves.map((key) => (
        <Field
          key={key}
          page={page}
          act={act}
          name={PLACEHOLDER_PREFIX + key}
          pointer="valores"
          label={key}
          value={typed[PLACEHOLDER_PREFIX + key] ?? ''}
          {...(key === 'nome' && { hint: t['sms.value.name'] })}
        />
      ))}
      {ending}
    </>
  );
}

function TimeFields({ page, act, typed }: Part) {
  const t = textsOf(page);
  return (
    <fieldset class="field">
      <legend>{t['sms.when']}</legend>
      <p class="small quiet">{t['sms.when.hint']}</p>
      <div class="halves">
        <Field
          page={page}
          act={act}
          name="day"
          pointer="dia"
          label={t['sms.when.day']}
          type="date"
          value={typed['day'] ?? ''}
        />
        <Field
          page={page}
          act={act}
          name="time"
          pointer="hora"
          label={t['sms.when.time']}
          type="time"
          value={typed['time'] ?? ''}
        />
      </div>
    </fieldset>
  );
}
