// Sends a payment link by SMS to phone numbers or to a contact list, with the link's URL in the text.
import type { Core } from '../core.ts';
import { runKeyed } from '../http/idempotency.ts';
import { Problem } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { acceptSending, REFUSALS } from '../sms/send.ts';
import { acceptance, checkEither, linkSending, MAX_RECIPIENTS } from '../sms/sending-schemas.ts';
import { findLink } from './read.ts';
import { byLink } from './schemas.ts';
import { linkUrlOf } from './slug.ts';

export function declareSms(core: Core): Route {
  return route({
    method: 'POST',
    path: '/api/links/{linkId}/sms',
    operationId: 'sendLinkSms',
    tag: 'Links',
    summary: 'Send a payment link by SMS',
    description:
      'Sends to `numerosDestino` or to a contact list (`listaId`), like `POST /api/Envio/enviarSms` and ' +
      '`enviarSmsParaLista`. It costs units; numbers that opted out are skipped.',
    access: { kind: 'bearer', scope: 'sms:write' },
    bucket: 'write',
    idempotent: true,
    params: byLink,
    body: linkSending,
    checkBody: checkEither('numerosDestino', 'listaId'),
    // One error response reports every wrong phone number, and not only the first ones.
    maxFaults: MAX_RECIPIENTS,
    example: { numerosDestino: ['923456789'], conteudo: 'O seu bilhete para sábado:' },
    refusals: { ...REFUSALS, 409: `link_withdrawn; ${REFUSALS[409]}` },
    answers: { 200: { description: 'Accepted and debited; sending starts at once', schema: acceptance } },
    run({ caller: { merchantId }, params, body, keyed }) {
      return runKeyed(core, { merchantId, keyed }, async (db) => {
        const { slug, title, withdrawnAt } = await findLink(db, merchantId, params.linkId);
        if (withdrawnAt) throw new Problem('link_withdrawn');
        const request = { ...body, conteudo: writeText(body.conteudo ?? `${title}:`, linkUrlOf(core, slug)) };
        return {
          status: 200,
          body: await acceptSending(core, db, { merchantId, request: request, runAt: null, faults: [] }),
        };
      });
    },
  });
}

function writeText(text: string, url: string): string {
  return text.includes(url) ? text : `${text} ${url}`;
}
