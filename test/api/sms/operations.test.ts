import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { fill, idsOfNothing, readKept } from '../../support/one-of-each.ts';
import { readFieldFaults } from '../../support/ppr.ts';
import { countRows } from '../../support/rows.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const PAGE = 'pageNumber=0&pageSize=101';
const PAGE_FAULTS = ['/query/pageNumber too_small', '/query/pageSize too_big'];
const CONTACT = { nome: ' ', telefone: '12' };
const CONTACT_FAULTS = ['/nome too_short', '/telefone invalid_phone'];
const TEMPLATE = { nome: 'a\nb', conteudo: 'Olá {{nome' };
const TEMPLATE_FAULTS = ['/nome invalid_format', '/conteudo placeholder_malformed'];
const SMS = { numerosDestino: ['923456789', '12'], remetente: '112' };
const SMS_FAULTS = ['/numerosDestino/1 invalid_phone', '/remetente invalid_sender'];
const DAY = 'dia=31&mes=2&ano=2026';

/** For each operation, an invalid request and its faults. test/unit/sms/refused-sms.test.ts tests single values. */
const INVALID_REQUESTS: Record<string, [sent: object | string, faults: string[]]> = {
  updateSmsSender: [{ nomeremetenteSms: 'Loja AO' }, ['/nomeremetenteSms invalid_sender']],
  listSmsMovements: [`${PAGE}&tipo=x`, [...PAGE_FAULTS, '/query/tipo invalid_value']],
  createSmsContact: [CONTACT, CONTACT_FAULTS],
  replaceSmsContact: [CONTACT, CONTACT_FAULTS],
  listSmsContacts: [`${PAGE}&telefone=x`, [...PAGE_FAULTS, '/query/telefone invalid_phone']],
  createSmsContactList: [{ nome: '', contactoIds: [1] }, ['/nome too_short', '/contactoIds/0 invalid_type']],
  listSmsContactLists: [PAGE, PAGE_FAULTS],
  readSmsContactList: [PAGE, PAGE_FAULTS],
  importSmsContacts: [
    { contactos: [CONTACT], listaId: 'x', novaLista: 'y' },
    [...CONTACT_FAULTS.map((fault) => `/contactos/0${fault}`), '/listaId exactly_one'],
  ],
  addSmsContactToList: [{ listaId: null }, ['/listaId invalid_type', '/contactoId required']],
  createSmsTemplate: [TEMPLATE, TEMPLATE_FAULTS],
  updateSmsTemplate: [TEMPLATE, TEMPLATE_FAULTS],
  listSmsTemplates: [PAGE, PAGE_FAULTS],
  searchSmsTemplates: [`${PAGE}&${DAY}`, [...PAGE_FAULTS, '/query/dia impossible_date']],
  sendSms: [{ ...SMS, conteudo: 'a\u0007b' }, [...SMS_FAULTS, '/conteudo invalid_format']],
  sendSmsTemplate: [{ ...SMS, valores: 1 }, [...SMS_FAULTS, '/smsId required', '/valores invalid_type']],
  sendSmsToList: [{ remetente: '112' }, ['/listaId required', '/remetente invalid_sender', '/conteudo exactly_one']],
  previewSms: [
    { ...SMS, listaId: 'x', conteudo: 'a', hora: 24 },
    [
      ...SMS_FAULTS,
      '/numerosDestino exactly_one',
      ...['dia', 'mes', 'ano', 'minuto'].map((part) => `/${part} required`),
      '/hora too_big',
    ],
  ],
  scheduleSms: [
    { ...SMS, dia: 1, mes: 4, ano: 2026, hora: 24, minuto: 60 },
    [...SMS_FAULTS, '/hora too_big', '/minuto too_big', '/conteudo exactly_one'],
  ],
  listScheduledSms: [`${PAGE}&estado=x`, [...PAGE_FAULTS, '/query/estado invalid_value']],
  listSentSms: [
    `${PAGE}&numeroDestino=1&estado=x&batchId=x`,
    [
      ...PAGE_FAULTS,
      '/query/batchId invalid_format',
      '/query/estado invalid_value',
      '/query/numeroDestino invalid_phone',
    ],
  ],
  listSmsOptOuts: ['limit=0&phone=1', ['/query/limit too_small', '/query/phone invalid_phone']],
  createSmsOptOut: [{ phone: '12' }, ['/phone invalid_phone']],
  searchSentSms: [`${PAGE}&${DAY}`, [...PAGE_FAULTS, '/query/dia impossible_date']],
  searchSentSmsInRange: [
    `${PAGE}&diaInicio=2&mesInicio=3&anoInicio=2026&diaFim=1&mesFim=3&anoFim=2026`,
    [...PAGE_FAULTS, '/query/diaFim range_reversed'],
  ],
};

const listRoutes = () =>
  app.node.app.routes.filter(({ tag, body, query, isHidden }) => tag === 'SMS' && !isHidden && (body ?? query));

test('the table of faults has every SMS operation that has input', () => {
  expect(Object.keys(INVALID_REQUESTS).toSorted()).toEqual(
    listRoutes()
      .map(({ operationId }) => operationId)
      .toSorted(),
  );
});

test.each(Object.entries(INVALID_REQUESTS))(
  '%s returns one 400 with all faults',
  async (operationId, [sent, faults]) => {
    const { method, path } = listRoutes().find((route) => route.operationId === operationId)!;
    const ids = idsOfNothing({ contactoId: '', listaId: '', templateId: '' });
    const before = await readKept(app);
    const reply =
      typeof sent === 'string'
        ? await app.call(`${fill(path, ids)}?${sent}`, { method })
        : await app.call(fill(path, ids), { method, body: sent });
    expect([reply.status, reply.json.code]).toEqual([400, 'validation_failed']);
    expect(readFieldFaults(reply).toSorted()).toEqual(faults.toSorted());
    expect(await readKept(app)).toEqual(before);
  },
);

describe('the Idempotency-Key', () => {
  type Ids = Record<'contactoId' | 'listaId' | 'templateId' | 'agendamentoId' | 'optOutId', string>;
  const contact = { nome: 'Ana', telefone: '923456789' };
  const template = { nome: 'Aviso', conteudo: 'Olá' };
  const text = { numerosDestino: ['923456789'], conteudo: 'Olá' };
  const when = { dia: 1, mes: 4, ano: 2026, hora: 9, minuto: 30 };
  const BODIES: Record<string, (ids: Ids) => object | undefined> = {
    updateSmsSender: () => ({ nomeremetenteSms: 'LOJA' }),
    createSmsContact: () => contact,
    replaceSmsContact: () => contact,
    removeSmsContact: () => undefined,
    importSmsContacts: () => ({ contactos: [contact], novaLista: 'Importada' }),
    createSmsContactList: ({ contactoId }) => ({ nome: 'L', contactoIds: [contactoId] }),
    removeSmsContactList: () => undefined,
    addSmsContactToList: ({ contactoId, listaId }) => ({ contactoId, listaId }),
    removeSmsContactFromList: () => undefined,
    createSmsTemplate: () => template,
    updateSmsTemplate: () => template,
    deleteSmsTemplate: () => undefined,
    sendSms: () => text,
    sendSmsTemplate: ({ templateId }) => ({ smsId: templateId, numerosDestino: ['923456789'] }),
    sendSmsToList: ({ listaId }) => ({ listaId, conteudo: 'Olá' }),
    scheduleSms: () => ({ ...text, ...when }),
    cancelScheduledSms: () => undefined,
    createSmsOptOut: () => ({ phone: '923456780' }),
    deleteSmsOptOut: () => undefined,
  };

  const keyed = () => app.node.app.routes.filter(({ tag, idempotent }) => tag === 'SMS' && idempotent);

  async function makeThings(): Promise<Ids> {
    const make = async (path: string, body: object) => (await app.call(`/api/${path}`, { body })).json;
    const { contactoId } = await make('Contactos/CadastrarContacto', contact);
    const { listaId } = await make('Contactos/CriarListaDeContactos', { nome: 'VIP', contactoIds: [contactoId] });
    const { id: templateId } = await make('TemplatesSMS/CriarTemplate', template);
    const { agendamentoId } = await make('Envio/agendarSms', { ...text, ...when });
    const { id: optOutId } = await make('sms/opt-outs', { phone: '923456781' });
    return { contactoId, listaId, templateId, agendamentoId, optOutId };
  }

  test('is tested for every operation that supports it', () => {
    const operations = keyed().map(({ operationId }) => operationId);
    expect(Object.keys(BODIES).toSorted()).toEqual(operations.toSorted());
  });

  test.each(Object.entries(BODIES))(
    'of %s returns the first response again without another effect',
    async (operationId, bodyOf) => {
      const { method, path } = keyed().find((route) => route.operationId === operationId)!;
      const ids = await makeThings();
      const body = bodyOf(ids);
      const headers = { 'idempotency-key': randomUUID() };
      const send = (changes = {}) =>
        app.call(fill(path, ids), { method, headers, ...(body && { body: { ...body, ...changes } }) });
      const first = await send();
      expect(first.status, first.text).toBeLessThan(300);
      const before = await countRows(app);
      const again = await send();
      expect([again.status, again.text]).toEqual([first.status, first.text]);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
      expect(await countRows(app)).toEqual(before);
      if (body) expect(await send({ remetente: 'OUTRA', nome: 'Outra' })).toMatchObject({ status: 422 });
    },
  );
});

test('a path in other letter case returns 404', async () => {
  const body = { numerosDestino: ['923456789'], conteudo: 'x' };
  expect((await app.call('/api/envio/EnviarSms', { body })).status).toBe(404);
});

describe('the error message of a fault', () => {
  const headers = { 'accept-language': 'pt' };

  test('is in the language of the request', async () => {
    const body = { nome: 'Ana', telefone: '123' };
    const { json } = await app.call('/api/Contactos/CadastrarContacto', { body, headers });
    expect(json).toMatchObject({
      code: 'validation_failed',
      errors: [{ pointer: '/telefone', code: 'invalid_phone' }],
    });
    expect(json.errors[0].message).toMatch(/Angola|angolan/i);
  });

  test.each([
    ['POST', '/api/TemplatesSMS/CriarTemplate'],
    ['PUT', `/api/TemplatesSMS/AtualizarTemplate/${randomUUID()}`],
  ])('contains the wrong braces of a template: %s %s', async (method, path) => {
    const { json } = await app.call(path, { method, body: { nome: 'Encomenda', conteudo: '{{' }, headers });
    expect(json.errors[0].message).toMatch(/^tem chavetas que não formam \{\{chave\}\}/);
  });
});
