// GET /openapi.json: every declared route is in it with its access, its parameters and its answers; and requests are as it says. That answers are is held wherever a test gets one (test/support/contract.ts).
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { needsToken } from '../../../server/http/route.ts';
import { declaredRoutes } from '../../support/declared.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { webframe } from '../../support/payments.ts';
import { byReference, PPR } from '../../support/ppr.ts';

let app: TestApp;
let document: any;
beforeAll(async () => {
  app = await startTestApp();
  const reply = await app.call('/openapi.json', { token: null });
  expect(reply.status).toBe(200);
  expect(reply.headers.get('access-control-allow-origin')).toBe('*');
  document = reply.json;
});

const operations = (): { path: string; method: string; operation: any }[] =>
  Object.entries<Record<string, any>>(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
const operationOf = (path: string, method: string) => document.paths[path]?.[method.toLowerCase()];

/** Every operation of SMS (decisions §8). */
const SMS_ROWS = [
  ['GET', '/api/sms/opt-outs'],
  ['POST', '/api/sms/opt-outs'],
  ['DELETE', '/api/sms/opt-outs/{optOutId}'],
  ['GET', '/api/ContaSms/ObterConta'],
  ['PUT', '/api/ContaSms/AtualizarRemetente'],
  ['GET', '/api/ContaSms/ObterSaldo'],
  ['GET', '/api/ContaSms/ListarMovimentos'],
  ['POST', '/api/Contactos/CadastrarContacto'],
  ['PUT', '/api/Contactos/AtualizarContacto/{contactoId}'],
  ['GET', '/api/Contactos/ListarContactos'],
  ['GET', '/api/Contactos/ObterContactoPorId/{contactoId}'],
  ['DELETE', '/api/Contactos/DeletarContacto/{contactoId}'],
  ['POST', '/api/Contactos/CriarListaDeContactos'],
  ['GET', '/api/Contactos/ListarListasDeContactos'],
  ['GET', '/api/Contactos/ObterListaDeContactosPorId/{listaId}'],
  ['POST', '/api/Contactos/AdicionarContactoALista'],
  ['DELETE', '/api/Contactos/RemoverContactoDaLista/{listaId}/{contactoId}'],
  ['DELETE', '/api/Contactos/DeletarListaDeContactos/{listaId}'],
  ['POST', '/api/TemplatesSMS/CriarTemplate'],
  ['PUT', '/api/TemplatesSMS/AtualizarTemplate/{templateId}'],
  ['GET', '/api/TemplatesSMS/ObterTemplatesSmsPorId/{templateId}'],
  ['GET', '/api/TemplatesSMS/ListarTemplates'],
  ['GET', '/api/TemplatesSMS/pesquisarTemplateSMSporData'],
  ['DELETE', '/api/TemplatesSMS/DeletarTemplate/{templateId}'],
  ['POST', '/api/Contactos/ImportarContactos'],
  ['POST', '/api/Envio/PreverSms'],
  ['POST', '/api/Envio/enviarSms'],
  ['POST', '/api/Envio/enviarSmsTemplate'],
  ['POST', '/api/Envio/enviarSmsParaLista'],
  ['POST', '/api/Envio/agendarSms'],
  ['GET', '/api/Envio/ListarSmsAgendadas'],
  ['DELETE', '/api/Envio/CancelarAgendamento/{agendamentoId}'],
  ['GET', '/api/Envio/ListarSmsEnviadas'],
  ['GET', '/api/Envio/PesquisarSMSEnviados'],
  ['GET', '/api/Envio/pesquisarEnviosPorIntervaloDeDatas'],
] as const;

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
  // What unit tests hold of the document, they hold of all of it.
  const known = declaredRoutes.filter((route) => !route.isHidden).map(({ method, path }) => `${method} ${path}`);
  expect(known.toSorted()).toEqual(declared);
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

describe('what is asked is what is described', () => {
  const inline = (pointer: string): any =>
    JSON.parse(JSON.stringify(resolve(pointer)), (_key, value) => (value?.$ref ? inline(value.$ref) : value));

  test('SMS has these operations and no others', () => {
    const declared = operations().filter(({ operation }) => operation.tags.includes('SMS'));
    const named = declared.map(({ method, path }) => `${method} ${path}`).toSorted();
    expect(named).toEqual(SMS_ROWS.map(([method, path]) => `${method} ${path}`).toSorted());
  });

  test.each(SMS_ROWS)('the example is as described: %s %s', (method, path) => {
    const content = operationOf(path, method).requestBody?.content['application/json'];
    if (!content) return expect(method).toMatch(/GET|DELETE/);
    const schema = JSON.parse(JSON.stringify(content.schema), (_key, value) =>
      value?.$ref ? inline(value.$ref) : value,
    );
    expect(z.fromJSONSchema(schema).safeParse(content.example).error?.issues ?? []).toEqual([]);
  });

  test('what is described is taken, and what is taken is described', async () => {
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
