// Status names and CSV columns of the SMS history.
import { SMS_STATUS_WORDS } from '../../shared/state-words.ts';
import type { CsvColumn } from '../exports/csv.ts';
import type { MessageStatus } from './entities.ts';

/** Maps the API's status names of SMS to the stored statuses. */
export const STATUSES = {
  Pendente: 'Pending',
  Enviado: 'Sent',
  Entregue: 'Delivered',
  Falhado: 'Failed',
} as const satisfies Record<string, MessageStatus>;

type StatusWord = keyof typeof STATUSES;
export const STATUS_WORDS = Object.keys(STATUSES) as StatusWord[];
export const WORD_BY_STATUS = Object.fromEntries(STATUS_WORDS.map((word) => [STATUSES[word], word]));

export const COLUMNS = [
  { kind: 'time', from: 'listedAt', pt: 'Data', en: 'Date', fr: 'Date' },
  { kind: 'time', from: 'sentAt', pt: 'Enviado em', en: 'Sent at', fr: 'Envoyé le' },
  { kind: 'time', from: 'deliveredAt', pt: 'Entregue em', en: 'Delivered at', fr: 'Remis le' },
  { kind: 'code', from: 'id', pt: 'Id', en: 'Id', fr: 'Id' },
  { kind: 'code', from: 'batchId', pt: 'Id do envio', en: 'Sending id', fr: 'Id de l’envoi' },
  { kind: 'code', from: 'phone', pt: 'Número', en: 'Number', fr: 'Numéro' },
  { kind: 'code', from: 'sender', pt: 'Remetente', en: 'Sender', fr: 'Expéditeur' },
  { kind: 'text', from: 'text', pt: 'Conteúdo', en: 'Content', fr: 'Contenu' },
  { kind: 'number', from: 'parts', pt: 'Partes', en: 'Parts', fr: 'Parties' },
  { kind: 'code', from: 'estado', words: SMS_STATUS_WORDS, pt: 'Estado', en: 'Status', fr: 'État' },
  { kind: 'text', from: 'failure', pt: 'Motivo da falha', en: 'Failure', fr: 'Motif de l’échec' },
] as const satisfies CsvColumn<string>[];
