// Faults of a request: a pointer to each place, a stable code, and a message without gaps in both languages.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { pointerOf } from '../../../server/http/problem.ts';
import { fault, faultsOf } from '../../../server/http/validate.ts';
import { parseExactJson } from '../../../server/http/json.ts';
import { invalid, type Fault } from '../../../server/http/problem.ts';
import { checkCreation, creationRequest, listQuery } from '../../../server/payments/schemas.ts';
import { messageOf } from '../../../shared/messages.ts';

describe('pointers', () => {
  test.each([
    [[], ''],
    [['a'], '/a'],
    [['a', 0, 'b'], '/a/0/b'],
    [['a/b'], '/a~1b'],
    [['a~b'], '/a~0b'],
    [['~1'], '/~01'],
    [['~/'], '/~0~1'],
    [[''], '/'],
    [['a', '', 'b'], '/a//b'],
    [['ção'], '/ção'],
  ])('%j is %j', (path, pointer) => {
    expect(pointerOf(path)).toBe(pointer);
  });

  test('a pointer leads back to its path (RFC 6901 §4)', () => {
    const key = fc.oneof(fc.string({ unit: 'grapheme' }), fc.stringMatching(/^[~/01]{0,6}$/));
    fc.assert(
      fc.property(fc.array(key, { minLength: 1 }), (path) => {
        const [, ...parts] = pointerOf(path).split('/');
        expect(parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))).toEqual(path);
      }),
    );
  });
});

/** The faults of an input, as `pointer code`. */
function listFaults(schema: z.ZodType, input: unknown): string[] {
  const { error } = schema.safeParse(input);
  return error ? faultsOf(error, input).map(({ pointer, code }) => `${pointer} ${code}`) : [];
}

describe('codes', () => {
  const schema = z.object({
    name: z.string().min(2).max(4),
    size: z.int().min(1).max(9),
    kind: z.enum(['a', 'b']),
    code: z.string().regex(/^\d+$/),
    phone: z.string().refine((text) => text.startsWith('9'), fault('invalid_phone')),
    odd: z.number().refine((n) => n % 2 === 1),
    list: z.array(z.string()),
  });
  const good = { name: 'abc', size: 5, kind: 'a', code: '1', phone: '9', odd: 1, list: [] };

  test('a good input has none', () => {
    expect(listFaults(schema, good)).toEqual([]);
  });

  test.each<[object, string[]]>([
    [{ name: undefined }, ['/name required']],
    [{ name: null }, ['/name invalid_type']],
    [{ name: 7 }, ['/name invalid_type']],
    [{ name: 'a' }, ['/name too_short']],
    [{ name: 'abcde' }, ['/name too_long']],
    [{ size: 0 }, ['/size too_small']],
    [{ size: 10 }, ['/size too_big']],
    [{ size: 1.5 }, ['/size invalid_type']],
    [{ size: '5' }, ['/size invalid_type']],
    [{ kind: undefined }, ['/kind required']],
    [{ kind: 'c' }, ['/kind invalid_value']],
    [{ kind: null }, ['/kind invalid_value']],
    [{ code: 'x' }, ['/code invalid_format']],
    [{ phone: '8' }, ['/phone invalid_phone']],
    [{ odd: 2 }, ['/odd invalid_format']],
    [{ list: ['a', 1, 'b', null] }, ['/list/1 invalid_type', '/list/3 invalid_type']],
    [{ name: 'a', size: 0, kind: 'c' }, ['/name too_short', '/size too_small', '/kind invalid_value']],
  ])('%j: %j', (change, faults) => {
    expect(listFaults(schema, { ...good, ...change })).toEqual(faults);
  });

  test('of bodies told apart by a field, and of fields that nobody knows', () => {
    const body = z.discriminatedUnion('by', [
      z.object({ by: z.literal('a'), set: z.strictObject({ x: z.string().optional() }) }),
      z.object({ by: z.literal('b') }),
    ]);
    expect(listFaults(body, { by: 'c' })).toEqual(['/by invalid_value']);
    expect(listFaults(body, {})).toEqual(['/by required']);
    expect(listFaults(body, { by: 'a', set: { y: 1, 'z/z': 2 } })).toEqual([
      '/set/y unknown_field',
      '/set/z~1z unknown_field',
    ]);
    const [fault] = faultsOf(body.safeParse({ by: 'c' }).error as z.ZodError, { by: 'c' });
    expect(messageOf('invalid_value', 'en', fault?.params)).toBe('must be one of: a, b');
  });

  test('say what a schema says in words of its own', () => {
    const own = z.object({ digits: z.string().regex(/^\d+$/, 'must be digits') });
    const read = (input: object) => faultsOf(own.safeParse(input).error as z.ZodError, input);
    const say = (lang: 'en' | 'pt', { code, params }: Fault) => messageOf(code, lang, params);
    expect(read({ digits: 'x' }).map((each) => [each.code, say('en', each), say('pt', each)])).toEqual([
      ['invalid_format', 'must be digits', 'não serve: must be digits'],
    ]);
    expect(read({}).map((each) => say('en', each))).toEqual(['is required']);
  });

  test('a body that is missing, and one that is no object', () => {
    expect(listFaults(schema, undefined)).toEqual([' required']);
    expect(listFaults(schema, null)).toEqual([' invalid_type']);
    expect(listFaults(schema, [])).toEqual([' invalid_type']);
  });
});

describe('the problem they make', () => {
  const codes = (...given: Fault['code'][]) => invalid(given.map((code) => ({ pointer: '/a', code }))).code;

  test('one known problem gives its code, anything else validation_failed', () => {
    expect(codes('amount_precision')).toBe('amount_precision');
    expect(codes('amount_precision', 'amount_precision')).toBe('amount_precision');
    expect(codes('amount_precision', 'amount_out_of_range')).toBe('validation_failed');
    expect(codes('amount_precision', 'required')).toBe('validation_failed');
    expect(codes('required')).toBe('validation_failed');
    expect(codes('invalid_text')).toBe('invalid_text');
  });
});

describe('a payment request', () => {
  const good = { amount: 1500, currency: 'AOA', paymentType: 'GPO', reference: 'PED-1' };

  /** As route() does it: the schema's faults and those between fields, of JSON text. */
  function faultsOfText(text: string): Fault[] {
    const input = parseExactJson(text);
    const { error } = creationRequest.safeParse(input);
    const between = (() => {
      try {
        return checkCreation(input);
      } catch (refusal) {
        return (refusal as ReturnType<typeof invalid>).options.faults ?? [];
      }
    })();
    return [...(error ? faultsOf(error, input) : []), ...between];
  }
  const faultsIn = (change: object) => faultsOfText(JSON.stringify({ ...good, ...change }));
  const spell = (faults: Fault[]) => faults.map(({ pointer, code }) => `${pointer} ${code}`);

  test('a good one has no fault, and its amount comes out as the text it was sent as', () => {
    const text = '{"amount":1500.50,"currency":"AOA","paymentType":"GPO","reference":"PED-1","extra":{"x":1}}';
    expect(faultsOfText(text)).toEqual([]);
    expect(creationRequest.parse(parseExactJson(text)).amount).toBe('1500.50');
  });

  test.each<[object, string[]]>([
    [{ amount: undefined }, ['/amount required']],
    [{ amount: null }, ['/amount invalid_type']],
    [{ amount: '1500' }, ['/amount invalid_type']],
    [{ amount: { rawJSON: '1' } }, ['/amount invalid_type']],
    [{ amount: 0 }, ['/amount amount_out_of_range']],
    [{ amount: -5 }, ['/amount amount_out_of_range']],
    [{ amount: 0.001 }, ['/amount amount_precision']],
    [{ amount: 10_000_000.01 }, ['/amount amount_out_of_range']],
    [{ amount: 1.5, currency: 'JPY' }, ['/amount amount_precision']],
    [{ currency: 'aoa' }, ['/currency invalid_format']],
    [{ currency: undefined }, ['/currency required']],
    [{ paymentType: 'CARD' }, ['/paymentType invalid_value']],
    [{ paymentType: 'PPR' }, ['/reference invalid_reference']],
    [{ paymentType: 'PPR', reference: '' }, []],
    [{ paymentType: 'PPR', reference: undefined, amount: undefined }, ['/amount required']],
    [{ metadata: { paymentMethod: 'qrcode' } }, []],
    [{ metadata: { paymentMethod: 'CAPTURE' } }, ['/metadata/authorizationId required']],
    [{ metadata: { paymentMethod: 'authorization' } }, ['/metadata/phoneNumber required']],
    [{ metadata: { paymentMethod: 'card' } }, []],
    [{ metadata: null }, []],
    [{ metadata: [] }, ['/metadata invalid_type']],
    [{ metadata: 'x' }, ['/metadata invalid_type']],
    [{ reference: undefined }, ['/reference required']],
    [{ reference: '' }, ['/reference invalid_format']],
    [{ reference: 'A'.repeat(16) }, ['/reference invalid_format']],
    [{ reference: ' PED 1' }, ['/reference invalid_format']],
    [{ amount: -1, currency: 'x' }, ['/currency invalid_format', '/amount amount_out_of_range']],
    [{ amount: 0.001, currency: 'x' }, ['/currency invalid_format']],
    [{ customMetadata: {} }, ['/customMetadata custom_metadata_not_allowed']],
    [{ customMetadata: null }, ['/customMetadata custom_metadata_not_allowed']],
    [{ metadata: { custom: [] } }, ['/metadata/custom invalid_type']],
    [{ metadata: { custom: 'x' } }, ['/metadata/custom invalid_type']],
    [{ metadata: { custom: { text: 'x'.repeat(16_384) } } }, ['/metadata/custom custom_too_large']],
    [{ metadata: { returnUrl: 'javascript:alert(1)' } }, ['/metadata/returnUrl invalid_url']],
    [{ metadata: { expiresInMinutes: 4 } }, ['/metadata/expiresInMinutes too_small']],
    [{ metadata: { expiresInMinutes: 1441 } }, ['/metadata/expiresInMinutes too_big']],
    [{ metadata: { paymentMethod: 'onetimepurchase' } }, ['/metadata/phoneNumber required']],
    [{ metadata: { paymentMethod: 'onetimepurchase', phoneNumber: '823' } }, ['/metadata/phoneNumber invalid_phone']],
    [
      { amount: '1', currency: 'kz', reference: '' },
      ['/amount invalid_type', '/currency invalid_format', '/reference invalid_format'],
    ],
  ])('%j: %j', (change, faults) => {
    expect(spell(faultsIn(change))).toEqual(faults);
  });

  test.each([
    ['"metadata":1.0', ['/metadata invalid_type']],
    ['"metadata":{"custom":1.0}', ['/metadata/custom invalid_type']],
    ['"description":1.0', ['/description invalid_type']],
    ['"metadata":{"expiresInMinutes":30.0}', []],
    ['"metadata":{"expiresInMinutes":1e400}', ['/metadata/expiresInMinutes invalid_type']],
    ['"amount":1e400', ['/amount amount_out_of_range']],
    ['"amount":1500.000', []],
    ['"amount":-0', ['/amount amount_out_of_range']],
  ])('%s (numbers that keep their digits): %j', (field, faults) => {
    const [name = ''] = field.split(':');
    const others = JSON.stringify(Object.fromEntries(Object.entries(good).filter(([key]) => `"${key}"` !== name)));
    expect(spell(faultsOfText(`${others.slice(0, -1)},${field}}`))).toEqual(faults);
  });

  test('every message is whole in both languages', () => {
    const custom = { a: JSON.parse('[1]'.replace('1', '['.repeat(17) + ']'.repeat(17))) };
    const wrong = [
      { amount: '1', currency: 'kz', paymentType: 'x', reference: '', description: 'x'.repeat(501), customMetadata: 1 },
      { amount: 0.001, metadata: { expiresInMinutes: 4, returnUrl: 'x', custom } },
      { amount: 0, metadata: { expiresInMinutes: 4000, paymentMethod: 'onetimepurchase', phoneNumber: 'x' } },
      { paymentType: 'PPR', currency: undefined },
    ];
    const faults = wrong.flatMap(faultsIn);
    const query = { page: '0', pageSize: '101', status: 'x', paymentType: 'x', from: 'x' };
    const { error } = listQuery.safeParse(query);
    if (error) faults.push(...faultsOf(error, query));
    expect(new Set(faults.map(({ code }) => code)).size).toBeGreaterThan(10);
    for (const { code, params } of faults) {
      for (const lang of ['en', 'pt'] as const) {
        const message = messageOf(code, lang, params);
        // A gap that was not filled would leave two spaces, an empty bracket, or nothing after a colon.
        expect(message, code).not.toMatch(/[{}]|undefined|null|NaN| {2}|\(\)|: *$|^ | $/);
      }
    }
  });
});
