// What a sending takes and answers: to whom, what, from whom, and when.
import { z } from 'zod';
import { dayOf, startOf } from '../../shared/luanda.ts';
import { numberText } from '../http/json.ts';
import { requiredInteger } from '../http/fields.ts';
import type { Fault } from '../http/problem.ts';
import { senderText } from './account.ts';
import { readDay } from './history.ts';
import { contentText, hasPile, MAX_CHARACTERS, phoneText, WRITTEN } from './fields.ts';
import { MINUTE_MS } from '../../shared/durations.ts';

/** Recipients of one sending (decisions §8). */
export const MAX_RECIPIENTS = 1_000;

const numbers = z
  .array(phoneText)
  .min(1)
  .max(MAX_RECIPIENTS)
  .describe('Each gets one message, however often it is named');
const sender = senderText.nullish().describe('Absent: the merchant’s own (ObterConta)');

/** Text or a number; a number is written as JSON has it: `1500.50` keeps its zero. */
const value = z
  .preprocess(
    (given) => numberText(given) ?? given,
    z
      .string()
      .max(MAX_CHARACTERS)
      .regex(WRITTEN)
      .refine((text) => !hasPile(text)),
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
  .describe('Values of the template’s `{{chave}}`; `nome` defaults to the contact’s name');

/** Ids of the body are looked up: one that is none is nothing of ours. */
const id = z.string().max(100);

/** Body of `POST /api/Envio/enviarSms`. */
export const textSending = z.object({ numerosDestino: numbers, conteudo: contentText, remetente: sender });

/** Body of `POST /api/Envio/enviarSmsTemplate`. */
export const templateSending = z.object({ smsId: id, numerosDestino: numbers, remetente: sender, valores: values });

const either = { conteudo: contentText.nullish(), smsId: id.nullish(), remetente: sender, valores: values };

/** Body of `POST /api/Envio/enviarSmsParaLista`. */
export const listSending = z.object({ listaId: id, ...either });

/** Body of `POST /api/links/{linkId}/sms`: a text that leads to the link. */
export const linkSending = z.object({
  numerosDestino: numbers.nullish(),
  listaId: id.nullish(),
  conteudo: contentText.nullish().describe('Absent: the title. The address is put behind it, where it is not in it'),
  remetente: sender,
});

/** A whole number, also as text: searches take the same names as text. */
const whole = (min: number, max: number) =>
  z.preprocess(
    (given) => (typeof given === 'string' && /^\d{1,4}$/.test(given) ? Number(given) : given),
    requiredInteger(min, max),
  );

/** A minute in Luanda. */
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

/** A fault where neither or both of two fields are there. */
export function checkEither(first: string, second: string): (input: unknown) => Fault[] {
  const fields = `${first}, ${second}`;
  return (input) =>
    has(input, first) === has(input, second) ? [{ pointer: `/${first}`, code: 'exactly_one', params: { fields } }] : [];
}

/** Body of `POST /api/Envio/PreverSms`. */
export const previewSending = scheduleSending.partial({ dia: true, mes: true, ano: true, hora: true, minuto: true });

/** The moment that a schedule names; a fault where there is none, or it is not 1 minute to 1 year ahead. */
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

/** What is wrong with the minute that a body names, where it names one. */
export function findMomentFaults(input: unknown, now: Date): Fault[] {
  const moment = momentRequest.safeParse(input);
  const read = moment.success ? readMoment(moment.data, now) : null;
  return read && 'fault' in read ? [read.fault] : [];
}

/** Of a sending that was accepted (decisions §8; what follows `estado` was added later). */
export const acceptance = z
  .object({
    batchId: z.uuid(),
    totalDestinatarios: z.int().describe('Messages to be sent: without repeated numbers and those who refuse SMS'),
    estado: z.enum(['Pendente', 'Agendado', 'Ignorado']).describe('Ignorado: nobody is left to send to'),
    partes: z.int().describe('Of the longest message'),
    codificacao: z
      .enum(['GSM-7', 'UCS-2'])
      .describe('UCS-2 as soon as one message needs it: 70 characters in place of 160'),
    caracteresUcs2: z.array(z.string()).describe('The characters that forced UCS-2'),
    unidades: z.int().describe('Debited: parts × recipients'),
    duplicados: z.int().describe('Numbers that were named again: sent once'),
    recusados: z.int().describe('People who answered PARAR or STOP: skipped'),
  })
  .meta({ id: 'SmsAcceptance' });

/** Of one that was not sent. */
export const sendingPreview = acceptance
  .omit({ batchId: true, estado: true })
  .extend({
    unidades: z.int().describe('What it would take: parts × recipients'),
    saldoAtual: z.int().describe('Units that are left now'),
    remetente: z.string().describe('Whom it would come from'),
    agendadaPara: z.iso.datetime().nullable().describe('The minute that was named; null: at once'),
    exemplo: z
      .object({ numeroDestino: z.string().describe('E.164'), conteudo: z.string() })
      .nullable()
      .describe('The first message, as it would be sent; null: nobody is left to send to'),
  })
  .meta({ id: 'SmsSendingPreview' });

export const scheduledAcceptance = acceptance
  .extend({ agendamentoId: z.uuid(), agendadaPara: z.iso.datetime() })
  .meta({ id: 'SmsScheduledAcceptance' });
