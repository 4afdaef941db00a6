// What a sending would be and cost, before it is one: nothing is written, sent or paid for.
import type { Core } from '../core.ts';
import type { Fault } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { writes } from './fields.ts';
import { findBalance } from './ledger.ts';
import { readySending, viewCost } from './send.ts';
import {
  checkEither,
  findMomentFaults,
  MAX_RECIPIENTS,
  momentRequest,
  previewSending,
  readMoment,
  sendingPreview,
} from './sending-schemas.ts';

const checks = [checkEither('conteudo', 'smsId'), checkEither('numerosDestino', 'listaId'), findHalfMoment];

/** The endpoint that people look at a sending by. */
export function previewRoutes(core: Core): Route[] {
  const { idempotent: _, ...about } = writes;
  return [
    route({
      ...about,
      method: 'POST',
      path: '/api/Envio/PreverSms',
      operationId: 'previewSms',
      summary: 'See what a sending would be',
      description:
        'The body of any sending: to numbers or to a list, a text or a template, at once or, with a day and a minute, later. It is checked as that sending would be, and answers how many messages it is, the units they take, and the first of them as its reader would have it. Nothing is sent, and too few units are no refusal: compare `unidades` with `saldoAtual`.',
      body: previewSending,
      checkBody: (input) => checks.flatMap((check) => check(input)),
      checkAlso: async (input) => findMomentFaults(input, core.clock.now()),
      maxFaults: MAX_RECIPIENTS,
      example: { numerosDestino: ['923456789'], conteudo: 'A sua encomenda chegou. Pode levantar hoje.' },
      refusals: { 404: 'not_found: `errors` names the id', 409: 'sms_unavailable' },
      answers: { 200: { description: 'What it would be', schema: sendingPreview } },
      async run({ caller: { merchantId }, body }) {
        const moment = momentRequest.safeParse(body);
        const read = moment.success ? readMoment(moment.data, core.clock.now()) : { at: null };
        const faults = 'fault' in read ? [read.fault] : [];
        const { sender, composed, units } = await readySending(core, core, { merchantId, asked: body, faults }, true);
        const [first] = composed.messages;
        return {
          status: 200,
          body: {
            ...viewCost(composed, units),
            saldoAtual: await findBalance(core, merchantId),
            remetente: sender,
            agendadaPara: 'at' in read ? read.at : null,
            exemplo: first ? { numeroDestino: first.phone, conteudo: first.text } : null,
          },
        };
      },
    }),
  ];
}

const PARTS = Object.keys(momentRequest.shape);

/** A minute is named whole, or not at all. */
function findHalfMoment(input: unknown): Fault[] {
  const given = (input ?? {}) as Record<string, unknown>;
  const missing = PARTS.filter((part) => given[part] === undefined);
  if (missing.length === PARTS.length) return [];
  return missing.map((part) => ({ pointer: `/${part}`, code: 'required' }));
}
