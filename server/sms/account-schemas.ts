// What the SMS account's API takes and shows: the sender, the units left, and how they came and went.
import { z } from 'zod';
import { oneOf } from '../http/fields.ts';
import { fault } from '../http/body.ts';
import type { SmsAccount, SmsLedgerEntry } from './entities.ts';
import { smsPage } from './fields.ts';

/** As networks take them. */
const SENDER = /^(?=.*[A-Za-z])[A-Za-z0-9]{1,11}$/;

/** Whom messages come from. */
export const senderText = z
  .string()
  .refine((text) => SENDER.test(text), fault('invalid_sender'))
  .describe('1 to 11 letters (without accents) and digits, one letter at least');

/** Body of `PUT /api/ContaSms/AtualizarRemetente`. */
export const senderRequest = z.object({
  nomeremetenteSms: senderText.nullable().describe('1 to 11 letters and digits, one letter at least; null: none'),
});

/** @param platformSender whom messages come from while the merchant has set nobody */
export function viewAccount(merchantId: string, account: SmsAccount | null, platformSender: string) {
  const nomeremetenteSms = account?.sender ?? null;
  return { merchantId, nomeremetenteSms, remetenteEfetivo: nomeremetenteSms ?? platformSender };
}

export const smsAccount = z
  .object({
    merchantId: z.uuid(),
    nomeremetenteSms: z.string().nullable().describe('The sender that was set; null: none'),
    remetenteEfetivo: z.string().describe('Whom messages come from, unless a sending says otherwise'),
  })
  .meta({ id: 'SmsMerchant' });

/** `isCredited`: there was a movement. */
type KnownBalance = Pick<SmsAccount, 'balance' | 'updatedAt'> & { isCredited: boolean };

/** @param account null: nothing is known of it */
export function viewBalance(merchantId: string, account: KnownBalance | null) {
  const atualizadoEm = account?.isCredited ? account.updatedAt : null;
  return { merchantId, saldoAtual: account?.balance ?? 0, unidade: 'SMS', atualizadoEm };
}

export const smsBalance = z
  .object({
    merchantId: z.uuid(),
    saldoAtual: z.int().describe('Units left: one is one part of one message'),
    unidade: z.literal('SMS'),
    atualizadoEm: z.iso.datetime().nullable().describe('The last movement; null: none yet'),
  })
  .meta({ id: 'SmsBalance' });

const KINDS = { Credito: 'credit', Debito: 'debit', Reembolso: 'refund' } as const;
type KindWord = keyof typeof KINDS;
const KIND_WORDS = Object.keys(KINDS) as KindWord[];

/** Query of `GET /api/ContaSms/ListarMovimentos`. */
export const movementQuery = z.object({
  ...smsPage,
  tipo: oneOf(KIND_WORDS)
    .transform((word) => (word ? KINDS[word] : undefined))
    .meta({ override: { type: 'string', enum: KIND_WORDS }, description: 'Only movements of this kind' }),
});

export function viewMovement({ id, kind, quantity, balanceAfter, description, createdAt, batchId }: SmsLedgerEntry) {
  return {
    id,
    tipo: KIND_WORDS.find((word) => KINDS[word] === kind),
    quantidade: quantity,
    saldoDepois: balanceAfter,
    descricao: description,
    criadoEm: createdAt,
    batchId: batchId ?? null,
  };
}

export const smsMovement = z
  .object({
    id: z.uuid(),
    tipo: z.enum(KIND_WORDS).describe('Credito: given by the operator · Debito: used · Reembolso: given back'),
    quantidade: z.int().describe('Units, above zero'),
    saldoDepois: z.int().describe('Units left after it'),
    descricao: z.string(),
    criadoEm: z.iso.datetime(),
    batchId: z.uuid().nullable().describe('The sending that used them or got them back'),
  })
  .meta({ id: 'SmsBalanceLedgerEntry' });
