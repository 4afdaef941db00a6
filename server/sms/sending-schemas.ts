// Schemas of send requests and their responses: recipients, text, sender, time.
import { z } from 'zod';
import { dayOf, startOf } from '../../shared/luanda.ts';
import { numberText } from '../http/json.ts';
import { requiredInteger, ruleFault, withPattern } from '../http/fields.ts';
import type { Fault } from '../http/problem.ts';
import { senderText } from './account.ts';
import { readDay } from './history.ts';
import { contentText, hasStackedMarks, MAX_CHARACTERS, phoneText, ALLOWED_TEXT } from './fields.ts';
import { MINUTE_MS } from '../../shared/durations.ts';

/** Maximum number of recipients in one request. */
export const MAX_RECIPIENTS = 1_000;

const numbers = z
  .array(phoneText)
  .min(1)
  .max(MAX_RECIPIENTS)
  .describe('Each number gets one message, even if it is repeated');
const sender = senderText.nullish().describe('Sender. Absent: the merchant’s default, see ObterConta');

/** Schema of a placeholder's value: text or number. A number keeps its JSON spelling, so `1500.50` keeps its zero. */
const value = z
  .preprocess(
    (input) => numberText(input) ?? input,
    withPattern(z.string().max(MAX_CHARACTERS), ALLOWED_TEXT, 'smsText').refine(
      (text) => !hasStackedMarks(text),
      ruleFault('smsText'),
    ),
  )
  .meta({
    override({ jsonSchema }) {
      Object.assign(jsonSchema, { type: ['string', 'number'] });
      delete jsonSchema.pattern;
    },
  });

const values = z
  .record(z.string(), value)
  .nullish()
  .describe('Values of the template’s `{{chave}}` placeholders; `nome` defaults to the contact’s name');

/** Schema of an id in the body. A malformed id returns 404, like an unknown id. */
const id = z.string().max(100);

/** Body of `POST /api/Envio/enviarSms`. */
export const textSending = z.object({ numerosDestino: numbers, conteudo: contentText, remetente: sender });

/** Body of `POST /api/Envio/enviarSmsTemplate`. */
export const templateSending = z.object({ smsId: id, numerosDestino: numbers, remetente: sender, valores: values });

const either = { conteudo: contentText.nullish(), smsId: id.nullish(), remetente: sender, valores: values };

/** Body of `POST /api/Envio/enviarSmsParaLista`. */
export const listSending = z.object({ listaId: id, ...either });

/** Body of `POST /api/links/{linkId}/sms`: a text with the address of a payment link. */
export const linkSending = z.object({
  numerosDestino: numbers.nullish(),
  listaId: id.nullish(),
  conteudo: contentText
    .nullish()
    .describe('Absent: the title. The address is appended if the text does not contain it'),
  remetente: sender,
});

/** Schema of an integer. Text is accepted too, because searches have the same fields in their query strings. */
const whole = (min: number, max: number) =>
  z.preprocess(
    (input) => (typeof input === 'string' && /^\d{1,4}$/.test(input) ? Number(input) : input),
    requiredInteger(min, max),
  );

/** Schema of a minute in Luanda. */
export const momentRequest = z.object({
  dia: whole(1, 31),
  mes: whole(1, 12),
  ano: whole(2000, 2199),
  hora: whole(0, 23),
  minuto: whole(0, 59),
});

/** Body of `POST /api/Envio/agendarSms`. */
export const scheduleSending = momentRequest.extend({
  numerosDestino: numbers.nullish(),
  listaId: id.nullish(),
  ...either,
});

const has = (input: unknown, field: string) => (input as Record<string, unknown> | null)?.[field] != null;

/** Creates a check that reports a fault if neither or both of two fields are present. */
export function checkEither(first: string, second: string): (input: unknown) => Fault[] {
  const fields = `${first}, ${second}`;
  return (input) =>
    has(input, first) === has(input, second) ? [{ pointer: `/${first}`, code: 'exactly_one', params: { fields } }] : [];
}

/** Body of `POST /api/Envio/PreverSms`. */
export const previewSending = scheduleSending.partial({ dia: true, mes: true, ano: true, hora: true, minuto: true });

/** Returns the scheduled time, or a fault for an impossible date, or one not 1 minute to 1 year ahead. */
export function readMoment(request: z.output<typeof momentRequest>, now: Date): { at: Date } | { fault: Fault } {
  const { ano, mes, dia, hora, minuto } = request;
  const day = readDay(ano, mes, dia);
  if (!day) return { fault: { pointer: '/dia', code: 'impossible_date' } };
  const at = new Date(startOf(day).getTime() + (hora * 60 + minuto) * MINUTE_MS);
  if (at.getTime() < now.getTime() + MINUTE_MS) return { fault: { pointer: '/dia', code: 'schedule_too_soon' } };
  const [year, rest] = [dayOf(now).slice(0, 4), dayOf(now).slice(4)];
  const last = startOf(`${Number(year) + 1}${rest}`).getTime() + now.getTime() - startOf(dayOf(now)).getTime();
  if (at.getTime() > last) return { fault: { pointer: '/dia', code: 'date_too_far' } };
  return { at };
}

/** Returns the fault of the scheduled time. Empty if the body has no complete time. */
export function findMomentFaults(input: unknown, now: Date): Fault[] {
  const moment = momentRequest.safeParse(input);
  const read = moment.success ? readMoment(moment.data, now) : null;
  return read && 'fault' in read ? [read.fault] : [];
}

/** Response of an accepted send request. The fields after `estado` are additions to the published contract. */
export const acceptance = z
  .object({
    batchId: z.uuid(),
    totalDestinatarios: z.int().describe('Number of messages, without repeated numbers and people who refuse SMS'),
    estado: z.enum(['Pendente', 'Agendado', 'Ignorado']).describe('Ignorado: no recipients are left'),
    partes: z.int().describe('Parts of the longest message'),
    codificacao: z
      .enum(['GSM-7', 'UCS-2'])
      .describe('UCS-2 if at least one message needs it: 70 characters per part instead of 160'),
    caracteresUcs2: z.array(z.string()).describe('The characters that forced UCS-2'),
    unidades: z.int().describe('Debited units: the sum of the parts of all messages'),
    duplicados: z.int().describe('Repeated numbers that were removed: each number gets one message'),
    recusados: z.int().describe('Recipients that were skipped because they refuse your SMS'),
  })
  .meta({ id: 'SmsAcceptance' });

/** Response of a preview of SMS. */
export const sendingPreview = acceptance
  .omit({ batchId: true, estado: true })
  .extend({
    unidades: z.int().describe('Price in units: the sum of the parts of all messages'),
    saldoAtual: z.int().describe('Current balance in units'),
    remetente: z.string().describe('The sender that the messages would have'),
    agendadaPara: z.iso.datetime().nullable().describe('The scheduled time; null: immediately'),
    exemplo: z
      .object({ numeroDestino: z.string().describe('E.164'), conteudo: z.string() })
      .nullable()
      .describe('The first message as it would be sent; null: no recipients are left'),
  })
  .meta({ id: 'SmsSendingPreview' });

export const scheduledAcceptance = acceptance
  .extend({ agendamentoId: z.uuid(), agendadaPara: z.iso.datetime() })
  .meta({ id: 'SmsScheduledAcceptance' });
