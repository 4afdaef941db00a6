// The faults of a request: a pointer, a stable code, and a complete message in both languages.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { pointerOf } from '../../../server/http/problem.ts';
import { fault, faultsOf } from '../../../server/http/validate.ts';
import { parseExactJson } from '../../../server/http/json.ts';
import { invalidFields, type Fault } from '../../../server/http/problem.ts';
import { checkCreation, creationRequest, listQuery } from '../../../server/payments/schemas.ts';
import { messageOf } from '../../../shared/messages.ts';

describe('pointerOf', () => {
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
  ])('returns for %j the pointer %j', (path, pointer) => {
    expect(pointerOf(path)).toBe(pointer);
  });

  test('returns a pointer that leads back to its path (RFC 6901 §4)', () => {
    const key = fc.oneof(fc.string({ unit: 'grapheme' }), fc.stringMatching(/^[~/01]{0,6}$/));
    fc.assert(
      fc.property(fc.array(key, { minLength: 1 }), (path) => {
        const [, ...parts] = pointerOf(path).split('/');
        expect(parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))).toEqual(path);
      }),
    );
  });
});

/** Returns the faults of an input, as `pointer code`. */
function listFaults(schema: z.ZodType, input: unknown): string[] {
  const { error } = schema.safeParse(input);
  return error ? faultsOf(error, input).map(({ pointer, code }) => `${pointer} ${code}`) : [];
}

describe('faultsOf', () => {
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

  test('returns no fault for a valid input', () => {
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
  ])('returns for the change %j the faults %j', (change, faults) => {
    expect(listFaults(schema, { ...good, ...change })).toEqual(faults);
  });

  test('reports invalid unions and unknown fields', () => {
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

  test('reports the error message that a schema defines', () => {
    const own = z.object({ digits: z.string().regex(/^\d+$/, 'must be digits') });
    const read = (input: object) => faultsOf(own.safeParse(input).error as z.ZodError, input);
    const say = (lang: 'en' | 'pt', { code, params }: Fault) => messageOf(code, lang, params);
    expect(read({ digits: 'x' }).map((each) => [each.code, say('en', each), say('pt', each)])).toEqual([
      ['invalid_format', 'must be digits', 'não serve: must be digits'],
    ]);
    expect(read({}).map((each) => say('en', each))).toEqual(['is required']);
  });

  test('reports a missing body and a body that is not an object', () => {
    expect(listFaults(schema, undefined)).toEqual([' required']);
    expect(listFaults(schema, null)).toEqual([' invalid_type']);
    expect(listFaults(schema, [])).toEqual([' invalid_type']);
  });
});

describe('invalid()', () => {
  const codes = (...given: Fault['code'][]) => invalidFields(given.map((code) => ({ pointer: '/a', code }))).code;

  test('returns the problem code of the fault if such a problem exists, otherwise validation_failed', () => {
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

  /** Checks a JSON text like route(): faults of the schema and faults between fields. */
  function faultsOfText(text: string): Fault[] {
    const input = parseExactJson(text);
    const { error } = creationRequest.safeParse(input);
    const between = (() => {
      try {
        return checkCreation(input);
      } catch (refusal) {
        return (refusal as ReturnType<typeof invalidFields>).options.faults ?? [];
      }
    })();
    return [...(error ? faultsOf(error, input) : []), ...between];
  }
  const faultsIn = (change: object) => faultsOfText(JSON.stringify({ ...good, ...change }));

  test('has faults of single fields and faults between fields', () => {
    const faults = faultsIn({ amount: 0.001, currency: 'x', metadata: { paymentMethod: 'onetimepurchase' } });
    expect(faults.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([
      '/currency invalid_format',
      '/metadata/phoneNumber required',
    ]);
  });

  test('has fault messages without placeholders in both languages', () => {
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
        // A missing value would leave two spaces, an empty bracket, or nothing after a colon.
        expect(message, code).not.toMatch(/[{}]|undefined|null|NaN| {2}|\(\)|: *$|^ | $/);
      }
    }
  });
});
