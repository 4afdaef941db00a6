// Previews an SMS request: returns messages and price, without sending, debiting or writing anything.
import type { Core } from '../core.ts';
import type { Fault } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { writes } from './fields.ts';
import { prepareBatch, viewPreview } from './send.ts';
import {
  checkEither,
  findMomentFaults,
  MAX_RECIPIENTS,
  momentRequest,
  previewSending,
  readMoment,
  sendingPreview,
} from './sending-schemas.ts';

const checks = [checkEither('conteudo', 'smsId'), checkEither('numerosDestino', 'listaId'), findPartialMoment];

export function previewRoutes(core: Core): Route[] {
  const { idempotent: _, ...about } = writes;
  return [
    route({
      ...about,
      method: 'POST',
      path: '/api/Envio/PreverSms',
      operationId: 'previewSms',
      summary: 'Preview an SMS request',
      description:
        'Accepts the body of any SMS request: to numbers or to a list, with a text or a template, immediately or at ' +
        'a day and minute. The request is validated like the real one. The answer has the number of messages, the ' +
        'price in units, and the first message as its recipient would read it. No message is sent. A low balance ' +
        'is no error: compare `unidades` with `saldoAtual`.',
      body: previewSending,
      checkBody: (input) => checks.flatMap((check) => check(input)),
      checkAlso: async (input) => findMomentFaults(input, core.clock.now()),
      maxFaults: MAX_RECIPIENTS,
      example: { numerosDestino: ['923456789'], conteudo: 'A sua encomenda chegou. Pode levantar hoje.' },
      refusals: { 404: 'not_found: `errors` names the id', 409: 'sms_unavailable' },
      answers: { 200: { description: 'The preview', schema: sendingPreview } },
      async run({ caller: { merchantId }, body }) {
        const moment = momentRequest.safeParse(body);
        const read = moment.success ? readMoment(moment.data, core.clock.now()) : { at: null };
        const faults = 'fault' in read ? [read.fault] : [];
        const prepared = await prepareBatch(core, core, { merchantId, request: body, faults }, true);
        const agendadaPara = 'at' in read ? read.at : null;
        return { status: 200, body: { ...(await viewPreview(core, merchantId, prepared)), agendadaPara } };
      },
    }),
  ];
}

const MOMENT_FIELDS = Object.keys(momentRequest.shape);

/** Reports the missing fields of an incomplete scheduled time. A request without any of these fields is valid. */
function findPartialMoment(input: unknown): Fault[] {
  const fields = (input ?? {}) as Record<string, unknown>;
  const missing = MOMENT_FIELDS.filter((part) => fields[part] === undefined);
  if (missing.length === MOMENT_FIELDS.length) return [];
  return missing.map((part) => ({ pointer: `/${part}`, code: 'required' }));
}
