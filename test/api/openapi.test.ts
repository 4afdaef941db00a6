// GET /openapi.json: every declared route is in it with its access, its parameters and its answers; and answers are as it says.
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { needsToken } from '../../server/http/route.ts';
import { DEMO } from '../../sandbox/seed.ts';
import { startTestApp, until, type Reply, type TestApp } from '../support/app.ts';
import { create, webframe } from '../support/payments.ts';
import { byReference, createPayable, createReference, pay, PPR, reference } from '../support/ppr.ts';
import { createCode, qrcode } from '../support/qrcodes.ts';
import { ACCESS_KEY, RECEIVER_ENV, startReceiver, type Receiver } from '../support/receiver.ts';

let app: TestApp;
let merchant: Receiver;
let document: any;
beforeAll(async () => {
  merchant = await startReceiver();
  CALLED.url = merchant.url;
  app = await startTestApp({ env: RECEIVER_ENV });
  const reply = await app.call('/openapi.json', { token: null });
  expect(reply.status).toBe(200);
  expect(reply.headers.get('access-control-allow-origin')).toBe('*');
  document = reply.json;
});

const operations = (): { path: string; method: string; operation: any }[] =>
  Object.entries<Record<string, any>>(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
const ENDPOINT = '/api/merchants/{merchantId}/callback';
const OWN_ENDPOINT = ENDPOINT.replace('{merchantId}', DEMO.merchantId);
const WEBHOOK = '/api/webhooks/{webhookId}';

/** A receiver of the demo merchant's. */
const CALLED = { url: '', accessKey: ACCESS_KEY };

const operationOf = (path: string, method: string) => document.paths[path]?.[method.toLowerCase()];

/** A callback of the demo merchant's that was delivered. */
async function told(): Promise<string> {
  const made = await createPayable(app);
  await pay(app, made);
  const path = `/api/callbacks?status=Delivered&paymentId=${made.internalId}`;
  return until(async () => (await app.call(path)).json.data[0]?.id, 'the callback being delivered');
}

const ownWebhook = async () => `/api/webhooks/${(await app.call('/api/webhooks', { body: CALLED })).json.id}`;

/** Something of each kind that SMS has, with a message that was sent. */
async function makeSms() {
  const make = async (path: string, body: object) => (await app.call(path, { body })).json;
  const { contactoId } = await make('/api/Contactos/CadastrarContacto', { nome: 'Ana', telefone: '923456789' });
  const { listaId } = await make('/api/Contactos/CriarListaDeContactos', { nome: 'VIP', contactoIds: [contactoId] });
  const { id: templateId } = await make('/api/TemplatesSMS/CriarTemplate', { nome: 'Aviso', conteudo: 'Olá {{nome}}' });
  await make('/api/Envio/enviarSms', { numerosDestino: ['923456789'], conteudo: 'Olá' });
  const { agendamentoId } = await make('/api/Envio/agendarSms', { ...WHEN, listaId, smsId: templateId });
  return { contactoId, listaId, templateId, agendamentoId };
}

const WHEN = { dia: 1, mes: 4, ano: 2026, hora: 9, minuto: 30 };

type Made = Awaited<ReturnType<typeof makeSms>>;

/** Every operation of SMS (decisions §8): what it answers, and what it is sent (a text: the query). */
const SMS_ROWS: [string, string, number, (object | string | ((made: Made) => object))?][] = [
  ['GET', '/api/ContaSms/ObterConta', 200],
  ['PUT', '/api/ContaSms/AtualizarRemetente', 200, { nomeremetenteSms: 'LOJA' }],
  ['GET', '/api/ContaSms/ObterSaldo', 200],
  ['GET', '/api/ContaSms/ListarMovimentos', 200, '?tipo=Debito'],
  ['POST', '/api/Contactos/CadastrarContacto', 201, { nome: 'Rui', telefone: '912345678' }],
  ['PUT', '/api/Contactos/AtualizarContacto/{contactoId}', 200, { nome: 'Rui', telefone: '912345678' }],
  ['GET', '/api/Contactos/ListarContactos', 200],
  ['GET', '/api/Contactos/ObterContactoPorId/{contactoId}', 200],
  ['DELETE', '/api/Contactos/DeletarContacto/{contactoId}', 200],
  ['POST', '/api/Contactos/CriarListaDeContactos', 201, ({ contactoId }) => ({ nome: 'A', contactoIds: [contactoId] })],
  ['GET', '/api/Contactos/ListarListasDeContactos', 200],
  ['GET', '/api/Contactos/ObterListaDeContactosPorId/{listaId}', 200],
  ['POST', '/api/Contactos/AdicionarContactoALista', 200, ({ listaId, contactoId }) => ({ listaId, contactoId })],
  ['DELETE', '/api/Contactos/RemoverContactoDaLista/{listaId}/{contactoId}', 200],
  ['DELETE', '/api/Contactos/DeletarListaDeContactos/{listaId}', 200],
  ['POST', '/api/TemplatesSMS/CriarTemplate', 201, { nome: 'A', conteudo: 'Olá {{nome}}' }],
  ['PUT', '/api/TemplatesSMS/AtualizarTemplate/{templateId}', 200, { nome: 'A', conteudo: 'Olá' }],
  ['GET', '/api/TemplatesSMS/ObterTemplatesSmsPorId/{templateId}', 200],
  ['GET', '/api/TemplatesSMS/ListarTemplates', 200],
  ['GET', '/api/TemplatesSMS/pesquisarTemplateSMSporData', 200, '?dia=2&mes=3&ano=2026'],
  ['DELETE', '/api/TemplatesSMS/DeletarTemplate/{templateId}', 200],
  ['POST', '/api/Envio/enviarSms', 200, { numerosDestino: ['923456789'], conteudo: 'Olá' }],
  [
    'POST',
    '/api/Envio/enviarSmsTemplate',
    200,
    ({ templateId: smsId }) => ({ smsId, numerosDestino: ['923456789'], valores: { nome: 'Ana' } }),
  ],
  ['POST', '/api/Envio/enviarSmsParaLista', 200, ({ listaId, templateId: smsId }) => ({ listaId, smsId })],
  ['POST', '/api/Envio/agendarSms', 201, ({ listaId }) => ({ ...WHEN, listaId, conteudo: 'Olá' })],
  ['GET', '/api/Envio/ListarSmsAgendadas', 200, '?estado=Agendado'],
  ['DELETE', '/api/Envio/CancelarAgendamento/{agendamentoId}', 200],
  ['GET', '/api/Envio/ListarSmsEnviadas', 200, '?pageNumber=1&pageSize=5'],
  ['GET', '/api/Envio/PesquisarSMSEnviados', 200, '?dia=2&mes=3&ano=2026'],
  [
    'GET',
    '/api/Envio/pesquisarEnviosPorIntervaloDeDatas',
    200,
    '?diaInicio=1&mesInicio=3&anoInicio=2026&diaFim=2&mesFim=3&anoFim=2026',
  ],
];

/** What a `#/…` reference points to. */
const resolve = (pointer: string) =>
  pointer
    .slice(2)
    .split('/')
    .reduce((value, key) => value?.[key.replaceAll('~1', '/').replaceAll('~0', '~')], document);

test('names itself, its version and its server', () => {
  expect(document).toMatchObject({
    openapi: expect.stringMatching(/^3\.1\.\d$/),
    info: { title: 'Balcão', version: '0.1.0' },
    servers: [{ url: app.node.core.publicUrl }],
  });
});

test('has every published route, and no other', () => {
  const published = app.node.app.routes.filter((route) => !route.isHidden);
  const declared = published.map(({ method, path }) => `${method} ${path}`).toSorted();
  expect(
    operations()
      .map(({ method, path }) => `${method} ${path}`)
      .toSorted(),
  ).toEqual(declared);
  expect(declared).toContain('POST /api/payments');
});

test('each has a name of its own, a summary, and says who may call it', () => {
  const names = operations().map(({ operation }) => operation.operationId);
  expect(new Set(names).size).toBe(names.length);
  for (const { access, isHidden, path, method } of app.node.app.routes) {
    if (isHidden) continue;
    const operation = operationOf(path, method);
    expect(operation.summary, path).toMatch(/\S/);
    expect(operation.security, path).toEqual(needsToken(access) ? [{ bearer: [] }] : []);
    if (access.kind === 'bearer') expect(operation.description).toContain(`\`${access.scope}\``);
    if (needsToken(access)) {
      expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['401', '403']));
    }
  }
  expect(document.components.securitySchemes.bearer).toMatchObject({ type: 'http', scheme: 'bearer' });
});

describe('what is answered is what is described', () => {
  /** The described schema as zod reads it, references resolved. */
  const schemaOf = (path: string, method: string, status: number, type = 'application/json') => {
    const { schema } = operationOf(path, method).responses[status].content[type];
    const inlined = JSON.parse(JSON.stringify(schema), (_key, value) => (value?.$ref ? inline(value.$ref) : value));
    return z.fromJSONSchema(inlined);
  };
  const inline = (pointer: string): any =>
    JSON.parse(JSON.stringify(resolve(pointer)), (_key, value) => (value?.$ref ? inline(value.$ref) : value));

  test.each([
    [
      'POST',
      '/api/payments',
      () => app.call('/api/payments', { body: webframe({ metadata: { custom: { a: [1] } } }) }),
      201,
    ],
    [
      'POST',
      '/api/payments',
      () => app.call('/api/payments', { body: qrcode(), headers: { prefer: 'return=representation' } }),
      201,
    ],
    ['GET', '/api/payments', () => app.call('/api/payments'), 200],
    [
      'POST',
      '/api/payments/{internalPaymentId}/cancel',
      async () => app.call(`/api/payments/${(await create(app, webframe())).id}/cancel`, { method: 'POST' }),
      200,
    ],
    ['GET', '/api/terminals/{posId}', () => app.call('/api/terminals/demo-pos'), 200],
    ['GET', '/api/terminals/{posId}/close', () => app.call('/api/terminals/demo-pos/close'), 200],
    ['GET', '/api/terminals/{posId}/open', () => app.call('/api/terminals/demo-pos/open'), 200],
    [
      'GET',
      '/api/payments/{paymentId}',
      async () => app.call(`/api/payments/${(await create(app, webframe())).id}`),
      200,
    ],
    [
      'GET',
      '/api/payments/{paymentId}/events',
      async () => app.call(`/api/payments/${(await create(app, webframe())).id}/events`),
      200,
    ],
    [
      'POST',
      '/api/payments/{paymentId}/sync',
      async () => app.call(`/api/payments/${(await create(app, webframe())).id}/sync`, { method: 'POST' }),
      200,
    ],
    [
      'GET',
      '/checkout/{clientToken}/session',
      async () => app.call(`/checkout/${(await create(app, webframe())).clientToken}/session`),
      200,
    ],
    [
      'POST',
      '/api/payments',
      () => app.call('/api/payments', { body: byReference({ customerName: 'Ana', custom: { a: [1] } }) }),
      201,
    ],
    [
      'GET',
      '/api/payments/{paymentId}',
      async () => app.call(`/api/payments/${(await createReference(app)).reference}`),
      200,
    ],
    ['POST', PPR, () => app.call(PPR, { body: reference({ customMetadata: { a: [1] } }) }), 201],
    ['POST', `${PPR}/legacy`, () => app.call(`${PPR}/legacy`, { body: { referenceType: 'Charging' } }), 201],
    ['POST', `${PPR}/bulk`, () => app.call(`${PPR}/bulk`, { body: { references: [reference()] } }), 201],
    ['GET', PPR, () => app.call(PPR), 200],
    ['GET', `${PPR}/{pprReference}`, async () => app.call(`${PPR}/${(await createReference(app)).reference}`), 200],
    [
      'GET',
      `${PPR}/{pprReference}/history`,
      async () => app.call(`${PPR}/${(await createReference(app)).reference}/history`),
      200,
    ],
    [
      'POST',
      `${PPR}/{pprReference}/cancel`,
      async () => app.call(`${PPR}/${(await createReference(app)).reference}/cancel`, { method: 'POST' }),
      200,
    ],
    [
      'GET',
      '/checkout/{clientToken}/session',
      async () => app.call(`/checkout/${(await createReference(app)).clientToken}/session`),
      200,
    ],
    ['PUT', ENDPOINT, () => app.call(OWN_ENDPOINT, { method: 'PUT', body: CALLED }), 200],
    ['GET', ENDPOINT, () => app.call(OWN_ENDPOINT), 200],
    ['POST', '/api/callbacks/test', () => app.call('/api/callbacks/test', { method: 'POST' }), 200],
    ['GET', '/api/callbacks', () => app.call('/api/callbacks'), 200],
    ['GET', '/api/callbacks/{deliveryId}', async () => app.call(`/api/callbacks/${await told()}`), 200],
    [
      'POST',
      '/api/callbacks/{deliveryId}/replay',
      async () => app.call(`/api/callbacks/${await told()}/replay`, { method: 'POST' }),
      202,
    ],
    ['POST', '/api/callbacks/replay', () => app.call('/api/callbacks/replay', { method: 'POST' }), 202],
    ['POST', '/api/webhooks', () => app.call('/api/webhooks', { body: CALLED }), 201],
    ['GET', '/api/webhooks', () => app.call('/api/webhooks'), 200],
    ['GET', WEBHOOK, async () => app.call(await ownWebhook()), 200],
    ['PUT', WEBHOOK, async () => app.call(await ownWebhook(), { method: 'PUT', body: CALLED }), 200],
    [
      'POST',
      `${WEBHOOK}/rotate-secret`,
      async () => app.call(`${await ownWebhook()}/rotate-secret`, { method: 'POST' }),
      200,
    ],
    ['POST', `${WEBHOOK}/test`, async () => app.call(`${await ownWebhook()}/test`, { method: 'POST' }), 200],
    ['GET', `${WEBHOOK}/deliveries`, async () => app.call(`${await ownWebhook()}/deliveries`), 200],
    ...SMS_ROWS.map(([method, path, status, sent]): [string, string, () => Promise<Reply>, number] => [
      method,
      path,
      async () => {
        const made = await makeSms();
        const at = path.replaceAll(/\{(\w+)\}/g, (_, name: keyof typeof made) => made[name]);
        const body = typeof sent === 'function' ? sent(made) : sent;
        return app.call(at + (typeof body === 'string' ? body : ''), {
          method,
          ...(typeof body === 'object' && { body }),
        });
      },
      status,
    ]),
    ['GET', '/.well-known/jwks.json', () => app.call('/.well-known/jwks.json'), 200],
    ['GET', '/readyz', () => app.call('/readyz'), 200],
  ])('%s %s', async (method, path, send, status) => {
    const reply = await send();
    expect(reply.status).toBe(status);
    const checked = schemaOf(path, method, status).safeParse(reply.json);
    expect(checked.error?.issues ?? []).toEqual([]);
  });

  test('SMS has these operations and no others', () => {
    const declared = operations().filter(({ operation }) => operation.tags.includes('SMS'));
    const named = declared.map(({ method, path }) => `${method} ${path}`).toSorted();
    expect(named).toEqual(SMS_ROWS.map(([method, path]) => `${method} ${path}`).toSorted());
  });

  test.each(SMS_ROWS.map(([method, path]) => [method, path] as const))(
    'the example is as described: %s %s',
    (method, path) => {
      const content = operationOf(path, method).requestBody?.content['application/json'];
      if (!content) return expect(method).toMatch(/GET|DELETE/);
      const schema = JSON.parse(JSON.stringify(content.schema), (_key, value) =>
        value?.$ref ? inline(value.$ref) : value,
      );
      expect(z.fromJSONSchema(schema).safeParse(content.example).error?.issues ?? []).toEqual([]);
    },
  );

  test('the images of a code too', async () => {
    const { id } = await createCode(app);
    const replies = [
      ['/api/payments', 'POST', await app.call('/api/payments', { body: qrcode() })],
      ['/api/payments/{paymentId}/qrcode', 'GET', await app.call(`/api/payments/${id}/qrcode`)],
    ] as const;
    for (const [path, method, reply] of replies) {
      const described = operationOf(path, method).responses[200].content;
      expect(Object.keys(described), path).toEqual([reply.headers.get('content-type')]);
    }
  });

  test('a refusal too', async () => {
    const reply = await app.call('/api/payments', { body: { amount: 'x' } });
    const checked = schemaOf('/api/payments', 'POST', 400, 'application/problem+json').safeParse(reply.json);
    expect(checked.error?.issues ?? []).toEqual([]);
    expect(schemaOf('/api/payments', 'POST', 400, 'application/problem+json').safeParse({}).success).toBe(false);
  });

  test('a request too: what is described is taken, and what is taken is described', async () => {
    const bodyOf = (path: string) => {
      const { schema } = operationOf(path, 'POST').requestBody.content['application/json'];
      const inlined = JSON.parse(JSON.stringify(schema), (_key, value) => (value?.$ref ? inline(value.$ref) : value));
      return z.fromJSONSchema(inlined);
    };
    const single = { amount: 1, reference: '012345678', expiryDate: '2027-01-31', customMetadata: { a: 1 } };
    const bodies: [string, object][] = [
      [PPR, single],
      [PPR, { referenceType: 'Charging' }],
      [`${PPR}/legacy`, { ...single, reference: '112345678' }],
      [`${PPR}/bulk`, { references: [{ amount: 1 }, { referenceType: 'Charging' }] }],
      ['/api/payments', byReference({ customerEmail: 'a@b.c', custom: {} }, { reference: '' })],
      ['/api/payments', webframe()],
    ];
    for (const [path, body] of bodies) {
      expect([path, bodyOf(path).safeParse(body).error?.issues ?? []]).toEqual([path, []]);
      expect((await app.call(path, { body })).status).toBe(201);
    }
    for (const [path, body] of [
      [PPR, { amount: 1, reference: '1' }],
      [`${PPR}/bulk`, { references: [] }],
    ] as const) {
      expect((await app.call(path, { body })).status).toBe(400);
    }
  });
});
