import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type CallOptions, type Reply, type TestApp } from '../../support/app.ts';
import { openCallbackFixture, type CallbackFixture } from '../../support/callbacks.ts';
import { readFieldFaults } from '../../support/ppr.ts';
import { addUnits, readBalance } from '../../support/sms.ts';
import { readCsv } from '../../support/csv.ts';
import { createLink } from '../../support/links.ts';
import { creepUntil } from '../../support/payments.ts';

const FORM = 'application/x-www-form-urlencoded';
const SENDER = '/api/ContaSms/AtualizarRemetente';

let app: TestApp;
let fixture: CallbackFixture;
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(async () => {
  fixture = await openCallbackFixture(app);
  await addUnits(app, fixture.merchantId, 100);
});

let next = 924_000_000;
const phone = () => `+244${next++}`;

const choose = (optOutText: unknown, options: CallOptions = {}) =>
  fixture.call(SENDER, { method: 'PUT', body: { nomeremetenteSms: null, optOutText }, ...options });
const send = (numerosDestino: string[], conteudo = 'Bom dia') =>
  fixture.call('/api/Envio/enviarSms', { body: { numerosDestino, conteudo } });
const listSent = async (to: string): Promise<any[]> =>
  (await fixture.call(`/api/Envio/ListarSmsEnviadas?numeroDestino=${encodeURIComponent(to)}`)).json.data;
const textTo = async (to: string) => (await listSent(to))[0].conteudo as string;
/** Returns the path of the opt-out page from the last SMS to this number. */
const pathTo = async (to: string) => /\/parar\/\S+$/.exec(await textTo(to))![0];

const open = (path: string, headers: Record<string, string> = {}) =>
  app.call(path, { token: null, headers: { accept: 'text/html', ...headers } });
const press = (path: string, wish: string, headers: Record<string, string> = {}) =>
  app.call(path, {
    method: 'POST',
    token: null,
    body: new URLSearchParams({ wish }).toString(),
    headers: { accept: 'text/html', 'content-type': FORM, ...headers },
  });
const refusals = () =>
  app.sql('select merchant_id, phone from sms_opt_outs where merchant_id = $1', [fixture.merchantId]);

/** Waits until the node, which caches the merchant for some seconds, reads it again. */
async function changeMerchant(column: 'name' | 'default_language', value: string): Promise<void> {
  await app.sql(`update merchants set ${column} = $2 where id = $1`, [fixture.merchantId, value]);
  await app.clock.advance(6_000);
}

/** Adds a rail account whose host is unreachable. No test in this file calls it. */
async function addRail(connector: 'kambasms' | 'ombala', label: string): Promise<Reply> {
  const settings = { sender: 'LOJAILHA', baseUrl: 'http://127.0.0.1:9' };
  const body = { kind: 'sms', connector, label, environment: 'test', priority: 1, settings };
  const path = `/api/merchants/${fixture.merchantId}/rail-accounts`;
  const reply = await fixture.call(path, { body: { ...body, secrets: { apiKey: 'a-key-of-a-rail' } } });
  expect(reply.status, reply.text).toBe(201);
  return reply;
}

describe('the opt-out text at the end of an SMS', () => {
  test('is empty by default', async () => {
    const to = phone();
    await send([to]);
    expect(await textTo(to)).toBe('Bom dia');
    expect((await listSent(to))[0].paginaRecusa).toBeNull();
    expect(await app.sql('select from sms_opt_out_codes where merchant_id = $1', [fixture.merchantId])).toEqual([]);
  });

  test('says in the merchant’s language how to opt out by a reply', async () => {
    await choose('reply');
    const [first, second] = [phone(), phone()];
    await send([first]);
    expect(await textTo(first)).toBe('Bom dia\nRecusar SMS: responda PARAR');
    await changeMerchant('default_language', 'fr');
    await send([second]);
    expect(await textTo(second)).toBe('Bom dia\nPlus de SMS: repondez STOP');
  });

  test('links to a page of its own for each recipient and merchant', async () => {
    await choose('link');
    const [first, second] = [phone(), phone()];
    await send([first, second]);
    const [one, other] = [await pathTo(first), await pathTo(second)];
    expect(one).toMatch(/^\/parar\/[2-9a-zA-Z]{8}$/);
    expect(other).not.toBe(one);
    expect(await textTo(first)).toBe(`Bom dia\nRecusar SMS: ${app.node.core.publicUrl}${one}`);
    expect((await listSent(first))[0].paginaRecusa).toBe(app.node.core.publicUrl + one);
    await send([first], 'Outra vez');
    expect(await pathTo(first)).toBe(one);
    const stranger = await openCallbackFixture(app);
    await addUnits(app, stranger.merchantId, 5);
    await stranger.call(SENDER, { method: 'PUT', body: { nomeremetenteSms: null, optOutText: 'link' } });
    await stranger.call('/api/Envio/enviarSms', { body: { numerosDestino: [first], conteudo: 'Olá' } });
    const theirs = (await stranger.call('/api/Envio/ListarSmsEnviadas')).json.data[0].conteudo;
    expect(theirs).not.toContain(one);
  });

  test('counts towards the length of the SMS', async () => {
    await choose('reply');
    const reply = await send([phone()], 'a'.repeat(155));
    expect([reply.json.partes, reply.json.unidades]).toEqual([2, 2]);
    expect(await readBalance(app, fixture.merchantId)).toBe(98);
    const tooLong = await send([phone()], 'a'.repeat(1_520));
    expect([tooLong.status, readFieldFaults(tooLong)]).toEqual([400, ['/conteudo sms_too_long']]);
  });

  test('is not enough as the text of an empty template', async () => {
    await choose('link');
    const made = await fixture.call('/api/TemplatesSMS/CriarTemplate', { body: { nome: 'N', conteudo: '{{nota}}' } });
    const body = { smsId: made.json.id, numerosDestino: [phone()] };
    const blank = await fixture.call('/api/Envio/enviarSmsTemplate', { body: { ...body, valores: { nota: ' ' } } });
    expect([blank.status, readFieldFaults(blank)]).toEqual([400, ['/numerosDestino/0 too_short']]);
    expect(await app.sql('select from sms_opt_out_codes where merchant_id = $1', [fixture.merchantId])).toEqual([]);
    const filled = await fixture.call('/api/Envio/enviarSmsTemplate', {
      body: { ...body, valores: { nota: '{{x}}' } },
    });
    expect(filled.status, filled.text).toBe(200);
    expect(await textTo(body.numerosDestino[0]!)).toMatch(/^\{\{x\}\}\nRecusar SMS: http/);
  });

  test('links to the same page of a recipient in concurrent sending requests', async () => {
    await choose('link');
    const people = Array.from({ length: 8 }, phone);
    const replies = await Promise.all(
      people.map((_, nth) => send([...people.slice(nth), ...people.slice(0, nth)].toReversed())),
    );
    expect(replies.map(({ status }) => status)).toEqual(people.map(() => 200));
    const texts = await Promise.all(people.map(async (to) => (await listSent(to)).map(({ conteudo }) => conteudo)));
    for (const each of texts) expect(new Set(each).size).toBe(1);
    expect(new Set(texts.flat()).size).toBe(8);
  });
});

describe('the setting optOutText of the SMS account', () => {
  test('is returned with the account, kept if a change omits it, and audited', async () => {
    expect((await fixture.call('/api/ContaSms/ObterConta')).json.optOutText).toBe('none');
    expect((await choose('link')).json).toMatchObject({ nomeremetenteSms: null, optOutText: 'link' });
    await choose(undefined);
    expect((await fixture.call('/api/ContaSms/ObterConta')).json.optOutText).toBe('link');
    const audit = await fixture.call(`/api/merchants/${fixture.merchantId}/audit?action=sms.sender_changed`);
    expect(audit.json.data.map(({ changes }: any) => changes)).toEqual([
      { optOutText: { before: 'none', after: 'link' } },
    ]);
  });

  test('is refused if the rail of the account does not support it', async () => {
    await addRail('kambasms', 'Kamba');
    for (const optOutText of ['link', 'reply']) {
      const reply = await choose(optOutText);
      expect([reply.status, readFieldFaults(reply)]).toEqual([400, ['/optOutText opt_out_not_possible']]);
      expect(reply.json.errors[0].message).toContain(
        `Kamba does not support optOutText ${optOutText}: choose one of none`,
      );
    }
    expect((await choose('none')).status).toBe(200);
    await addRail('ombala', 'Ombala');
  });

  test('may be a link, but not a reply, on a rail that receives no replies', async () => {
    await addRail('ombala', 'Ombala');
    expect(readFieldFaults(await choose('reply'))).toEqual(['/optOutText opt_out_not_possible']);
    expect((await choose('link')).status).toBe(200);
  });

  test('makes a sending request fail without cost if the rail of its account does not support it', async () => {
    await choose('link');
    await addRail('kambasms', 'Kamba');
    const reply = await send([phone()]);
    expect([reply.status, readFieldFaults(reply)]).toEqual([400, [' opt_out_not_possible']]);
    expect(await readBalance(app, fixture.merchantId)).toBe(100);
    await choose('none');
    const to = phone();
    expect((await send([to])).status).toBe(200);
    // The merchant may publish the opt-out number elsewhere, for example in print.
    expect((await listSent(to))[0].paginaRecusa).toMatch(/^http.*\/parar\/\w{8}$/);
  });
});

describe('the opt-out page', () => {
  async function pageOf(to: string): Promise<string> {
    await choose('link');
    await send([to]);
    return pathTo(to);
  }

  test('shows the merchant and the last digits of the phone, and opts it out or in', async () => {
    const to = phone();
    const path = await pageOf(to);
    const page = await open(path);
    expect(page.status).toBe(200);
    expect(page.text).toContain('Deixar de receber SMS de Outra Loja?');
    expect(page.text).toContain(`acaba em ${to.slice(-3)}`);
    expect(page.text).not.toContain(to.slice(4));
    expect(page.text).not.toContain('<script');
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    expect(await refusals(), 'opening it changes nothing').toEqual([]);

    const stopped = await press(path, 'stop');
    expect([stopped.status, stopped.headers.get('location')]).toEqual([303, path]);
    await press(path, 'stop');
    expect(await refusals()).toEqual([{ merchant_id: fixture.merchantId, phone: to }]);
    expect((await open(path)).text).toContain('Já não recebe SMS de Outra Loja');
    expect((await send([to])).json).toMatchObject({ estado: 'Ignorado', recusados: 1 });

    expect((await press(path, 'start')).status).toBe(303);
    expect(await refusals()).toEqual([]);
    expect((await send([to])).json.recusados).toBe(0);
  });

  test('returns 404 for an unknown code in its URL', async () => {
    const path = await pageOf(phone());
    const swapped = path.replace(/[a-z]|[A-Z]/g, (letter) =>
      letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
    );
    const none = ['/parar/22222222', '/parar/short', '/parar/0OIl1000', `${path}x`, '/parar/%00', '/parar/'];
    for (const wrong of [...none, `/parar/${swapped.split('/').at(-1)}`]) {
      for (const answer of [await open(wrong), await press(wrong, 'stop')]) {
        expect([wrong, answer.status]).toEqual([wrong, 404]);
        expect(answer.text).toContain('Esta página não existe');
        expect(answer.headers.get('content-type')).toContain('text/html');
      }
      const problem = await app.call(wrong, { token: null, headers: { accept: 'application/json' } });
      expect([wrong, problem.status, problem.json.code]).toEqual([wrong, 404, 'not_found']);
    }
    expect(await refusals()).toEqual([]);
  });

  test('changes nothing for an invalid form', async () => {
    const path = await pageOf(phone());
    const wrong = [await press(path, 'all'), await press(path, '')];
    const json = await app.call(path, {
      method: 'POST',
      token: null,
      body: 'x',
      headers: { 'content-type': 'text/plain' },
    });
    expect([...wrong, json].map(({ status }) => status)).toEqual([400, 400, 415]);
    expect(wrong[0]!.text).toContain('Não foi possível agora');
    expect(await refusals()).toEqual([]);
  });
});

const PATH = '/api/sms/opt-outs';

const record = (to: string, options = {}) => fixture.call(PATH, { body: { phone: to }, ...options });
const remove = (id: string) => fixture.call(`${PATH}/${id}`, { method: 'DELETE' });
const list = async (query = '') => (await fixture.call(`${PATH}${query}`)).json;
const audit = async (action: string) =>
  (await fixture.call(`/api/merchants/${fixture.merchantId}/audit?action=${action}`)).json.data;

describe('the opt-out number of a merchant', () => {
  const choose = (body: object) => fixture.call(SENDER, { method: 'PUT', body: { nomeremetenteSms: null, ...body } });

  test('is at the end of each SMS, in the merchant’s language', async () => {
    expect((await choose({ optOutText: 'number', optOutNumber: '222 000 111' })).json).toMatchObject({
      optOutText: 'number',
      optOutNumber: '222000111',
    });
    const to = phone();
    await send([to]);
    expect((await listSent(to))[0].conteudo).toBe('Bom dia\nRecusar SMS: ligue 222000111');
  });

  test('is kept if only the sender changes, and is required for optOutText=number', async () => {
    await choose({ optOutText: 'number', optOutNumber: '+244 923 456 789' });
    expect((await choose({})).json.optOutNumber).toBe('923456789');
    const without = await choose({ optOutNumber: null });
    expect([without.status, readFieldFaults(without)]).toEqual([400, ['/optOutNumber required']]);
    expect((await choose({ optOutText: 'none', optOutNumber: null })).json).toMatchObject({ optOutNumber: null });
    const never = await choose({ optOutText: 'number' });
    expect([never.status, readFieldFaults(never)]).toEqual([400, ['/optOutNumber required']]);
  });
});

describe('POST /api/sms/opt-outs', () => {
  test('returns the same opt-out again for a repeated number, and audits it without the number', async () => {
    const to = phone();
    const made = await record(` ${to.slice(4)} `);
    const shown = { id: expect.any(String), phone: to, source: 'merchant', createdAt: app.clock.now().toISOString() };
    expect([made.status, made.json]).toEqual([201, shown]);
    const again = await record(to);
    expect([again.status, again.json]).toEqual([200, made.json]);
    expect(await list()).toEqual({ data: [made.json], next: null });
    const entries = await audit('sms.opt_out_recorded');
    expect(entries).toMatchObject([{ target: made.json.id }]);
    expect(entries[0].changes).toEqual({});
  });

  test('creates one opt-out for concurrent requests', async () => {
    const to = phone();
    const replies = await Promise.all(Array.from({ length: 8 }, () => record(to)));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([...Array(7).fill(200), 201]);
    expect(new Set(replies.map(({ json }) => json.id)).size).toBe(1);
    expect(await audit('sms.opt_out_recorded')).toHaveLength(1);
  });

  test('stops SMS of every kind to the number, also scheduled ones', async () => {
    const [to, friend] = [phone(), phone()];
    const contact = (nome: string, telefone: string) =>
      fixture.call('/api/Contactos/CadastrarContacto', { body: { nome, telefone } });
    const contactoIds = [(await contact('Ana', to)).json.contactoId, (await contact('Rui', friend)).json.contactoId];
    const made = await fixture.call('/api/Contactos/CriarListaDeContactos', { body: { nome: 'L', contactoIds } });
    const at = new Date(app.clock.now().getTime() + 2 * 3_600_000 + 3_600_000);
    const minute = {
      dia: at.getUTCDate(),
      mes: at.getUTCMonth() + 1,
      ano: at.getUTCFullYear(),
      hora: at.getUTCHours(),
      minuto: at.getUTCMinutes(),
    };
    const body = { numerosDestino: [to], conteudo: 'Mais tarde', ...minute };
    expect((await fixture.call('/api/Envio/agendarSms', { body })).status).toBe(201);
    await record(to);

    expect((await send([to])).json).toMatchObject({ estado: 'Ignorado', recusados: 1, unidades: 0 });
    const listed = { listaId: made.json.listaId, conteudo: 'Olá' };
    const toList = await fixture.call('/api/Envio/enviarSmsParaLista', { body: listed });
    expect(toList.json).toMatchObject({ totalDestinatarios: 1, recusados: 1 });
    const template = await fixture.call('/api/TemplatesSMS/CriarTemplate', { body: { nome: 'T', conteudo: 'Olá' } });
    const filled = { smsId: template.json.id, numerosDestino: [to] };
    expect((await fixture.call('/api/Envio/enviarSmsTemplate', { body: filled })).json).toMatchObject({ recusados: 1 });
    const link = await createLink({ ...app, call: fixture.call });
    const shared = await fixture.call(`/api/links/${link.id}/sms`, { body: { numerosDestino: [to] } });
    expect([shared.status, shared.json.recusados], shared.text).toEqual([200, 1]);
    const before = await readBalance(app, fixture.merchantId);
    app.clock.leap(2 * 3_600_000);
    const isDecided = async () => (await listSent(to)).some(({ estado }) => estado !== 'Pendente');
    await creepUntil(app, isDecided, 'what becomes of it at its minute');
    expect(await listSent(to)).toMatchObject([{ estado: 'Falhado', motivoFalha: 'opted_out' }]);
    expect(await readBalance(app, fixture.merchantId)).toBe(before + 1);
  });
});

describe('DELETE /api/sms/opt-outs/{id}', () => {
  test('removes an opt-out of the merchant, after which the number receives SMS again', async () => {
    const to = phone();
    const { json } = await record(to);
    expect((await remove(json.id)).status).toBe(204);
    expect((await remove(json.id)).status).toBe(404);
    expect((await send([to])).json).toMatchObject({ recusados: 0, totalDestinatarios: 1 });
    expect(await audit('sms.opt_out_removed')).toMatchObject([{ target: json.id }]);
  });

  test('returns 409 for an opt-out that the recipient made', async () => {
    const [byPage, longAgo] = [phone(), phone()];
    await app.sql('insert into sms_opt_outs (merchant_id, phone, created_at) values ($1, $2, $3)', [
      fixture.merchantId,
      longAgo,
      app.clock.now(),
    ]);
    await record(byPage);
    await fixture.call(SENDER, { method: 'PUT', body: { nomeremetenteSms: null, optOutText: 'link' } });
    const code = 'abcdefgh';
    await app.sql('insert into sms_opt_out_codes values ($1, $2, $3, $4)', [
      code,
      fixture.merchantId,
      byPage,
      app.clock.now(),
    ]);
    const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' };
    const pressed = await app.call(`/parar/${code}`, { method: 'POST', token: null, body: 'wish=stop', headers });
    expect(pressed.status).toBe(303);
    const { data } = await list();
    expect(Object.fromEntries(data.map((one: any) => [one.phone, one.source]))).toEqual({
      [byPage]: 'page',
      [longAgo]: null,
    });
    for (const { id } of data) {
      const reply = await remove(id);
      expect([reply.status, reply.json.code]).toEqual([409, 'opt_out_theirs']);
    }
    expect((await list()).data).toHaveLength(2);
  });
});

test('GET /api/sms/opt-outs has pages with a cursor, a filter by number, and CSV', async () => {
  const phones = Array.from({ length: 5 }, phone);
  for (const each of phones) {
    await record(each);
    await app.clock.advance(1);
  }
  const newest = phones.toReversed();
  const first = await list('?limit=2');
  const second = await list(`?limit=3&after=${first.next}`);
  expect([...first.data, ...second.data].map((one: any) => one.phone)).toEqual(newest);
  expect(second.next).toBeNull();
  expect((await list(`?phone=${phones[1]!.slice(4)}`)).data).toMatchObject([{ phone: phones[1] }]);
  const { text } = await fixture.call(`${PATH}.csv`, { headers: { 'accept-language': 'en' } });
  expect(readCsv(text, ';').map((line) => [line['Number'], line['Source']])).toEqual(
    newest.map((each) => [`'${each}`, 'Recorded by the shop']),
  );
});
