// SMS contacts refused: each wrong field by its name, all at once, and nothing of another merchant's.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Reply, type TestApp } from '../support/app.ts';
import { openBook, type Book } from '../support/sms-contacts.ts';

let app: TestApp;
let book: Book;
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(async () => {
  book = await openBook(app);
});
afterAll(() => app?.stop());

const faultsOf = ({ json }: Reply) => json.errors.map(({ pointer, code }: any) => `${pointer} ${code}`);
const total = async () => (await book.call('ListarContactos')).json.totalItems;
const GOOD = { nome: 'Ana', telefone: '923456789' };

const WRONG: [unknown, string[]][] = [
  [{}, ['/nome required', '/telefone required']],
  [{ nome: null, telefone: null }, ['/nome invalid_type', '/telefone invalid_type']],
  [{ ...GOOD, nome: '' }, ['/nome too_short']],
  [{ ...GOOD, nome: '   ' }, ['/nome too_short']],
  [{ ...GOOD, nome: 'x'.repeat(101) }, ['/nome too_long']],
  [{ ...GOOD, nome: 'Ana\nPaulo' }, ['/nome invalid_format']],
  [{ ...GOOD, nome: 'Ana\u202ePaulo' }, ['/nome invalid_format']],
  [{ ...GOOD, nome: 7 }, ['/nome invalid_type']],
  [{ ...GOOD, nome: 'A\u0000' }, ['/nome invalid_text']],
  [{ ...GOOD, nome: '\ud83d' }, ['/nome invalid_text']],
  [{ nome: 'Ana' }, ['/telefone required']],
  ...['', '92345678', '9234567890', '823456789', '+351923456789', '923-456-789', '٩٢٣٤٥٦٧٨٩', '+244+244923456789'].map(
    (telefone): [unknown, string[]] => [{ ...GOOD, telefone }, ['/telefone invalid_phone']],
  ),
  [{ ...GOOD, telefone: 923456789 }, ['/telefone invalid_type']],
  [{ ...GOOD, telefone: ['923456789'] }, ['/telefone invalid_type']],
  [{ nome: '', telefone: '1' }, ['/nome too_short', '/telefone invalid_phone']],
];

describe.each(WRONG)('%j', (body, faults) => {
  test('makes none', async () => {
    const reply = await book.call('CadastrarContacto', { body });
    expect([reply.status, faultsOf(reply).toSorted()]).toEqual([400, faults]);
    expect(await total()).toBe(0);
  });

  test('changes none', async () => {
    const { contactoId } = await book.contact();
    const reply = await book.call(`AtualizarContacto/${contactoId}`, { method: 'PUT', body });
    expect([reply.status, faultsOf(reply).toSorted()]).toEqual([400, faults]);
    expect((await book.call(`ObterContactoPorId/${contactoId}`)).json).toMatchObject({ nome: 'Ana Paulo' });
  });
});

test.each([
  ['{"nome":', 400, 'malformed_json'],
  ['', 400, 'validation_failed'],
  ['[]', 400, 'validation_failed'],
])('the body %j', async (body, status, code) => {
  const reply = await book.call('CadastrarContacto', { method: 'POST', body });
  expect([reply.status, reply.json.code]).toEqual([status, code]);
});

test('a wrong number alone is told as such, in Portuguese too', async () => {
  const headers = { 'accept-language': 'pt' };
  const { json } = await book.call('CadastrarContacto', { body: { ...GOOD, telefone: '123' }, headers });
  expect(json).toMatchObject({ code: 'validation_failed', errors: [{ pointer: '/telefone', code: 'invalid_phone' }] });
  expect(json.errors[0].message).toMatch(/Angola|angolan/i);
});

test.each([
  ['pageNumber=0', '/query/pageNumber too_small'],
  ['pageNumber=-1', '/query/pageNumber invalid_format'],
  ['pageNumber=1.5', '/query/pageNumber invalid_format'],
  ['pageNumber=', '/query/pageNumber invalid_format'],
  ['pageNumber=1000001', '/query/pageNumber too_big'],
  ['pageSize=0', '/query/pageSize too_small'],
  ['pageSize=101', '/query/pageSize too_big'],
  ['pageSize=vinte', '/query/pageSize invalid_format'],
  ['pageSize=1&pageSize=2', '/query/pageSize invalid_type'],
  ['telefone=123', '/query/telefone invalid_phone'],
  ['telefone=', '/query/telefone invalid_phone'],
  [`nome=${'x'.repeat(101)}`, '/query/nome too_long'],
  ['nome=a&nome=b', '/query/nome invalid_type'],
  ['nome=%00', '/query/nome invalid_text'],
])('the list does not take ?%s', async (query, fault) => {
  const reply = await book.call(`ListarContactos?${query}`);
  expect([reply.status, faultsOf(reply)]).toEqual([400, [fault]]);
});

test('the list names all faults of its query at once', async () => {
  const reply = await book.call('ListarContactos?pageNumber=x&pageSize=x&telefone=x');
  expect(faultsOf(reply).toSorted()).toEqual([
    '/query/pageNumber invalid_format',
    '/query/pageSize invalid_format',
    '/query/telefone invalid_phone',
  ]);
});

const ASKED = [
  ['GET', 'ObterContactoPorId', undefined],
  ['PUT', 'AtualizarContacto', { nome: 'Outro', telefone: '911111111' }],
  ['DELETE', 'DeletarContacto', undefined],
] as const;

describe.each(ASKED)('%s %s', (method, path, body) => {
  test.each([
    ['nothing', () => randomUUID()],
    ['no id', () => 'abc'],
    ['an id with something behind it', () => `${randomUUID()}0`],
    ['SQL', () => encodeURIComponent("' or true --")],
  ])('of %s is not found', async (_name, id) => {
    const reply = await book.call(`${path}/${id()}`, { method, body });
    expect([reply.status, reply.json.code]).toEqual([404, 'not_found']);
  });

  test('of another merchant’s is not found, and stays as it is', async () => {
    const stranger = await openBook(app);
    const contact = await stranger.contact();
    const reply = await book.call(`${path}/${contact.contactoId}`, { method, body });
    const missing = await book.call(`${path}/${randomUUID()}`, { method, body });
    const { instance: _, ...told } = reply.json;
    expect([reply.status, missing.json]).toEqual([404, expect.objectContaining(told)]);
    expect((await stranger.call(`ObterContactoPorId/${contact.contactoId}`)).json).toEqual(contact);
  });
});

test('a refusal leaves the key free', async () => {
  const headers = { 'idempotency-key': randomUUID() };
  expect((await book.call('CadastrarContacto', { body: {}, headers })).status).toBe(400);
  expect((await book.call('CadastrarContacto', { body: GOOD, headers })).status).toBe(201);
});
