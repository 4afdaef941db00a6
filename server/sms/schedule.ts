// Endpoints for scheduled SMS: schedule, list, cancel. Recipients, texts and units are fixed at the request.
import { z } from 'zod';
import type { Core } from '../core.ts';
import { em, type Db } from '../database/db.ts';
import { oneOf } from '../http/fields.ts';
import { Problem } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { runKeyed } from '../http/idempotency.ts';
import { SMS_SCHEDULES } from '../database/functions/counted-lists.ts';
import { acceptSending, REFUSALS } from './send.ts';
import { BATCH_STATUSES, SmsBatch, SmsMessage, type BatchStatus } from './entities.ts';
import { confirm, confirmation, findPage, idText, reads, showPage, smsPage, writes } from './fields.ts';
import {
  checkEither,
  findMomentFaults,
  MAX_RECIPIENTS,
  readMoment,
  scheduledAcceptance,
  scheduleSending,
} from './sending-schemas.ts';
import { refundUnits } from './ledger.ts';

export function scheduleRoutes(core: Core): Route[] {
  return [declareSchedule(core), declareList(core), declareCancel(core)];
}

const checks = [checkEither('conteudo', 'smsId'), checkEither('numerosDestino', 'listaId')];

function declareSchedule(core: Core): Route {
  return route({
    ...writes,
    method: 'POST',
    path: '/api/Envio/agendarSms',
    operationId: 'scheduleSms',
    summary: 'Schedule SMS',
    description:
      'Sends a text or a template to numbers or to a list, at a minute in Luanda 1 minute to 1 year ahead. ' +
      'Recipients and texts are fixed now: later changes of the template or list have no effect. Units are debited ' +
      'now. Cancelling refunds them.',
    body: scheduleSending,
    checkBody: (input) => checks.flatMap((check) => check(input)),
    checkAlso: async (input) => findMomentFaults(input, core.clock.now()),
    maxFaults: MAX_RECIPIENTS,
    example: { numerosDestino: ['923456789'], conteudo: 'Bom dia!', dia: 24, mes: 12, ano: 2026, hora: 8, minuto: 30 },
    refusals: REFUSALS,
    answers: { 201: { description: 'Scheduled and debited', schema: scheduledAcceptance } },
    run: ({ caller: { merchantId }, keyed, body }) =>
      runKeyed(core, { merchantId, keyed }, async (db) => {
        const moment = readMoment(body, core.clock.now());
        const [runAt, faults] = 'at' in moment ? [moment.at, []] : [null, [moment.fault]];
        const accepted = await acceptSending(core, db, { merchantId, request: body, runAt, faults });
        return { status: 201, body: { ...accepted, agendamentoId: accepted.batchId, agendadaPara: runAt } };
      }),
  });
}

const WORD_BY_STATUS: Record<BatchStatus, string> = {
  Scheduled: 'Agendado',
  Released: 'Enviado',
  Canceled: 'Cancelado',
};

const listed = z
  .object({
    agendamentoId: z.uuid(),
    batchId: z.uuid(),
    estado: z.enum(['Agendado', 'Enviado', 'Cancelado']),
    agendadaPara: z.iso.datetime(),
    conteudo: z.string().describe('The text, or a copy of the template at the time of scheduling'),
    remetente: z.string(),
    totalDestinatarios: z.int(),
    unidades: z.int(),
    criadoEm: z.iso.datetime(),
    enviadoEm: z.iso.datetime().nullable(),
    canceladoEm: z.iso.datetime().nullable(),
  })
  .meta({ id: 'SmsSchedule' });

function viewSchedule(batch: SmsBatch) {
  const { id, status, runAt, content, sender, recipients, units, createdAt, releasedAt, canceledAt } = batch;
  return {
    agendamentoId: id,
    batchId: id,
    estado: WORD_BY_STATUS[status],
    agendadaPara: runAt,
    conteudo: content,
    remetente: sender,
    totalDestinatarios: recipients,
    unidades: units,
    criadoEm: createdAt,
    enviadoEm: releasedAt,
    canceladoEm: canceledAt,
  };
}

function declareList(core: Core): Route {
  return route({
    ...reads,
    path: '/api/Envio/ListarSmsAgendadas',
    operationId: 'listScheduledSms',
    summary: 'List scheduled SMS, newest first',
    query: z.object({ ...smsPage, estado: oneOf(Object.values(WORD_BY_STATUS)) }),
    answers: { 200: { description: 'A page', schema: showPage.schema(listed) } },
    async run({ caller, query }) {
      const status = BATCH_STATUSES.find((one) => WORD_BY_STATUS[one] === query.estado);
      const { merchantId } = caller;
      const { rows, total } = await findPage<SmsBatch>(core, query, {
        list: SMS_SCHEDULES,
        merchantId,
        keys: { status },
        rows: (tables) =>
          tables.selectFrom('sms_batches').where('merchantId', '=', merchantId).where('runAt', 'is not', null),
        mergedKeys: { status: BATCH_STATUSES },
        alwaysMerged: true,
        order: ['createdAt', 'id'],
      });
      return { status: 200, body: showPage(rows.map(viewSchedule), query, total) };
    },
  });
}

function declareCancel(core: Core): Route {
  return route({
    ...writes,
    method: 'DELETE',
    path: '/api/Envio/CancelarAgendamento/{agendamentoId}',
    operationId: 'cancelScheduledSms',
    summary: 'Cancel scheduled SMS',
    description: 'Possible until the scheduled minute. The units are refunded. A second cancellation returns 200 too.',
    params: z.object({ agendamentoId: idText.describe('`agendamentoId` of the schedule') }),
    refusals: { 409: 'schedule_not_cancelable: the scheduled minute has passed; idempotency_in_progress' },
    answers: { 200: { description: 'Canceled', schema: confirmation } },
    run: ({ caller: { merchantId }, keyed, params }) =>
      runKeyed(core, { merchantId, keyed }, async (db) => {
        const isNew = await cancelSchedule(core, db, merchantId, params.agendamentoId);
        return confirm(
          isNew ? 'Agendamento cancelado; as unidades foram devolvidas.' : 'Este agendamento já estava cancelado.',
        );
      }),
  });
}

/**
 * Cancels a scheduled batch. Returns false if it was already canceled.
 * The first update of the batch's row wins: this cancellation, or the release at the scheduled minute.
 * @throws Problem not_found, schedule_not_cancelable
 */
async function cancelSchedule(core: Core, db: Db, merchantId: string, id: string): Promise<boolean> {
  const set = { status: 'Canceled', canceledAt: core.clock.now(), dueAt: null } as const;
  const mine = { id, merchantId, runAt: { $ne: null } };
  const canceled = await em(db).nativeUpdate(SmsBatch, { ...mine, status: 'Scheduled' }, set);
  const batch = await em(db).findOne(SmsBatch, mine);
  if (!batch) throw new Problem('not_found');
  if (canceled === 0 && batch.status === 'Canceled') return false;
  if (canceled === 0) throw new Problem('schedule_not_cancelable');
  await em(db).nativeDelete(SmsMessage, { batchId: id });
  await refundUnits(core, db, { merchantId, units: batch.units, batchId: id, description: 'Agendamento cancelado' });
  return true;
}
