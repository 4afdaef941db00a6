// What the templates API takes and shows.
import { z } from 'zod';
import { fault } from '../http/body.ts';
import type { SmsTemplate } from './entities.ts';
import { contentText, idText, nameText } from './fields.ts';
import { isWellFormed, listKeys } from './placeholders.ts';

/** The one key of `valores` that never comes through. */
const LOST = '__proto__';

/** Body of `POST /api/TemplatesSMS/CriarTemplate` and `PUT /api/TemplatesSMS/AtualizarTemplate/{templateId}`. */
export const templateRequest = z.object({
  nome: nameText,
  conteudo: contentText
    .refine((text) => isWellFormed(text) && !listKeys(text).includes(LOST), fault('placeholder_malformed'))
    .describe('The text, with `{{chave}}` wherever a value goes: letters, digits, _ - and ., at most 64'),
});

/** The columns that a request fills. */
export function contentsOf({ nome, conteudo }: z.output<typeof templateRequest>) {
  return { name: nome, content: conteudo };
}

/** The path of one template: what is no id is nothing of ours. */
export const byTemplate = z.object({ templateId: idText.describe('`id` of a template in the list') });

export function viewTemplate({ id, name, content, createdAt, updatedAt }: SmsTemplate) {
  return {
    id,
    nome: name,
    conteudo: content,
    chaves: listKeys(content),
    criadoEm: createdAt,
    atualizadoEm: updatedAt,
  };
}

export const smsTemplate = z
  .object({
    id: z.uuid().describe('`smsId` of a sending'),
    nome: z.string(),
    conteudo: z.string(),
    chaves: z.array(z.string()).describe('What a sending needs values for: each key once, as they come'),
    criadoEm: z.iso.datetime(),
    atualizadoEm: z.iso.datetime(),
  })
  .meta({ id: 'SmsTemplate' });
