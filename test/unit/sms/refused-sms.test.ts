import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { refuseBody, refuseQuery } from '../../support/declared.ts';

const GOOD = { nome: 'Ana', telefone: '923456789' };

const WRONG: [unknown, string[]][] = [
  [{}, ['/nome required', '/telefone required']],
  [{ nome: null, telefone: null }, ['/nome invalid_type', '/telefone invalid_type']],
  [{ ...GOOD, nome: '' }, ['/nome too_short']],
  [{ ...GOOD, nome: 'x'.repeat(101) }, ['/nome too_long']],
  [{ ...GOOD, nome: 'Ana\nPaulo' }, ['/nome invalid_format']],
  [{ ...GOOD, nome: 'Ana\u202ePaulo' }, ['/nome invalid_format']],
  [{ ...GOOD, nome: 7 }, ['/nome invalid_type']],
  [{ ...GOOD, nome: '\ud83d' }, ['/nome invalid_text']],
  [{ ...GOOD, telefone: '92345678' }, ['/telefone invalid_phone']],
  [{ ...GOOD, telefone: 923456789 }, ['/telefone invalid_type']],
  [{ nome: '', telefone: '1' }, ['/nome too_short', '/telefone invalid_phone']],
];

describe.each(['createSmsContact', 'replaceSmsContact'])('%s', (operationId) => {
  test('accepts a contact', () => {
    expect(refuseBody(operationId, GOOD).code).toBe(null);
  });

  test.each(WRONG)('refuses %j', (body, faults) => {
    expect(refuseBody(operationId, body).faults.toSorted()).toEqual(faults);
  });
});

test.each([
  ['pageNumber=0', '/query/pageNumber too_small'],
  ['pageNumber=1.5', '/query/pageNumber invalid_format'],
  ['pageNumber=1000001', '/query/pageNumber too_big'],
  ['pageSize=0', '/query/pageSize too_small'],
  ['pageSize=101', '/query/pageSize too_big'],
  ['telefone=123', '/query/telefone invalid_phone'],
  ['telefone=', '/query/telefone invalid_phone'],
  [`nome=${'x'.repeat(101)}`, '/query/nome too_long'],
  ['nome=%00', '/query/nome invalid_text'],
])('listSmsContacts refuses ?%s', (query, fault) => {
  expect(refuseQuery('listSmsContacts', query).faults).toContain(fault);
});

describe('createSmsContactList', () => {
  test.each([
    [{}, ['/nome required']],
    [{ nome: 'L', contactoIds: 'abc' }, ['/contactoIds invalid_type']],
    [
      { nome: 'L', contactoIds: [null, randomUUID(), 7] },
      ['/contactoIds/0 invalid_type', '/contactoIds/2 invalid_type'],
    ],
    [{ nome: '', contactoIds: [1] }, ['/contactoIds/0 invalid_type', '/nome too_short']],
  ])('refuses %j', (body, faults) => {
    expect(refuseBody('createSmsContactList', body).faults.toSorted()).toEqual(faults);
  });

  test('refuses more than a thousand contacts', () => {
    const contactoIds = Array.from({ length: 1_001 }, () => randomUUID());
    const { faults, messages } = refuseBody('createSmsContactList', { nome: 'L', contactoIds });
    expect(faults).toEqual(['/contactoIds too_big']);
    expect(messages[0]).toMatch(/1000/);
  });
});

const BODY = { nome: 'Encomenda', conteudo: 'Olá {{nome}}' };

describe.each(['createSmsTemplate', 'updateSmsTemplate'])('%s', (operationId) => {
  test('accepts a template', () => {
    expect(refuseBody(operationId, BODY).code).toBe(null);
  });

  test.each<[object, string[]]>([
    [{ nome: undefined }, ['/nome required']],
    [{ nome: '' }, ['/nome too_short']],
    [{ nome: 'a\nb' }, ['/nome invalid_format']],
    [{ conteudo: undefined }, ['/conteudo required']],
    [{ conteudo: null }, ['/conteudo invalid_type']],
    [{ conteudo: '' }, ['/conteudo too_short']],
    [{ conteudo: 'a\u0007b' }, ['/conteudo invalid_format']],
    [{ conteudo: 'Olá {{nome' }, ['/conteudo placeholder_malformed']],
    [{ nome: '', conteudo: '{{' }, ['/nome too_short', '/conteudo placeholder_malformed']],
    [{ nome: undefined, conteudo: undefined }, ['/nome required', '/conteudo required']],
  ])('refuses %j', (wrong, faults) => {
    expect(refuseBody(operationId, { ...BODY, ...wrong }).faults).toEqual(faults);
  });

  test('refuses values that are too long', () => {
    const { faults } = refuseBody(operationId, { nome: 'x'.repeat(101), conteudo: 'x'.repeat(1_531) });
    expect(faults).toEqual(['/nome too_long', '/conteudo too_long']);
  });

  test.each(['a\0b', 'a\ud800b'])('refuses %j, which PostgreSQL cannot store', (text) => {
    expect(refuseBody(operationId, { nome: text, conteudo: text }).code).toBe('invalid_text');
  });
});

describe('listSentSms', () => {
  test.each<[string, string[]]>([
    ['batchId=x', ['batchId invalid_format']],
    ['batchId=%00', ['batchId invalid_text', 'batchId invalid_format']],
    ['estado=Sent', ['estado invalid_value']],
    ['estado=Enviado&estado=Falhado', ['estado invalid_type']],
    ['numeroDestino=123', ['numeroDestino invalid_phone']],
    ['numeroDestino=%2B351923456789', ['numeroDestino invalid_phone']],
    [
      'numeroDestino=1&estado=x&batchId=x&pageSize=0&pageNumber=0',
      [
        'pageNumber too_small',
        'pageSize too_small',
        'batchId invalid_format',
        'estado invalid_value',
        'numeroDestino invalid_phone',
      ],
    ],
  ])('refuses ?%s', (query, faults) => {
    expect(refuseQuery('listSentSms', query).faults).toEqual(faults.map((fault) => `/query/${fault}`));
  });
});

describe('searchSentSmsInRange', () => {
  test.each([
    ['diaInicio=2&mesInicio=3&anoInicio=2026&diaFim=1&mesFim=3&anoFim=2026', 'must not be before the first day'],
    [
      'diaInicio=1&mesInicio=3&anoInicio=2026&diaFim=2&mesFim=3&anoFim=2027',
      'must be at most one year after the first day',
    ],
  ])('refuses %s with a message', (query, message) => {
    expect(refuseQuery('searchSentSmsInRange', query).messages).toEqual([message]);
  });
});

const SCHEDULE = { dia: 1, mes: 4, ano: 2026, hora: 9, minuto: 30 };
const TO = ['923456789'];
const text = (more: object = {}) => ({ numerosDestino: TO, conteudo: 'Olá', ...more });

const OPERATIONS: Record<string, string> = {
  enviarSms: 'sendSms',
  enviarSmsTemplate: 'sendSmsTemplate',
  enviarSmsParaLista: 'sendSmsToList',
  agendarSms: 'scheduleSms',
};

describe('an SMS sending', () => {
  test.each<[string, string, object, string[]]>([
    ['nothing', 'enviarSms', {}, ['/numerosDestino required', '/conteudo required']],
    ['no number', 'enviarSms', text({ numerosDestino: [] }), ['/numerosDestino too_small']],
    ['a number alone', 'enviarSms', text({ numerosDestino: '923456789' }), ['/numerosDestino invalid_type']],
    [
      'wrong numbers, each',
      'enviarSms',
      text({ numerosDestino: ['923456789', '222123456', '+351912345678', '92345678', ''] }),
      [1, 2, 3, 4].map((index) => `/numerosDestino/${index} invalid_phone`),
    ],
    ['too many', 'enviarSms', text({ numerosDestino: Array(1_001).fill(TO[0]) }), ['/numerosDestino too_big']],
    ['no text', 'enviarSms', text({ conteudo: '' }), ['/conteudo too_short']],
    ['a control character', 'enviarSms', text({ conteudo: 'a\u0007b' }), ['/conteudo invalid_format']],
    ['1531 characters', 'enviarSms', text({ conteudo: 'a'.repeat(1_531) }), ['/conteudo too_long']],
    ['a long sender', 'enviarSms', text({ remetente: 'LojaDaIlhaAO' }), ['/remetente invalid_sender']],
    ['template: nothing', 'enviarSmsTemplate', {}, ['/smsId required', '/numerosDestino required']],
    ['list: nothing', 'enviarSmsParaLista', {}, ['/listaId required', '/conteudo exactly_one']],
    [
      'schedule: nothing',
      'agendarSms',
      {},
      [
        '/dia required',
        '/mes required',
        '/ano required',
        '/hora required',
        '/minuto required',
        '/conteudo exactly_one',
        '/numerosDestino exactly_one',
      ],
    ],
    [
      'schedule: hour 24',
      'agendarSms',
      { ...text(), ...SCHEDULE, hora: 24, minuto: 60 },
      ['/hora too_big', '/minuto too_big'],
    ],
    ['schedule: half a day', 'agendarSms', { ...text(), ...SCHEDULE, dia: 1.5 }, ['/dia invalid_type']],
  ])('is refused with every fault: %s', (_what, path, body, expected) => {
    expect(refuseBody(OPERATIONS[path]!, body).faults.toSorted()).toEqual(expected.toSorted());
  });

  test('is refused with each of a thousand invalid numbers', () => {
    const { code, faults } = refuseBody('sendSms', text({ numerosDestino: Array(1_000).fill('12') }));
    expect(code).toBe('validation_failed');
    expect(faults).toHaveLength(1_000);
    expect(faults[999]).toBe('/numerosDestino/999 invalid_phone');
  });

  test('requires either a text or a template', () => {
    const list = { listaId: randomUUID() };
    for (const body of [
      { ...list, conteudo: 'x', smsId: 'x' },
      list,
      { ...list, conteudo: null },
      { ...list, smsId: null },
    ])
      expect(refuseBody('sendSmsToList', body).faults).toEqual(['/conteudo exactly_one']);
  });
});

describe('updateSmsSender', () => {
  test.each<[unknown, string]>([
    ['', 'invalid_sender'],
    ['LojaDaIlha12', 'invalid_sender'],
    ['12345', 'invalid_sender'],
    ['Pão', 'invalid_sender'],
    ['A B', 'invalid_sender'],
    [' LOJA', 'invalid_sender'],
    ['LOJA\n', 'invalid_sender'],
    ['LOJA-1', 'invalid_sender'],
    ['ＬＯＪＡ', 'invalid_sender'],
    ['+244923456789', 'invalid_sender'],
    [7, 'invalid_type'],
    [['LOJA'], 'invalid_type'],
    [undefined, 'required'],
  ])('refuses the sender %j', (nomeremetenteSms, code) => {
    expect(refuseBody('updateSmsSender', { nomeremetenteSms }).faults).toEqual([`/nomeremetenteSms ${code}`]);
  });

  test.each(['12345', '323456789', 'call me', ''])('refuses the opt-out number %j', (optOutNumber) => {
    const body = { nomeremetenteSms: null, optOutText: 'number', optOutNumber };
    expect(refuseBody('updateSmsSender', body).faults).toEqual(['/optOutNumber invalid_format']);
  });

  test.each(['', 'LINK', null, true])('refuses the opt-out text %j', (optOutText) => {
    const { faults } = refuseBody('updateSmsSender', { nomeremetenteSms: null, optOutText });
    expect(faults.map((fault) => fault.split(' ')[0])).toEqual(['/optOutText']);
  });
});

describe.each([
  ['spaces', ' \u00a0\u2003'],
  ['line breaks', '\r\n\n'],
  ['combining accents', '\u0301\u0316'],
  ['invisible characters', '\u200b\ufeff\u202e'],
])('a text of %s', (_name, conteudo) => {
  test.each([
    ['sendSms', { numerosDestino: TO, conteudo }],
    ['createSmsTemplate', { nome: 'Aviso', conteudo }],
  ])('is refused as missing by %s', (operationId, body) => {
    expect(refuseBody(operationId, body).faults).toEqual(['/conteudo required']);
  });
});
