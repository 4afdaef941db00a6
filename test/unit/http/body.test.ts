// JSON bodies keep every value and every digit; invalid JSON and invalid text is refused.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { numberText, parseExactJson } from '../../../server/http/json.ts';
import { Problem, type Fault } from '../../../server/http/problem.ts';

function refusalOf(text: string, maxValues?: number): { code: string; faults: Fault[] | undefined } {
  try {
    parseExactJson(text, maxValues);
  } catch (error) {
    if (error instanceof Problem) return { code: error.code, faults: error.options.faults };
    throw error;
  }
  throw new Error(`${text.slice(0, 80)} was taken`);
}

/** Numbers in every spelling of JSON. A double cannot hold most of them. */
const numberToken = fc
  .record({
    sign: fc.constantFrom('', '-'),
    whole: fc.oneof(fc.constant('0'), fc.stringMatching(/^[1-9]\d{0,30}$/)),
    fraction: fc.oneof(fc.constant(''), fc.stringMatching(/^\.\d{1,30}$/)),
    power: fc.oneof(fc.constant(''), fc.stringMatching(/^[eE][+-]?\d{1,3}$/)),
  })
  .map(({ sign, whole, fraction, power }) => sign + whole + fraction + power);

/** Any key, with many dangerous ones such as `__proto__`. */
const key = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'toJSON', 'rawJSON', ''),
  fc.string({ unit: 'grapheme' }),
);

/** JSON text without spaces, keys once each, integer-like keys left out (JavaScript moves those to the front). */
const { json } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 5, depthIdentifier: 'json' },
    fc.oneof(
      numberToken,
      fc.constantFrom('true', 'false', 'null'),
      key.map((text) => JSON.stringify(text)),
    ),
    fc.array(tie('json'), { maxLength: 4, depthIdentifier: 'json' }).map((items) => `[${items.join(',')}]`),
    fc
      .uniqueArray(fc.tuple(key, tie('json')), { maxLength: 4, selector: ([name]) => name, depthIdentifier: 'json' })
      .map((entries) => entries.filter(([name]) => !/^\d+$/.test(name)))
      .map((entries) => `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`),
  ),
}));

describe('parseExactJson', () => {
  test('returns each value character for character', () => {
    fc.assert(
      fc.property(json, (text) => {
        expect(JSON.stringify(parseExactJson(text))).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  test('returns the same values if its own output is parsed again', () => {
    fc.assert(
      fc.property(json, (text) => {
        expect(JSON.stringify(parseExactJson(JSON.stringify(parseExactJson(text))))).toBe(text);
      }),
    );
  });

  test('returns plain values for numbers that a double holds', () => {
    fc.assert(
      fc.property(fc.jsonValue({ depthSize: 'medium' }), (value) => {
        const text = JSON.stringify(value);
        expect(parseExactJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  test.each([
    '1.0',
    '-0',
    '1e400',
    '-1E+5',
    '0.10',
    '123456789012345678901234567890',
    '1.7976931348623159e308',
    '1e-400',
  ])('keeps the digits of %s', (token) => {
    const value = parseExactJson(`{"n":${token},"list":[${token}]}`) as { n: unknown };
    expect(numberText(value.n)).toBe(token);
    expect(JSON.stringify(value)).toBe(`{"n":${token},"list":[${token}]}`);
  });

  test('keeps the last of two equal keys with its own digits', () => {
    expect(JSON.stringify(parseExactJson('{"a":1.0,"a":2}'))).toBe('{"a":2}');
    expect(JSON.stringify(parseExactJson('{"a":2,"a":[1.50]}'))).toBe('{"a":[1.50]}');
  });

  test('reads __proto__ as an ordinary key', () => {
    const value = parseExactJson('{"__proto__":{"isAdmin":true},"a":{"__proto__":1.0}}') as Record<string, unknown>;
    expect(Object.keys(value)).toEqual(['__proto__', 'a']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(value['isAdmin']).toBeUndefined();
    expect(({} as Record<string, unknown>)['isAdmin']).toBeUndefined();
    expect(JSON.stringify(value)).toBe('{"__proto__":{"isAdmin":true},"a":{"__proto__":1.0}}');
  });
});

describe('numberText', () => {
  test.each([
    [1500, '1500'],
    [12.5, '12.5'],
    [parseExactJson('12.50'), '12.50'],
    [parseExactJson('1e400'), '1e400'],
  ])('returns the digits of %j: %s', (value, text) => {
    expect(numberText(value)).toBe(text);
  });

  test.each([['1500'], [null], [undefined], [true], [[1]], [{ rawJSON: '1500' }], [{}]])(
    'returns null for %j',
    (value) => {
      expect(numberText(value)).toBeNull();
    },
  );
});

describe('the JSON body reader', () => {
  test.each([
    '',
    '{',
    '[1,]',
    '{"a":1,}',
    "{'a':1}",
    'NaN',
    '01',
    '{"a":1}{}',
    '"\t"',
    '"\\x"',
    '\uFEFF{}',
    '[1] // note',
    ']'.repeat(40) + '['.repeat(40),
  ])('includes %j', (text) => {
    expect(refusalOf(text).code).toBe('malformed_json');
  });

  test('is exactly the text that JSON.parse refuses', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        let plain: unknown;
        try {
          plain = JSON.parse(text);
        } catch {
          return void expect(refusalOf(text).code).toBe('malformed_json');
        }
        expect(JSON.parse(JSON.stringify(parseExactJson(text)))).toEqual(plain);
      }),
    );
  });

  const nest = (depth: number, open: string, close: string) => open.repeat(depth) + '1' + close.repeat(depth);

  test.each([
    ['arrays', '[', ']'],
    ['objects', '{"a":', '}'],
  ])('includes more than 32 levels of %s', (_what, open, close) => {
    expect(JSON.stringify(parseExactJson(nest(32, open, close)))).toBe(nest(32, open, close));
    expect(refusalOf(nest(33, open, close)).code).toBe('nesting_too_deep');
  });

  test('does not count brackets in strings as levels', () => {
    const text = JSON.stringify(['['.repeat(100), '\\', '"{'.repeat(50), '\\"[[['.repeat(40)]);
    expect(JSON.stringify(parseExactJson(text))).toBe(text);
  });

  test('includes a million brackets', () => {
    expect(refusalOf('['.repeat(1_000_000)).code).toBe('nesting_too_deep');
    expect(refusalOf(nest(500_000, '[', ']')).code).toBe('nesting_too_deep');
  });
});

describe('the number of values', () => {
  test.each([
    ['a list', '[1,-0,{}]', 4],
    ['an object', '{"a":1.0,"b":[],"c":"x"}', 4],
    ['a key that comes again and again', '{"a":1,"a":2,"a":3}', 4],
  ])('is checked for %s', (_what, text, values) => {
    expect(JSON.stringify(parseExactJson(text, values))).toBe(JSON.stringify(parseExactJson(text)));
    expect(refusalOf(text, values - 1).code).toBe('body_too_large');
  });

  test('is checked before the end of the text', () => {
    expect(refusalOf('[1,2,no JSON', 2).code).toBe('body_too_large');
    expect(refusalOf('[1,no JSON', 3).code).toBe('malformed_json');
  });
});

describe('text that PostgreSQL cannot store', () => {
  test.each([
    ['"a\\u0000b"', ['']],
    ['"\\ud800"', ['']],
    ['"\\udc00 alone"', ['']],
    ['{"a":["ok","x\\u0000"]}', ['/a/1']],
    ['{"b/c":{"~d":"\\udfff"}}', ['/b~1c/~0d']],
    ['{"a":"\\u0000","b":"\\ud800","c":"fine"}', ['/a', '/b']],
    ['{"bad\\u0000key":1}', ['/badkey']],
    ['{"\\ud800":{"a":"\\u0000"}}', ['/\ufffd']],
    ['{"__proto__":"\\u0000"}', ['/__proto__']],
  ])('is found in %s with its pointers', (text, pointers) => {
    const { code, faults } = refusalOf(text);
    expect(code).toBe('invalid_text');
    expect(faults).toEqual(pointers.map((pointer) => ({ pointer, code: 'invalid_text' })));
  });

  test('is reported with at most a hundred pointers, and with fewer if the names are long', () => {
    const bad = Array(500).fill('\0');
    expect(refusalOf(JSON.stringify({ a: bad })).faults).toHaveLength(100);
    const { faults = [] } = refusalOf(JSON.stringify({ ['k'.repeat(30_000)]: bad }));
    expect(faults.map(({ pointer }) => pointer.slice(30_000))).toEqual(['k/0', 'k/1', 'k/2']);
  });

  test.each(['"\\ud83d\\ude00"', '"😀"', '"\\u0001"', '"\\uffff"', '"é"', '"\\\\u0000"'])(
    'does not include %s',
    (text) => {
      expect(parseExactJson(text)).toBe(JSON.parse(text));
    },
  );
});
