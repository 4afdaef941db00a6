// The rules of text fields in words: one author for the document, the client's types and refusals.
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { describeApi } from '../../../server/http/openapi.ts';
import { faultsOf } from '../../../server/http/validate.ts';
import { currency, merchantReference } from '../../../server/payments/core/fields.ts';
import { nameText } from '../../../server/sms/fields.ts';
import { FIELD_RULES } from '../../../shared/field-rules.ts';
import { messageOf, type FaultCode } from '../../../shared/messages.ts';
import { declaredRoutes as routes } from '../../support/declared.ts';

const document = JSON.parse(JSON.stringify(describeApi(routes, 'https://pay.example'))) as any;

/** Returns the message of an invalid text in both languages. */
function refuse(schema: z.ZodType, text: string): string[] {
  const { error } = schema.safeParse(text);
  const [{ code, params } = { code: 'required' as FaultCode }] = error ? faultsOf(error, text) : [];
  return [messageOf(code, 'en', params), messageOf(code, 'pt', params)];
}

/** Lists the text checks of a schema that use a pattern. */
function* patternsOf(schema: any, seen = new Set<unknown>()): Generator<{ pattern: string; message: string }> {
  if (typeof schema !== 'object' || schema === null || seen.has(schema)) return;
  seen.add(schema);
  const { def } = schema._zod ?? { def: schema };
  for (const check of def.checks ?? []) {
    const { format, pattern, error } = check._zod?.def ?? {};
    if (format === 'regex') yield { pattern: String(pattern), message: String(error?.({}) ?? '') };
  }
  const inner = [def.shape, def.element, def.innerType, def.in, def.out, def.options, def.valueType, def.keyType];
  for (const each of inner.flatMap((one) => (one?._zod || !one ? [one] : Object.values(one)))) {
    yield* patternsOf(each, seen);
  }
}

/** Lists the text fields of requests in the document: `description` and `schema` of each. */
function* fieldsOf(node: any): Generator<{ description: string; schema: any }> {
  if (typeof node !== 'object' || node === null) return;
  for (const [name, each] of Object.entries<any>(node.properties ?? {})) {
    const [schema = each] = (each.anyOf ?? []).filter((one: any) => one.type !== 'null');
    if (schema.type === 'string') yield { description: `${name}: ${each.description}`, schema };
  }
  for (const each of Object.values(node)) yield* fieldsOf(each);
}

const texts = Object.values<any>(document.paths)
  .flatMap((methods) => Object.values<any>(methods))
  .flatMap(({ requestBody, parameters = [] }) => [
    ...fieldsOf(requestBody),
    ...parameters.map((each: any) => ({ description: `${each.name}: ${each.description}`, schema: each.schema })),
  ]);

describe('a pattern', () => {
  test.each(routes.map((declared) => [`${declared.method} ${declared.path}`, declared] as const))(
    'has its rule in words in %s',
    (_name, { params, query, body, bodyDoc }) => {
      for (const schema of [params, query, body, bodyDoc])
        for (const { pattern, message } of patternsOf(schema)) expect(message, pattern).toMatch(/^[^I].{5}/);
    },
  );
});

describe('the description of a text field', () => {
  test('has the rule of the reference of a payment', () => {
    const { reference } = document.components.schemas.GpoCreation.properties;
    expect(reference.description.toLowerCase()).toContain(FIELD_RULES.reference.en.slice(0, 15));
    expect(JSON.stringify(document)).not.toContain('x-rule');
  });

  test('has the greatest length', () => {
    const limited = texts.filter(({ schema }) => schema?.maxLength !== undefined && !schema.enum);
    expect(limited.length).toBeGreaterThan(100);
    const silent = limited.filter(({ description, schema }) => !description.includes(String(schema.maxLength)));
    expect(silent.map(({ description }) => description)).toEqual([]);
  });
});

describe('the refusal of a text', () => {
  test.each([
    ['a reference', merchantReference, '#1001', FIELD_RULES.reference],
    ['a currency', currency, 'kz', FIELD_RULES.currency],
    ['a name', nameText, 'a\nb', FIELD_RULES.line],
    ['an id', z.uuid(), 'x', FIELD_RULES.uuid],
  ])('says the rule of %s in both languages', (_name, schema, value, rule) => {
    expect(refuse(schema, value)).toEqual([`must be ${rule.en}`, `deve ser ${rule.pt}`]);
  });

  test('says that a missing text is required', () => {
    const { error } = z.object({ reference: merchantReference }).safeParse({});
    expect(faultsOf(error!, {})).toEqual([{ pointer: '/reference', code: 'required', params: {} }]);
  });
});
