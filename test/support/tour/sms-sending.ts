// SMS that are sent: at once, with a template, to a list, at a minute to come; what became of them, and what people answer.
import { askRail } from './payers.ts';
import type { Tour } from './recorder.ts';
import { minuteOf } from '../sms.ts';

const PATH = '/api/Envio';
const nobody = '00000000-0000-4000-8000-000000000099';

export async function walkSending(tour: Tour): Promise<void> {
  await send(tour);
  await schedule(tour);
  await readHistory(tour);
  await stopThem(tour);
}

async function send({ call, made }: Tour): Promise<void> {
  const body = { numerosDestino: ['923456789'], conteudo: 'Bom dia' };
  const headers = { 'idempotency-key': 'sms-1' };
  await call('a message before it is sent', `POST ${PATH}/PreverSms`, { body });
  await call('a message before it is sent, with faults', `POST ${PATH}/PreverSms`, {
    body: { numerosDestino: ['12'], listaId: nobody, dia: 1 },
  });
  made['sms'] = (await call('a message', `POST ${PATH}/enviarSms`, { body, headers })).json;
  await call('a message by the same key', `POST ${PATH}/enviarSms`, { body, headers });
  await call('a message with faults', `POST ${PATH}/enviarSms`, {
    body: { numerosDestino: ['12', '923456789'], conteudo: '', remetente: '123456789012' },
  });
  await call('a message in two parts and other letters', `POST ${PATH}/enviarSms`, {
    body: { numerosDestino: ['923456780', '923 456 780'], conteudo: 'Ação 😀 '.repeat(12), remetente: 'LOJA' },
  });
  for (const [who, phone] of [
    ['who is blocked', '900000001'],
    ['who cannot be reached', '900000002'],
  ])
    await call(`a message to ${who}`, `POST ${PATH}/enviarSms`, { body: { ...body, numerosDestino: [phone] } });
  const template = { smsId: made['template'], numerosDestino: ['923456789'], valores: { numero: 7 } };
  await call('a message by a template', `POST ${PATH}/enviarSmsTemplate`, {
    body: { ...template, valores: { nome: 'Ana', numero: '7' } },
  });
  await call('a message by a template without a value', `POST ${PATH}/enviarSmsTemplate`, {
    body: { ...template, valores: {} },
  });
  await call('a message by a template that is none', `POST ${PATH}/enviarSmsTemplate`, {
    body: { ...template, smsId: nobody },
  });
  const list = { listaId: made['list'], smsId: made['template'], valores: { numero: 8 } };
  await call('a message to a list', `POST ${PATH}/enviarSmsParaLista`, { body: list });
  await call('a message to a list that is none', `POST ${PATH}/enviarSmsParaLista`, {
    body: { ...list, listaId: nobody },
  });
  await call('a message to a list without words', `POST ${PATH}/enviarSmsParaLista`, {
    body: { listaId: made['list'] },
  });
}

async function schedule(tour: Tour): Promise<void> {
  const { call, app } = tour;
  const inMinutes = (minutes: number) => minuteOf(new Date(app.clock.now().getTime() + minutes * 60_000));
  const body = { numerosDestino: ['923456789'], conteudo: 'Até já' };
  await call('a message for later with faults', `POST ${PATH}/agendarSms`, {
    body: { ...body, dia: 31, mes: 2, ano: 2026, hora: 25, minuto: 0 },
  });
  await call('a message for a moment that is over', `POST ${PATH}/agendarSms`, {
    body: { ...body, ...inMinutes(-60) },
  });
  const soon = await call('a message for later', `POST ${PATH}/agendarSms`, { body: { ...body, ...inMinutes(3) } });
  const gone = await call('a message never to go', `POST ${PATH}/agendarSms`, { body: { ...body, ...inMinutes(30) } });
  await call('the messages for later', `GET ${PATH}/ListarSmsAgendadas`);
  await call('a message for later is canceled', `DELETE ${PATH}/CancelarAgendamento/${gone.json.agendamentoId}`);
  await call('a message for later is canceled again', `DELETE ${PATH}/CancelarAgendamento/${gone.json.agendamentoId}`);
  await tour.pass(240_000);
  await call('a message that went is canceled', `DELETE ${PATH}/CancelarAgendamento/${soon.json.agendamentoId}`);
  await call('the messages that waited', `GET ${PATH}/ListarSmsAgendadas?pageSize=1`);
}

async function readHistory(tour: Tour): Promise<void> {
  const { call, made } = tour;
  const day = (end = '') => `dia${end}=2&mes${end}=3&ano${end}=2026`;
  await call('what was sent', `GET ${PATH}/ListarSmsEnviadas?pageSize=20`);
  await call('what was sent in one sending', `GET ${PATH}/ListarSmsEnviadas?batchId=${made['sms'].batchId}`);
  await call('what came to nobody', `GET ${PATH}/ListarSmsEnviadas?estado=Falhado&numeroDestino=900000002`);
  await call('what was sent, with faults', `GET ${PATH}/ListarSmsEnviadas?estado=x&batchId=x&pageSize=0`);
  await call('what was sent on a day', `GET ${PATH}/PesquisarSMSEnviados?${day()}&pageSize=2`);
  await call(
    'what was sent between days',
    `GET ${PATH}/pesquisarEnviosPorIntervaloDeDatas?${day('Inicio')}&${day('Fim')}&pageSize=2`,
  );
  await call('what was sent to another', `GET ${PATH}/ListarSmsEnviadas`, { token: await tour.strangerToken() });
  await call('the movements of units', 'GET /api/ContaSms/ListarMovimentos?pageSize=20');
  await call('the units given back', 'GET /api/ContaSms/ListarMovimentos?tipo=Reembolso');
  await call('the SMS balance after', 'GET /api/ContaSms/ObterSaldo');
  await call('a message without units', `POST ${PATH}/enviarSms`, {
    token: await tour.strangerToken(),
    body: { numerosDestino: ['923456789'], conteudo: 'Bom dia' },
  });
}

/** Somebody does not want any more. */
async function stopThem(tour: Tour): Promise<void> {
  const { call, app, made } = tour;
  const [message] = await app.sql('select id from sms_messages where batch_id = $1', [made['sms'].batchId]);
  await askRail(tour, `/messages/${message.id}/reply`, { text: 'PARAR' });
  await tour.pass();
  await call('a message to who wants none', `POST ${PATH}/enviarSms`, {
    body: { numerosDestino: ['923456789', '923456780'], conteudo: 'Bom dia' },
  });
  await call('a contact who wants none', 'GET /api/Contactos/ListarContactos?telefone=923456789');
  await call('the rail’s word of a message, unsigned', 'POST /rails/sms/notifications', { token: null, body: {} });
}
