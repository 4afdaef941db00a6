// A link by SMS, to some numbers or a list: what the SMS side sends, with the address in it.
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
      'To `numerosDestino` or to a contact list (`listaId`), as `POST /api/Envio/enviarSms` and `enviarSmsParaLista` send: it costs units, and those who refuse SMS are skipped.',
    access: { kind: 'bearer', scope: 'sms:write' },
    bucket: 'write',
    idempotent: true,
    params: byLink,
    body: linkSending,
    checkBody: checkEither('numerosDestino', 'listaId'),
    // Each wrong number is named.
    maxFaults: MAX_RECIPIENTS,
    example: { numerosDestino: ['923456789'], conteudo: 'O seu bilhete para sábado:' },
    refusals: { ...REFUSALS, 409: `link_withdrawn; ${REFUSALS[409]}` },
    answers: { 200: { description: 'Accepted and debited; it is sent at once', schema: acceptance } },
    run({ caller: { merchantId }, params, body, keyed }) {
      return runKeyed(core, { merchantId, keyed }, async (db) => {
        const { slug, title, withdrawnAt } = await findLink(db, merchantId, params.linkId);
        if (withdrawnAt) throw new Problem('link_withdrawn');
        const asked = { ...body, conteudo: writeText(body.conteudo ?? `${title}:`, linkUrlOf(core, slug)) };
        return { status: 200, body: await acceptSending(core, db, { merchantId, asked, runAt: null, faults: [] }) };
      });
    },
  });
}

function writeText(text: string, url: string): string {
  return text.includes(url) ? text : `${text} ${url}`;
}
