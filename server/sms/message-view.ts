// A message as the history shows it, and the filters of the history.
import { z } from 'zod';
import { oneOf, UUID } from '../http/fields.ts';
import type { MessageStatus, SmsMessage } from './entities.ts';
import { phoneText, smsPage } from './fields.ts';

const STATUSES = {
  Pendente: 'Pending',
  Enviado: 'Sent',
  Entregue: 'Delivered',
  Falhado: 'Failed',
} as const satisfies Record<string, MessageStatus>;

type StatusWord = keyof typeof STATUSES;
const STATUS_WORDS = Object.keys(STATUSES) as StatusWord[];

/** Query of `GET /api/Envio/ListarSmsEnviadas`. */
export const historyQuery = z.object({
  ...smsPage,
  batchId: z.string().regex(UUID).optional().describe('Only messages of this sending'),
  estado: oneOf(STATUS_WORDS)
    .transform((word) => (word ? STATUSES[word] : undefined))
    .meta({ override: { type: 'string', enum: STATUS_WORDS }, description: 'Only messages in this status' }),
  numeroDestino: phoneText.optional().describe('Only messages to this number, however it is written'),
});

/** A message with what it has of its sending: whom it comes from, and the text unless it has its own. */
export type ListedMessage = SmsMessage & { sender: string; text: string };

export function viewMessage(message: ListedMessage) {
  return {
    id: message.id,
    batchId: message.batchId,
    numeroDestino: message.phone,
    remetente: message.sender,
    conteudo: message.text,
    partes: message.parts,
    estado: STATUS_WORDS.find((word) => STATUSES[word] === message.status),
    enviadoEm: message.sentAt ?? null,
    entregueEm: message.deliveredAt ?? null,
    motivoFalha: message.failure ?? null,
  };
}

export const smsMessage = z
  .object({
    id: z.uuid(),
    batchId: z.uuid().describe('The sending'),
    numeroDestino: z.string().describe('E.164'),
    remetente: z.string(),
    conteudo: z.string().describe('As it was sent, with every value filled in'),
    partes: z.int().describe('Units, too'),
    estado: z
      .enum(STATUS_WORDS)
      .describe(
        'Pendente: not yet at the network · Enviado: the network has it · Entregue: the phone has it · Falhado: it did not arrive, and its units were given back',
      ),
    enviadoEm: z.iso.datetime().nullable(),
    entregueEm: z.iso.datetime().nullable(),
    motivoFalha: z.string().nullable().describe('Why it failed'),
  })
  .meta({ id: 'SentSms' });
