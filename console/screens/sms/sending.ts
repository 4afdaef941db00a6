// What the form of a sending says, as the API is asked it; and which operation that is.
import { splitPhones } from '../pasted.tsx';

/** Of a template's values, before the key. */
export const VALUE = 'valor.';

const PARTS = ['ano', 'mes', 'dia', 'hora', 'minuto'] as const;

/** The minute of a day and an hour; what is missing stays, for the API to name. Nothing where neither is there. */
function readMoment({ day = '', time = '' }: Record<string, string>): object {
  if (!day && !time) return {};
  const said = [...(day ? day.split('-') : ['', '', '']), ...(time ? time.split(':') : ['', ''])];
  return Object.fromEntries(PARTS.map((part, nth) => [part, said[nth] ? Number(said[nth]) : '']));
}

/** The body of `previewSms`, and of the sending that it is. */
export function readSending(form: Record<string, string>): object {
  const { numbers = '', listaId, smsId, conteudo = '' } = form;
  const phones = splitPhones(numbers);
  const values = Object.entries(form).filter(([name, value]) => name.startsWith(VALUE) && value.trim() !== '');
  const valores = Object.fromEntries(values.map(([name, value]) => [name.slice(VALUE.length), value]));
  return {
    ...(phones.length > 0 && { numerosDestino: phones }),
    ...(listaId && { listaId }),
    ...(smsId ? { smsId, valores } : { conteudo }),
    ...readMoment(form),
  };
}

export type SendAct = 'smsSend' | 'smsSendTemplate' | 'smsSendList' | 'smsPlan';

/** By which act it is sent. */
export function actOf({ day, time, listaId, smsId }: Record<string, string>): SendAct {
  if (day || time) return 'smsPlan';
  if (listaId) return 'smsSendList';
  return smsId ? 'smsSendTemplate' : 'smsSend';
}
