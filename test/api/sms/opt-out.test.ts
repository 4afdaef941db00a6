// Refusing a merchant's SMS without answering: the line at the end of a message, the page that it names, and who may do what there.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, until, type CallOptions, type Reply, type TestApp } from '../../support/app.ts';
import { openShop, type Shop } from '../../support/callbacks.ts';
import { faultsOf } from '../../support/ppr.ts';
import { addUnits, readBalance } from '../../support/sms.ts';

const FORM = 'application/x-www-form-urlencoded';
const SENDER = '/api/ContaSms/AtualizarRemetente';

let app: TestApp;
let shop: Shop;
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(async () => {
  shop = await openShop(app);
  await addUnits(app, shop.merchantId, 100);
});

let next = 924_000_000;
const phone = () => `+244${next++}`;

const choose = (optOutText: unknown, options: CallOptions = {}) =>
  shop.call(SENDER, { method: 'PUT', body: { nomeremetenteSms: null, optOutText }, ...options });
const send = (numerosDestino: string[], conteudo = 'Bom dia') =>
  shop.call('/api/Envio/enviarSms', { body: { numerosDestino, conteudo } });
const listSent = async (to: string): Promise<any[]> =>
  (await shop.call(`/api/Envio/ListarSmsEnviadas?numeroDestino=${encodeURIComponent(to)}`)).json.data;
const textTo = async (to: string) => (await listSent(to))[0].conteudo as string;
/** The page's path, as the message to this phone names it. */
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
const refusals = () => app.sql('select merchant_id, phone from sms_opt_outs where merchant_id = $1', [shop.merchantId]);

/** What a node knows of a merchant it keeps for some seconds. */
async function changeMerchant(column: 'name' | 'default_language', value: string): Promise<void> {
  await app.sql(`update merchants set ${column} = $2 where id = $1`, [shop.merchantId, value]);
  await app.clock.advance(6_000);
}

/** An account whose rail nobody answers for: nothing of it is asked here. */
async function addRail(connector: 'kambasms' | 'ombala', label: string): Promise<Reply> {
  const settings = { sender: 'LOJAILHA', baseUrl: 'http://127.0.0.1:9' };
  const body = { kind: 'sms', connector, label, environment: 'test', priority: 1, settings };
  const path = `/api/merchants/${shop.merchantId}/rail-accounts`;
  const reply = await shop.call(path, { body: { ...body, secrets: { apiKey: 'a-key-of-a-rail' } } });
  expect(reply.status, reply.text).toBe(201);
  return reply;
}

describe('what a message says', () => {
  test('nothing, until the merchant wants it', async () => {
    const to = phone();
    await send([to]);
    expect(await textTo(to)).toBe('Bom dia');
    expect((await listSent(to))[0].paginaRecusa).toBeNull();
    expect(await app.sql('select from sms_opt_out_codes where merchant_id = $1', [shop.merchantId])).toEqual([]);
  });

  test('how to answer, in the merchant’s language', async () => {
    await choose('reply');
    const [first, second] = [phone(), phone()];
    await send([first]);
    expect(await textTo(first)).toBe('Bom dia\nRecusar SMS: responda PARAR');
    await changeMerchant('default_language', 'fr');
    await send([second]);
    expect(await textTo(second)).toBe('Bom dia\nPlus de SMS: repondez STOP');
  });

  test('where each person’s page is: another one each, and the same the next time', async () => {
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
    const stranger = await openShop(app);
    await addUnits(app, stranger.merchantId, 5);
    await stranger.call(SENDER, { method: 'PUT', body: { nomeremetenteSms: null, optOutText: 'link' } });
    await stranger.call('/api/Envio/enviarSms', { body: { numerosDestino: [first], conteudo: 'Olá' } });
    const theirs = (await stranger.call('/api/Envio/ListarSmsEnviadas')).json.data[0].conteudo;
    expect(theirs).not.toContain(one);
  });

  test('is a part of it: it is counted and paid for, and too much is refused', async () => {
    await choose('reply');
    const reply = await send([phone()], 'a'.repeat(155));
    expect([reply.json.partes, reply.json.unidades]).toEqual([2, 2]);
    expect(await readBalance(app, shop.merchantId)).toBe(98);
    const tooLong = await send([phone()], 'a'.repeat(1_520));
    expect([tooLong.status, faultsOf(tooLong)]).toEqual([400, ['/conteudo sms_too_long']]);
  });

  test('says nothing by itself: a template that is filled with nothing is refused as before', async () => {
    await choose('link');
    const made = await shop.call('/api/TemplatesSMS/CriarTemplate', { body: { nome: 'N', conteudo: '{{nota}}' } });
    const body = { smsId: made.json.id, numerosDestino: [phone()] };
    const blank = await shop.call('/api/Envio/enviarSmsTemplate', { body: { ...body, valores: { nota: ' ' } } });
    expect([blank.status, faultsOf(blank)]).toEqual([400, ['/numerosDestino/0 too_short']]);
    expect(await app.sql('select from sms_opt_out_codes where merchant_id = $1', [shop.merchantId])).toEqual([]);
    const filled = await shop.call('/api/Envio/enviarSmsTemplate', { body: { ...body, valores: { nota: '{{x}}' } } });
    expect(filled.status, filled.text).toBe(200);
    expect(await textTo(body.numerosDestino[0]!)).toMatch(/^\{\{x\}\}\nRecusar SMS: http/);
  });

  test('of many sendings to the same people at once, everyone has one page', async () => {
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

describe('the setting', () => {
  test('is told with the account, kept where it is not named, and in the audit', async () => {
    expect((await shop.call('/api/ContaSms/ObterConta')).json.optOutText).toBe('none');
    expect((await choose('link')).json).toMatchObject({ nomeremetenteSms: null, optOutText: 'link' });
    await choose(undefined);
    expect((await shop.call('/api/ContaSms/ObterConta')).json.optOutText).toBe('link');
    const audit = await shop.call(`/api/merchants/${shop.merchantId}/audit?action=sms.sender_changed`);
    expect(audit.json.data.map(({ changes }: any) => changes)).toEqual([
      { optOutText: { before: 'none', after: 'link' } },
    ]);
  });

  test.each(['', 'LINK', null, true])('cannot be %j', async (value) => {
    const reply = await choose(value);
    expect([reply.status, faultsOf(reply).map((fault) => fault.split(' ')[0])]).toEqual([400, ['/optOutText']]);
  });

  test('promises nothing that the account’s rail does not have', async () => {
    await addRail('kambasms', 'Kamba');
    for (const way of ['link', 'reply']) {
      const reply = await choose(way);
      expect([reply.status, faultsOf(reply)]).toEqual([400, ['/optOutText opt_out_not_possible']]);
      expect(reply.json.errors[0].message).toContain(`${way}, which Kamba cannot do: choose one of none`);
    }
    expect((await choose('none')).status).toBe(200);
    await addRail('ombala', 'Ombala');
  });

  test('where replies are missing a page is possible, and an answer is not', async () => {
    await addRail('ombala', 'Ombala');
    expect(faultsOf(await choose('reply'))).toEqual(['/optOutText opt_out_not_possible']);
    expect((await choose('link')).status).toBe(200);
  });

  test('an account that cannot do what was chosen before refuses the sending, and nothing is paid', async () => {
    await choose('link');
    await addRail('kambasms', 'Kamba');
    const reply = await send([phone()]);
    expect([reply.status, faultsOf(reply)]).toEqual([400, [' opt_out_not_possible']]);
    expect(await readBalance(app, shop.merchantId)).toBe(100);
    await choose('none');
    const to = phone();
    expect((await send([to])).status).toBe(200);
    // To be printed where the message itself may not name it.
    expect((await listSent(to))[0].paginaRecusa).toMatch(/^http.*\/parar\/\w{8}$/);
  });

  test('the sender that is told is the one that messages come from', async () => {
    await addRail('ombala', 'Ombala');
    expect((await shop.call('/api/ContaSms/ObterConta')).json.remetenteEfetivo).toBe('LOJAILHA');
    const to = phone();
    await send([to]);
    expect((await listSent(to))[0].remetente).toBe('LOJAILHA');
  });
});

describe('the page', () => {
  async function pageOf(to: string): Promise<string> {
    await choose('link');
    await send([to]);
    return pathTo(to);
  }

  test('names the merchant and the end of the number, asks once, and can be taken back', async () => {
    const to = phone();
    const path = await pageOf(to);
    const asked = await open(path);
    expect(asked.status).toBe(200);
    expect(asked.text).toContain('Deixar de receber SMS de Outra Loja?');
    expect(asked.text).toContain(`acaba em ${to.slice(-3)}`);
    expect(asked.text).not.toContain(to.slice(4));
    expect(asked.text).not.toContain('<script');
    expect(asked.headers.get('cache-control')).toBe('no-store');
    expect(asked.headers.get('referrer-policy')).toBe('no-referrer');
    expect(await refusals(), 'opening it changes nothing').toEqual([]);

    const stopped = await press(path, 'stop');
    expect([stopped.status, stopped.headers.get('location')]).toEqual([303, path]);
    await press(path, 'stop');
    expect(await refusals()).toEqual([{ merchant_id: shop.merchantId, phone: to }]);
    expect((await open(path)).text).toContain('Já não recebe SMS de Outra Loja');
    expect((await send([to])).json).toMatchObject({ estado: 'Ignorado', recusados: 1 });

    expect((await press(path, 'start')).status).toBe(303);
    expect(await refusals()).toEqual([]);
    expect((await send([to])).json.recusados).toBe(0);
  });

  test('a message on its way is not sent any more', async () => {
    const to = phone();
    const path = await pageOf(to);
    const at = new Date(app.clock.now().getTime() + 3_600_000 + 120_000);
    const moment = {
      dia: at.getUTCDate(),
      mes: at.getUTCMonth() + 1,
      ano: at.getUTCFullYear(),
      hora: at.getUTCHours(),
      minuto: at.getUTCMinutes(),
    };
    const body = { numerosDestino: [to], conteudo: 'Mais tarde', ...moment };
    expect((await shop.call('/api/Envio/agendarSms', { body })).status).toBe(201);
    await press(path, 'stop');
    await until(async () => {
      await app.clock.pass(30_000);
      return (await listSent(to)).some(({ motivoFalha }) => motivoFalha === 'opted_out');
    }, 'the message being held back');
  });

  test('in each language, asked for by the address or by the browser, kept by the form', async () => {
    const path = await pageOf(phone());
    expect((await open(path, { 'accept-language': 'en-GB' })).text).toContain('Stop receiving SMS from Outra Loja?');
    expect((await open(`${path}?lang=fr`)).text).toContain('Ne plus recevoir de SMS de Outra Loja');
    expect((await press(`${path}?lang=fr`, 'stop')).headers.get('location')).toBe(`${path}?lang=fr`);
  });

  test('writes the merchant’s name as text', async () => {
    const path = await pageOf(phone());
    await changeMerchant('name', '<b>{end}</b> & Filhos');
    expect((await open(path)).text).toContain('de &lt;b>{end}&lt;/b> &amp; Filhos');
  });

  test('a code that nobody was given, or that is none, is a page that is not there', async () => {
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
      const told = await app.call(wrong, { token: null, headers: { accept: 'application/json' } });
      expect([wrong, told.status, told.json.code]).toEqual([wrong, 404, 'not_found']);
    }
    expect(await refusals()).toEqual([]);
  });

  test('what is no wish of the form changes nothing', async () => {
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
