// What SMS refuses by its schemas: contacts, lists, templates, sendings and the queries of their lists, each fault by its pointer.
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { refuseBody, refuseQuery } from '../../support/declared.ts';

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
  ...['', '92345678', '9234567890', '823456789', '+351923456789', '923,456,789', '٩٢٣٤٥٦٧٨٩', '+244+244923456789'].map(
    (telefone): [unknown, string[]] => [{ ...GOOD, telefone }, ['/telefone invalid_phone']],
  ),
  [{ ...GOOD, telefone: 923456789 }, ['/telefone invalid_type']],
  [{ ...GOOD, telefone: ['923456789'] }, ['/telefone invalid_type']],
  [{ nome: '', telefone: '1' }, ['/nome too_short', '/telefone invalid_phone']],
];

describe.each(['createSmsContact', 'replaceSmsContact'])('%s', (operationId) => {
  test('takes what is good', () => {
    expect(refuseBody(operationId, GOOD).code).toBe(null);
  });

  test.each(WRONG)('%j', (body, faults) => {
    expect(refuseBody(operationId, body).faults.toSorted()).toEqual(faults);
  });
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
])('the contacts do not take ?%s', (query, fault) => {
  expect(refuseQuery('listSmsContacts', query).faults).toContain(fault);
});

describe('createSmsContactList', () => {
  test.each([
    [{}, ['/nome required']],
    [{ nome: null }, ['/nome invalid_type']],
    [{ nome: ' ' }, ['/nome too_short']],
    [{ nome: 'x'.repeat(101) }, ['/nome too_long']],
    [{ nome: 'a\tb' }, ['/nome invalid_format']],
    [{ nome: 'A\u0000' }, ['/nome invalid_text']],
    [{ nome: 'L', contactoIds: 'abc' }, ['/contactoIds invalid_type']],
    [{ nome: 'L', contactoIds: {} }, ['/contactoIds invalid_type']],
    [
      { nome: 'L', contactoIds: [null, randomUUID(), 7] },
      ['/contactoIds/0 invalid_type', '/contactoIds/2 invalid_type'],
    ],
    [{ nome: '', contactoIds: [1] }, ['/contactoIds/0 invalid_type', '/nome too_short']],
  ])('%j', (body, faults) => {
    expect(refuseBody('createSmsContactList', body).faults.toSorted()).toEqual(faults);
  });

  test('with more than a thousand contacts', () => {
    const contactoIds = Array.from({ length: 1_001 }, () => randomUUID());
    const { faults, messages } = refuseBody('createSmsContactList', { nome: 'L', contactoIds });
    expect(faults).toEqual(['/contactoIds too_big']);
    expect(messages[0]).toMatch(/1000/);
  });
});

describe('addSmsContactToList', () => {
  test.each([
    [{}, ['/contactoId required', '/listaId required']],
    [{ listaId: null, contactoId: 7 }, ['/contactoId invalid_type', '/listaId invalid_type']],
    [{ listaId: randomUUID() }, ['/contactoId required']],
    [{ contactoId: randomUUID() }, ['/listaId required']],
  ])('%j', (body, faults) => {
    expect(refuseBody('addSmsContactToList', body).faults.toSorted()).toEqual(faults);
  });
});

test.each([
  ['pageNumber=0', '/query/pageNumber too_small'],
  ['pageNumber=um', '/query/pageNumber invalid_format'],
  ['pageSize=101', '/query/pageSize too_big'],
  ['pageSize=0', '/query/pageSize too_small'],
])('lists and a list do not take ?%s', (query, fault) => {
  for (const operationId of ['listSmsContactLists', 'readSmsContactList'])
    expect(refuseQuery(operationId, query).faults).toEqual([fault]);
});

const BODY = { nome: 'Encomenda', conteudo: 'Olá {{nome}}' };

describe.each(['createSmsTemplate', 'updateSmsTemplate'])('%s', (operationId) => {
  test('takes what is good', () => {
    expect(refuseBody(operationId, BODY).code).toBe(null);
  });

  test.each<[object, string[]]>([
    [{ nome: undefined }, ['/nome required']],
    [{ nome: null }, ['/nome invalid_type']],
    [{ nome: 7 }, ['/nome invalid_type']],
    [{ nome: '' }, ['/nome too_short']],
    [{ nome: '   ' }, ['/nome too_short']],
    [{ nome: 'a\nb' }, ['/nome invalid_format']],
    [{ conteudo: undefined }, ['/conteudo required']],
    [{ conteudo: null }, ['/conteudo invalid_type']],
    [{ conteudo: ['a'] }, ['/conteudo invalid_type']],
    [{ conteudo: '' }, ['/conteudo too_short']],
    [{ conteudo: 'a\u0007b' }, ['/conteudo invalid_format']],
    [{ conteudo: 'Olá {{nome' }, ['/conteudo placeholder_malformed']],
    [{ conteudo: 'Olá nome}}' }, ['/conteudo placeholder_malformed']],
    [{ conteudo: 'Olá {{}}' }, ['/conteudo placeholder_malformed']],
    [{ conteudo: 'Olá {{o nome}}' }, ['/conteudo placeholder_malformed']],
    [{ conteudo: 'Olá {{nome}} {{{total}}}' }, ['/conteudo placeholder_malformed']],
    [{ conteudo: `{{${'x'.repeat(65)}}}` }, ['/conteudo placeholder_malformed']],
    [{ nome: '', conteudo: '{{' }, ['/nome too_short', '/conteudo placeholder_malformed']],
    [{ nome: undefined, conteudo: undefined }, ['/nome required', '/conteudo required']],
  ])('with %j', (wrong, faults) => {
    expect(refuseBody(operationId, { ...BODY, ...wrong }).faults).toEqual(faults);
  });

  test('with more than there is room for', () => {
    const { faults } = refuseBody(operationId, { nome: 'x'.repeat(101), conteudo: 'x'.repeat(1_531) });
    expect(faults).toEqual(['/nome too_long', '/conteudo too_long']);
  });

  test.each(['a\0b', 'a\ud800b'])('with %j, which no database keeps', (text) => {
    expect(refuseBody(operationId, { nome: text, conteudo: text }).code).toBe('invalid_text');
  });
});

describe('templates', () => {
  test.each<[string, string[]]>([
    ['pageNumber=0', ['/query/pageNumber too_small']],
    ['pageNumber=x', ['/query/pageNumber invalid_format']],
    ['pageNumber=1000001', ['/query/pageNumber too_big']],
    ['pageSize=0&pageNumber=-1', ['/query/pageNumber invalid_format', '/query/pageSize too_small']],
    ['pageSize=101', ['/query/pageSize too_big']],
    ['pageSize=1&pageSize=2', ['/query/pageSize invalid_type']],
  ])('are not listed by ?%s', (query, faults) => {
    expect(refuseQuery('listSmsTemplates', query).faults).toEqual(faults);
  });

  test.each<[string, string[]]>([
    ['', ['/query/dia required', '/query/mes required', '/query/ano required']],
    ['dia=31&mes=2&ano=2026', ['/query/dia impossible_date']],
    ['dia=29&mes=2&ano=2027', ['/query/dia impossible_date']],
    ['dia=1&mes=13&ano=2026', ['/query/mes too_big']],
    ['dia=1&mes=1&ano=26', ['/query/ano invalid_format']],
    ['dia=31&mes=4&ano=2026&pageSize=0', ['/query/pageSize too_small', '/query/dia impossible_date']],
  ])('are not searched by ?%s', (query, faults) => {
    expect(refuseQuery('searchSmsTemplates', query).faults).toEqual(faults);
  });
});

/** Exactly these faults of the query. */
function expectFaults(operationId: string, query: string, faults: string[]): void {
  expect(refuseQuery(operationId, query).faults).toEqual(faults.map((entry) => `/query/${entry}`));
}

describe('listSentSms', () => {
  test.each<[string, string[]]>([
    ['pageNumber=0', ['pageNumber too_small']],
    ['pageNumber=', ['pageNumber invalid_format']],
    ['pageSize=101', ['pageSize too_big']],
    ['pageSize=1.5', ['pageSize invalid_format']],
    ['pageSize=1&pageSize=2', ['pageSize invalid_type']],
    ['batchId=x', ['batchId invalid_format']],
    ['batchId=', ['batchId invalid_format']],
    ['batchId=%00', ['batchId invalid_text', 'batchId invalid_format']],
    ['estado=Sent', ['estado invalid_value']],
    ['estado=', ['estado invalid_value']],
    ['estado=Enviado&estado=Falhado', ['estado invalid_type']],
    ['numeroDestino=123', ['numeroDestino invalid_phone']],
    ['numeroDestino=%2B351923456789', ['numeroDestino invalid_phone']],
    ['numeroDestino=', ['numeroDestino invalid_phone']],
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
  ])('%s', (query, faults) => {
    expectFaults('listSentSms', query, faults);
  });
});

describe('searchSentSms', () => {
  test.each<[string, string[]]>([
    ['', ['dia required', 'mes required', 'ano required']],
    ['dia=1&mes=3', ['ano required']],
    ['dia=31&mes=2&ano=2026', ['dia impossible_date']],
    ['dia=29&mes=2&ano=2027', ['dia impossible_date']],
    ['dia=31&mes=11&ano=2026', ['dia impossible_date']],
    ['dia=0&mes=0&ano=0', ['dia too_small', 'mes too_small', 'ano invalid_format']],
    ['dia=32&mes=13&ano=2200', ['dia too_big', 'mes too_big', 'ano too_big']],
    ['dia=1&mes=1&ano=1999', ['ano too_small']],
    ['dia=um&mes=1.0&ano=MMXXVI', ['dia invalid_format', 'mes invalid_format', 'ano invalid_format']],
    ['dia=1&dia=2&mes=1&ano=2026', ['dia invalid_type']],
    ['dia=31&mes=2&ano=2026&pageSize=999', ['pageSize too_big', 'dia impossible_date']],
  ])('%s', (query, faults) => {
    expectFaults('searchSentSms', query, faults);
  });
});

describe('searchSentSmsInRange', () => {
  const PATH = 'searchSentSmsInRange';

  /** `1/3/2026` and `2/3/2026` as the six parameters. */
  function between(first: string, last: string): string {
    const part = (text: string, end: string) =>
      text.split('/').map((value, nth) => `${['dia', 'mes', 'ano'][nth]}${end}=${value}`);
    return [...part(first, 'Inicio'), ...part(last, 'Fim')].join('&');
  }

  test.each<[string, string, string[]]>([
    ['2/3/2026', '1/3/2026', ['diaFim range_reversed']],
    ['1/1/2027', '31/12/2026', ['diaFim range_reversed']],
    ['1/3/2026', '2/3/2027', ['diaFim range_too_long']],
    ['29/2/2028', '1/3/2029', ['diaFim range_too_long']],
    ['31/2/2026', '1/3/2026', ['diaInicio impossible_date']],
    ['1/3/2026', '31/4/2026', ['diaFim impossible_date']],
    ['30/2/2026', '29/2/2026', ['diaInicio impossible_date', 'diaFim impossible_date']],
    ['0/3/2026', '31/4/2026', ['diaInicio too_small', 'diaFim impossible_date']],
  ])('from %s to %s', (first, last, faults) => {
    expectFaults(PATH, between(first, last), faults);
  });

  test('without any, and with pages that cannot be', () => {
    const names = ['diaInicio', 'mesInicio', 'anoInicio', 'diaFim', 'mesFim', 'anoFim'];
    expectFaults(PATH, 'pageNumber=0', [...names.map((name) => `${name} required`), 'pageNumber too_small']);
    const query = `${between('2/3/2026', '1/3/2026')}&pageNumber=x`;
    expectFaults(PATH, query, ['pageNumber invalid_format', 'diaFim range_reversed']);
  });

  test.each([
    ['2/3/2026', '1/3/2026', 'must not be before the first day'],
    ['1/3/2026', '2/3/2027', 'must be at most one year after the first day'],
  ])('from %s to %s: %s', (first, last, message) => {
    expect(refuseQuery(PATH, between(first, last)).messages).toEqual([message]);
  });

  test('the same day a year after is none too many', () => {
    expect(refuseQuery(PATH, between('1/3/2026', '1/3/2027')).code).toBe(null);
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

describe('a wrong sending names every fault', () => {
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
    ['a number for a text', 'enviarSms', text({ conteudo: 5 }), ['/conteudo invalid_type']],
    ['a control character', 'enviarSms', text({ conteudo: 'a\u0007b' }), ['/conteudo invalid_format']],
    ['1531 characters', 'enviarSms', text({ conteudo: 'a'.repeat(1_531) }), ['/conteudo too_long']],
    ['a long sender', 'enviarSms', text({ remetente: 'LojaDaIlhaAO' }), ['/remetente invalid_sender']],
    ['a sender with a space', 'enviarSms', text({ remetente: 'Loja AO' }), ['/remetente invalid_sender']],
    ['a sender of digits', 'enviarSms', text({ remetente: '112' }), ['/remetente invalid_sender']],
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
  ])('%s', (_what, path, body, expected) => {
    expect(refuseBody(OPERATIONS[path]!, body).faults.toSorted()).toEqual(expected.toSorted());
  });

  test('all of a thousand wrong numbers are named', () => {
    const { code, faults } = refuseBody('sendSms', text({ numerosDestino: Array(1_000).fill('12') }));
    expect(code).toBe('validation_failed');
    expect(faults).toHaveLength(1_000);
    expect(faults[999]).toBe('/numerosDestino/999 invalid_phone');
  });

  test('both or neither of a text and a template', () => {
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
