// SMS: the tour sends immediately, by template, to a list and on a schedule. It lists them, and a reply opts out.
import { askRail } from './payers.ts';
import type { Tour } from './recorder.ts';
import { minuteOf } from '../../support/sms.ts';

const PATH = '/api/Envio';
const UNKNOWN = '00000000-0000-4000-8000-000000000099';

export async function walkSending(tour: Tour): Promise<void> {
  await send(tour);
  await schedule(tour);
  await readHistory(tour);
  await stopThem(tour);
}

async function send({ call, made }: Tour): Promise<void> {
  const body = { numerosDestino: ['923456789'], conteudo: 'Bom dia' };
  await call(`POST ${PATH}/PreverSms`, 200, { body });
  await call(`POST ${PATH}/PreverSms`, 400, { body: { numerosDestino: ['12'], listaId: UNKNOWN, dia: 1 } });
  made['sms'] = (await call(`POST ${PATH}/enviarSms`, 200, { body })).json;
  await call(`POST ${PATH}/enviarSms`, 400, {
    body: { numerosDestino: ['12', '923456789'], conteudo: '', remetente: '123456789012' },
  });
  await call(`POST ${PATH}/enviarSms`, 200, {
    body: { numerosDestino: ['923456780', '923 456 780'], conteudo: 'Ação 😀 '.repeat(12), remetente: 'LOJA' },
  });
  // The first number is blocked, and the second is unreachable.
  for (const phone of ['900000001', '900000002'])
    await call(`POST ${PATH}/enviarSms`, 200, { body: { ...body, numerosDestino: [phone] } });
  const template = { smsId: made['template'], numerosDestino: ['923456789'], valores: { numero: 7 } };
  await call(`POST ${PATH}/enviarSmsTemplate`, 200, {
    body: { ...template, valores: { nome: 'Ana', numero: '7' } },
  });
  await call(`POST ${PATH}/enviarSmsTemplate`, 400, {
    body: { ...template, valores: {} },
  });
  await call(`POST ${PATH}/enviarSmsTemplate`, 404, { body: { ...template, smsId: UNKNOWN } });
  const list = { listaId: made['list'], smsId: made['template'], valores: { numero: 8 } };
  await call(`POST ${PATH}/enviarSmsParaLista`, 200, { body: list });
  await call(`POST ${PATH}/enviarSmsParaLista`, 404, { body: { ...list, listaId: UNKNOWN } });
  await call(`POST ${PATH}/enviarSmsParaLista`, 400, { body: { listaId: made['list'] } });
}

async function schedule(tour: Tour): Promise<void> {
  const { call, app } = tour;
  const inMinutes = (minutes: number) => minuteOf(new Date(app.clock.now().getTime() + minutes * 60_000));
  const body = { numerosDestino: ['923456789'], conteudo: 'Até já' };
  await call(`POST ${PATH}/agendarSms`, 400, { body: { ...body, dia: 31, mes: 2, ano: 2026, hora: 25, minuto: 0 } });
  const soon = await call(`POST ${PATH}/agendarSms`, 201, { body: { ...body, ...inMinutes(3) } });
  const gone = await call(`POST ${PATH}/agendarSms`, 201, { body: { ...body, ...inMinutes(30) } });
  await call(`GET ${PATH}/ListarSmsAgendadas`, 200);
  await call(`DELETE ${PATH}/CancelarAgendamento/${gone.json.agendamentoId}`, 200);
  await tour.pass(240_000);
  await call(`DELETE ${PATH}/CancelarAgendamento/${soon.json.agendamentoId}`, 409);
  await call(`GET ${PATH}/ListarSmsAgendadas?pageSize=1`, 200);
}

async function readHistory(tour: Tour): Promise<void> {
  const { call } = tour;
  const day = (end = '') => `dia${end}=2&mes${end}=3&ano${end}=2026`;
  await call(`GET ${PATH}/ListarSmsEnviadas?pageSize=20`, 200);
  await call(`GET ${PATH}/ListarSmsEnviadas?estado=x&batchId=x&pageSize=0`, 400);
  await call(`GET ${PATH}/PesquisarSMSEnviados?${day()}&pageSize=2`, 200);
  await call(`GET ${PATH}/pesquisarEnviosPorIntervaloDeDatas?${day('Inicio')}&${day('Fim')}&pageSize=2`, 200);
  await call('GET /api/ContaSms/ListarMovimentos?pageSize=20', 200);
  await call(`POST ${PATH}/enviarSms`, 409, {
    token: await tour.strangerToken(),
    body: { numerosDestino: ['923456789'], conteudo: 'Bom dia' },
  });
}

/** The recipient replies PARAR, which opts out. */
async function stopThem(tour: Tour): Promise<void> {
  const { call, app, made } = tour;
  const [message] = await app.sql('select id from sms_messages where batch_id = $1', [made['sms'].batchId]);
  await askRail(tour, `/messages/${message.id}/reply`, { text: 'PARAR' });
  await tour.pass();
  await call('POST /rails/sms/notifications', 401, { token: null, body: {} });
}
