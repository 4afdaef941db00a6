// The form of an SMS sending: recipients, text, and time.
import type { SmsContactList, SmsMerchant, SmsTemplate } from '../../../packages/client/src/contract.ts';
import type { Drawn } from '../../../shared/console.ts';
import { ActForm, Field } from '../../form.tsx';
import { Card, Chips, textsOf } from '../../parts.tsx';
import { addressOf } from '../../words.ts';
import { splitPhones, WrongLines } from '../pasted.tsx';
import { Counter } from './counter.tsx';
import { Bubble, SMS, type Numbered } from './parts.tsx';
import { VALUE } from './sending.ts';

export type SendPage = {
  lists: Numbered<SmsContactList>;
  templates: Numbered<SmsTemplate>;
  account: SmsMerchant;
  /** The selected template; null if the text is written in the form. */
  template: SmsTemplate | null;
};

type Part = { drawn: Drawn<SendPage>; act: string; typed: Record<string, string> };

/** @param typed the values that were typed before */
export function SendForm({ drawn, typed = {} }: { drawn: Drawn<SendPage>; typed?: Record<string, string> }) {
  const t = textsOf(drawn);
  // Shows the faults at their fields, whether the preview or the sending was refused.
  const act = drawn.refused?.act ?? 'smsPreview';
  const isAgain = drawn.told !== null;
  const form = (
    <ActForm drawn={drawn} name="smsPreview" button={t['sms.preview']} {...(isAgain && { look: 'plain' as const })}>
      <To drawn={drawn} act={act} typed={typed} />
      <What drawn={drawn} act={act} typed={typed} />
      <When drawn={drawn} act={act} typed={typed} />
    </ActForm>
  );
  if (isAgain) return form;
  return (
    <>
      <Templates drawn={drawn} />
      <Card>{form}</Card>
    </>
  );
}

/** Chooses between a new text and the merchant's templates. */
function Templates({ drawn }: { drawn: Drawn<SendPage> }) {
  const t = textsOf(drawn);
  const { templates, template } = drawn.data;
  const { to, list } = drawn.opened.query;
  if (templates.data.length === 0) return null;
  const chips = [{ id: '', nome: t['sms.text.own'] }, ...templates.data].map(({ id, nome }) => ({
    href: addressOf(`${SMS}/send`, { to, list, template: id }),
    text: nome,
    isOn: id === (template?.id ?? ''),
  }));
  return <Chips label={t['sms.templates']} chips={chips} />;
}

function To({ drawn, act, typed }: Part) {
  const t = textsOf(drawn);
  const { to = '', list = '' } = drawn.opened.query;
  const { data } = drawn.data.lists;
  const choices = data.map(({ listaId, nome, totalContactos }): [string, string] => [
    listaId,
    `${nome} (${totalContactos})`,
  ]);
  return (
    <>
      <Field
        drawn={drawn}
        act={act}
        name="numbers"
        pointer="numerosDestino"
        label={t['sms.to']}
        hint={data.length > 0 ? t['sms.to.hint.lists'] : t['sms.to.hint']}
        value={typed['numbers'] ?? to}
        lines={3}
      />
      <WrongLines drawn={drawn} act={act} field="numbers" pointer="numerosDestino" split={splitPhones} />
      {data.length > 0 && (
        <Field
          drawn={drawn}
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

function What({ drawn, act, typed }: Part) {
  const t = textsOf(drawn);
  const { template, account } = drawn.data;
  const ending = account.optOutText === 'none' ? null : <p class="small quiet">{t['sms.text.ending']}</p>;
  if (!template)
    return (
      <>
        <Field
          drawn={drawn}
          act={act}
          name="conteudo"
          label={t['sms.text']}
          value={typed['conteudo'] ?? ''}
          lines={4}
        />
        <Counter drawn={drawn} field={`${act}-conteudo`} />
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
          drawn={drawn}
          act={act}
          name={VALUE + key}
          pointer="valores"
          label={key}
          value={typed[VALUE + key] ?? ''}
          {...(key === 'nome' && { hint: t['sms.value.name'] })}
        />
      ))}
      {ending}
    </>
  );
}

function When({ drawn, act, typed }: Part) {
  const t = textsOf(drawn);
  return (
    <fieldset class="field">
      <legend>{t['sms.when']}</legend>
      <p class="small quiet">{t['sms.when.hint']}</p>
      <div class="halves">
        <Field
          drawn={drawn}
          act={act}
          name="day"
          pointer="dia"
          label={t['sms.when.day']}
          type="date"
          value={typed['day'] ?? ''}
        />
        <Field
          drawn={drawn}
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
