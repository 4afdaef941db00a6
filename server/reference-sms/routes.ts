// Sends payment references by SMS: each customer receives the text of their own reference.
import { z } from 'zod';
import { REFERENCE_TYPES } from '../../shared/reference.ts';
import type { Core } from '../core.ts';
import { moment, oneOf, matching } from '../http/fields.ts';
import { runKeyed } from '../http/idempotency.ts';
import type { Fault } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { DIGITS } from '../payments/core/fields.ts';
import { senderText } from '../sms/account.ts';
import { contentText } from '../sms/fields.ts';
import { acceptSending, prepareBatch, REFUSALS, viewPreview } from '../sms/send.ts';
import { acceptance, sendingPreview } from '../sms/sending-schemas.ts';
import { composeTexts, MAX_REFERENCES, type Texts } from './compose.ts';

const references = z
  .array(matching(DIGITS, 'digits'))
  .min(1)
  .max(MAX_REFERENCES)
  .describe('Digits of your references. If you used digits again, the newest reference with them');
const conteudo = contentText
  .nullish()
  .describe(
    'Beginning of each text; absent: your name and the reference’s description. Entity, reference, amount and end ' +
      'follow it',
  );
const remetente = senderText.nullish().describe('Sender. Absent: the merchant’s default, see ObterConta');

const sending = z.object({ references, conteudo, remetente });

const selection = z.object({
  references: references.nullish(),
  type: oneOf(REFERENCE_TYPES).describe('Without `references`: only references of this type'),
  from: moment.nullish().describe('Without `references`: created at or after this time'),
  to: moment.nullish().describe('Without `references`: created before this time'),
  conteudo,
  remetente,
});

const skipped = {
  semTelemovel: z.array(z.string()).describe('References without a valid phone number of the customer: no message'),
  naoPagaveis: z.array(z.string()).describe('References that cannot be paid any more: no message'),
};

const preview = sendingPreview
  .omit({ agendadaPara: true })
  .extend({
    mensagens: z.array(
      z.object({
        reference: z.string(),
        customerName: z.string().nullable(),
        numeroDestino: z.string().describe('E.164'),
        conteudo: z.string(),
        partes: z.int(),
      }),
    ),
    ...skipped,
    haMais: z.boolean().describe(`More references match than the ${MAX_REFERENCES} newest ones of this preview`),
  })
  .meta({ id: 'ReferenceSmsPreview' });

const sent = acceptance.extend(skipped).meta({ id: 'ReferenceSmsAcceptance' });

export function referenceSmsRoutes(core: Core): Route[] {
  return [declarePreview(core), declareSending(core)];
}

/** Faults of an invalid digit in each of the references. */
const about = { tag: 'References', method: 'POST', maxFaults: MAX_REFERENCES } as const;

function declarePreview(core: Core): Route {
  return route({
    ...about,
    path: '/api/references/ppr/sms/preview',
    operationId: 'previewReferenceSms',
    summary: 'Preview payment references by SMS',
    description:
      'Takes `references`, or without them the newest references that can be paid. Returns every message with its ' +
      'text, the price in units and the balance. No message is sent. A low balance is no error.',
    access: { kind: 'bearer', scope: 'references:read' },
    bucket: 'write',
    body: selection,
    example: { references: ['974610647'] },
    refusals: { 404: 'not_found: `errors` names the reference', 409: 'sms_unavailable' },
    answers: { 200: { description: 'The preview', schema: preview } },
    async run({ caller: { merchantId }, body }) {
      const texts = await composeTexts(core, core, merchantId, body);
      const prepared = await prepareBatch(core, core, requestOf(merchantId, body, texts), true);
      return {
        status: 200,
        body: {
          ...(await viewPreview(core, merchantId, prepared)),
          mensagens: prepared.composed.messages.map(({ index, phone, text, parts }) => {
            const { reference = '', customerName = null } = texts.own[index] ?? {};
            return { reference, customerName, numeroDestino: phone, conteudo: text, partes: parts };
          }),
          ...viewSkipped(texts),
          haMais: texts.hasMore,
        },
      };
    },
  });
}

function declareSending(core: Core): Route {
  return route({
    ...about,
    path: '/api/references/ppr/sms',
    operationId: 'sendReferenceSms',
    summary: 'Send payment references by SMS',
    description:
      'Sends to each customer the entity, reference, amount and end of their own reference. A customer with two ' +
      'references gets two messages. References that cannot be paid or have no phone number are skipped, like ' +
      'people who refuse your SMS. With too few units nothing is sent.',
    access: { kind: 'bearer', scope: 'sms:write' },
    bucket: 'write',
    idempotent: true,
    body: sending,
    example: { references: ['974610647'], conteudo: 'Propina de Novembro.' },
    refusals: { ...REFUSALS, 404: 'not_found: `errors` names the reference' },
    answers: { 200: { description: 'Accepted and debited; sending starts at once', schema: sent } },
    run({ caller: { merchantId }, body, keyed }) {
      return runKeyed(core, { merchantId, keyed }, async (db) => {
        const texts = await composeTexts(core, db, merchantId, body);
        const accepted = await acceptSending(core, db, { ...requestOf(merchantId, body, texts), runAt: null });
        return { status: 200, body: { ...accepted, ...viewSkipped(texts) } };
      });
    },
  });
}

type Wanted = { conteudo?: string | null | undefined; remetente?: string | null | undefined };

function requestOf(merchantId: string, { conteudo: start, remetente: sender }: Wanted, { own }: Texts) {
  const faults: Fault[] = [];
  return { merchantId, request: { conteudo: start ?? '', remetente: sender, ownTexts: own }, faults };
}

const viewSkipped = ({ withoutPhone, notPayable }: Texts) => ({ semTelemovel: withoutPhone, naoPagaveis: notPayable });
