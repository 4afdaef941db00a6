// Converts the form of an SMS sending to the API's request, and chooses the operation.
import { splitPhones } from '../pasted.tsx';

/** The prefix of a form field that contains the value of a template's placeholder. */
export const PLACEHOLDER_PREFIX = 'valor.';

const PARTS = ['ano', 'mes', 'dia', 'hora', 'minuto'] as const;

/** The day and hour of a sending as API fields. A missing one stays empty, so that the API reports it. */
function readMoment({ day = '', time = '' }: Record<string, string>): object {
  if (!day && !time) return {};
  const parts = [...(day ? day.split('-') : ['', '', '']), ...(time ? time.split(':') : ['', ''])];
  return Object.fromEntries(PARTS.map((part, nth) => [part, parts[nth] ? Number(parts[nth]) : '']));
}

/** The request body of `previewSms`, and of the operation that sends the message. */
export function readSending(form: Record<string, string>): object {
  const { numbers = '', listaId, smsId, conteudo = '' } = form;
  const phones = splitPhones(numbers);
  const values = Object.entries(form).filter(
    ([name, value]) => name.startsWith(PLACEHOLDER_PREFIX) && value.trim() !== '',
  );
  const valores = Object.fromEntries(values.map(([name, value]) => [name.slice(PLACEHOLDER_PREFIX.length), value]));
  return {
    ...(phones.length > 0 && { numerosDestino: phones }),
    ...(listaId && { listaId }),
    ...(smsId ? { smsId, valores } : { conteudo }),
    ...readMoment(form),
  };
}

export type SendAction = 'smsSend' | 'smsSendTemplate' | 'smsSendList' | 'smsPlan';

/** The name of the form action that sends the message. */
export function actionOf({ day, time, listaId, smsId }: Record<string, string>): SendAction {
  if (day || time) return 'smsPlan';
  if (listaId) return 'smsSendList';
  return smsId ? 'smsSendTemplate' : 'smsSend';
}
