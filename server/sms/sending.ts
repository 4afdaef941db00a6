// Sending now: a text, a template, or either to a list. It is accepted and paid for here; due work hands it to the rail.
import type { Core } from '../core.ts';
import { route, type Request, type Route } from '../http/route.ts';
import { runKeyed } from '../http/idempotency.ts';
import type { SmsRail } from '../providers/provider.ts';
import { acceptSending, type Sending } from './accept.ts';
import { writes } from './fields.ts';
import {
  acceptance,
  checkEither,
  listSending,
  MAX_RECIPIENTS,
  templateSending,
  textSending,
} from './sending-schemas.ts';

const about = {
  ...writes,
  method: 'POST',
  /** Each wrong number is named. */
  maxFaults: MAX_RECIPIENTS,
  answers: { 200: { description: 'Accepted and debited; it is sent at once', schema: acceptance } },
} as const;

export const REFUSALS = {
  404: 'not_found: `errors` names the id',
  409: 'insufficient_sms_balance (with `saldoAtual`, `unidades`); sms_unavailable; idempotency_in_progress',
};

const COUNTING = `A part is one unit: 160 characters of the GSM alphabet (or 153 each where several parts are needed); where a single character is not among them, such as ã or ç, 70 (67). \`caracteresUcs2\` names those. At most 10 parts.

Repeated numbers are sent once (\`duplicados\`); people who answered PARAR or STOP are skipped (\`recusados\`). A wrong number refuses all of it, and each is named.`;

export function sendingRoutes(core: Core, rail: SmsRail | null): Route[] {
  type Asks = Pick<Request<unknown, unknown, Sending['asked']>, 'caller' | 'keyed' | 'body'>;
  const run = ({ caller: { merchantId }, keyed, body }: Asks) =>
    runKeyed(core, { merchantId, keyed }, async (db) => {
      const sending = { merchantId, asked: body, runAt: null, faults: [] };
      return { status: 200, body: await acceptSending(core, db, rail, sending) };
    });
  return [
    route({
      ...about,
      path: '/api/Envio/enviarSms',
      operationId: 'sendSms',
      summary: 'Send a text to one or more numbers',
      description: COUNTING,
      body: textSending,
      example: {
        numerosDestino: ['923456789'],
        conteudo: 'A sua encomenda chegou. Pode levantar hoje.',
        remetente: 'LOJA',
      },
      refusals: { 409: REFUSALS[409] },
      run,
    }),
    route({
      ...about,
      path: '/api/Envio/enviarSmsTemplate',
      operationId: 'sendSmsTemplate',
      summary: 'Send a template to one or more numbers',
      description: `Every \`{{chave}}\` of the template needs a value in \`valores\`; \`nome\` may be left out for numbers that are contacts.\n\n${COUNTING}`,
      body: templateSending,
      example: {
        smsId: '0198f3a2-7c11-7e55-9d20-6a1f0c3b9e01',
        numerosDestino: ['923456789'],
        valores: { nome: 'Ana', total: '1 500 Kz' },
      },
      refusals: REFUSALS,
      run,
    }),
    route({
      ...about,
      path: '/api/Envio/enviarSmsParaLista',
      operationId: 'sendSmsToList',
      summary: 'Send a text or a template to a contact list',
      description: `Either \`conteudo\` or \`smsId\`.\n\n${COUNTING}`,
      body: listSending,
      checkBody: checkEither('conteudo', 'smsId'),
      example: { listaId: '0198f3a2-7c11-7e55-9d20-6a1f0c3b9e02', conteudo: 'Sábado abrimos às 8h.' },
      refusals: REFUSALS,
      run,
    }),
  ];
}
