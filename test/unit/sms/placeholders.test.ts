import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fillTemplate, isWellFormed, listPlaceholders } from '../../../server/sms/text.ts';
import { MAX_CHARACTERS } from '../../../server/sms/fields.ts';

const fill = (content: string, values: Record<string, string>) =>
  fillTemplate(content, new Map(Object.entries(values)));

describe('listKeys', () => {
  test.each([
    ['{{nome}}', ['nome']],
    ['{{ nome }}', ['nome']],
    ['{{\u00a0nome\u00a0}}', ['nome']],
    ['{{situação}}', ['situação']],
    ['{{Ключ}}{{名前}}{{हिन्दी}}', ['Ключ', '名前', 'हिन्दी']],
    ['{{a.b-c_1}}', ['a.b-c_1']],
    ['{{1}} {{-}} {{.}} {{_}}', ['1', '-', '.', '_']],
    [`{{${'x'.repeat(64)}}}`, ['x'.repeat(64)]],
    ['{{constructor}} {{__proto__}}', ['constructor', '__proto__']],
    ['Olá {{nome}}, {{valor}} até {{data}}; {{ nome}}', ['nome', 'valor', 'data']],
    ['{{Nome}} {{nome}}', ['Nome', 'nome']],
    ['sem nada', []],
    ['{ {{nome}} } {x} } {', ['nome']],
    ['', []],
  ])('finds in %j the keys %j', (content, keys) => {
    expect(listPlaceholders(content)).toEqual(keys);
    expect(isWellFormed(content)).toBe(true);
  });

  test.each([
    '{{}}',
    '{{ }}',
    '{{nome',
    'nome}}',
    '{{nome}',
    '{nome}}',
    '{ {nome}}',
    '{{o nome}}',
    '{{nome\n}}',
    '{{\tnome}}',
    '{{nome!}}',
    '{{{nome}}}',
    '{{{nome}}',
    '{{nome}}}',
    '{{a{{b}}',
    '{{a}}b}}',
    '{{{{a}}}}',
    '{{a}} {{',
    '}} {{a}}',
    '{{😀}}',
    `{{${'x'.repeat(65)}}}`,
  ])('accepts only templates that isWellFormed accepts, and not %j', (content) => {
    expect(isWellFormed(content)).toBe(false);
  });
});

describe('fillTemplate', () => {
  test('replaces each placeholder and keeps the other text', () => {
    expect(fill('Olá {{nome}}! {{ nome }}: {{valor}} Kz {0}', { nome: 'Ana', valor: '5.000', outro: '-' })).toEqual({
      text: 'Olá Ana! Ana: 5.000 Kz {0}',
    });
  });

  test('accepts an empty value', () => {
    expect(fill('<{{nome}}>', { nome: '' })).toEqual({ text: '<>' });
  });

  test('returns each missing key once', () => {
    expect(fill('{{a}} {{b}} {{c}} {{a}} {{toString}}', { b: '2' })).toEqual({ missing: ['a', 'c', 'toString'] });
  });

  test('does not interpret placeholders or patterns in values', () => {
    const odd = ['{{b}}', '$&', '$1', "$'", '$`', '$$', '{{', '}}', '\\'];
    for (const a of odd) expect(fill('<{{a}}{{b}}>', { a, b: 'x' })).toEqual({ text: `<${a}x>` });
    expect(fill('{{a}}b{{c}}', { a: '{{', c: '}}', b: '!' })).toEqual({ text: '{{b}}' });
  });

  test('returns Unicode NFC, also where a value meets the text', () => {
    expect(fill('{{a}}', { a: 'e\u0301' })).toEqual({ text: 'é' });
    expect(fill('e{{a}}', { a: '\u0301' })).toEqual({ text: 'é' });
    expect(fill('{{a}}\u0301', { a: 'e' })).toEqual({ text: 'é' });
  });

  test('joins the texts and values of any valid template', () => {
    const piece = fc.string({ unit: fc.constantFrom('a', ' ', 'ç', '€', '\n', '$') });
    const value = fc.string({ unit: fc.constantFrom('x', '{', '}', '$', '&', '😀') });
    const key = fc.stringMatching(/^[\w.-]{1,8}$/);
    const places = fc.array(fc.tuple(piece, key, fc.nat({ max: 3 })), { maxLength: 6 });
    fc.assert(
      fc.property(places, piece, fc.infiniteStream(value), (list, end, stream) => {
        const values = new Map(list.map(([, name]) => [name, String(stream.next().value)]));
        const write = (placeholder: (name: string, pad: string) => string) =>
          list.map(([text, name, pad]) => text + placeholder(name, ' '.repeat(pad))).join('') + end;
        const content = write((name, pad) => `{{${pad}${name}${pad}}}`);
        expect(isWellFormed(content)).toBe(true);
        expect(listPlaceholders(content)).toEqual([...values.keys()]);
        expect(fillTemplate(content, values)).toEqual({ text: write((name) => values.get(name) ?? '?') });
        expect(fillTemplate(content, new Map())).toEqual(
          values.size > 0 ? { missing: [...values.keys()] } : { text: end },
        );
      }),
    );
  });
});

describe('a template of maximal length', () => {
  const repeat = (unit: string) => unit.repeat(MAX_CHARACTERS).slice(0, MAX_CHARACTERS);

  // A search with backtracking takes minutes for such a text.
  test.each(['{', '}', '{{ ', '{{a', '{{a ', '{{ a}', '{{a}', '{ ', ' ', 'a', '{{a}}}'])(
    'with %j repeated is read in linear time',
    (unit) => {
      expect(isWellFormed(repeat(unit))).toBe(!/\{\{|\}\}/.test(repeat(unit)));
      expect(listPlaceholders(repeat(unit))).toEqual([]);
      const huge = unit.repeat(100 * MAX_CHARACTERS);
      expect(isWellFormed(huge)).toBe(!/\{\{|\}\}/.test(huge));
      expect(listPlaceholders(`{{${huge}`)).toEqual([]);
      expect(listPlaceholders(`{{${' '.repeat(100 * MAX_CHARACTERS)}${unit}`)).toEqual([]);
    },
  );

  test('can have as many placeholders as fit', () => {
    const content = '{{a}}'.repeat(MAX_CHARACTERS / 5);
    expect(isWellFormed(content)).toBe(true);
    expect(fill(content, { a: 'b' })).toEqual({ text: 'b'.repeat(MAX_CHARACTERS / 5) });
  });
});
