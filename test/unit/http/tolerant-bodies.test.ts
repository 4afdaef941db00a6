// JSON bodies of other languages: any spelling of a number, and PHP's empty array in place of an empty object.
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { parseTolerantly } from '../../../server/http/validate.ts';
import { parseExactJson } from '../../../server/http/json.ts';
import { creationRequest } from '../../../server/payments/schemas.ts';
import { toMinor } from '../../../shared/money.ts';
import { refuseBody, refuseQuery } from '../../support/declared.ts';

const creation = (json: string) => {
  const input = parseExactJson(`{"amount":1500,"currency":"AOA","paymentType":"GPO","reference":"R1",${json}}`);
  const { data } = parseTolerantly(creationRequest, input).parsed as { data: z.output<typeof creationRequest> };
  return data;
};

describe('a number in a request', () => {
  test.each(['1500', '1500.0', '1500.00', '1.5e3', '1.5E3', '15E2', '1.50e+3', '1500e0', '150000e-2', '15E+00002'])(
    'is the amount 1500 for the text %s',
    (text) => {
      const { amount } = creation(`"amount":${text}`);
      expect(toMinor(amount as string, 'AOA')).toEqual({ minor: 150_000 });
    },
  );

  test.each(['60', '60.0', '6e1', '6.0E+1', '600e-1'])('is the whole number 60 for the text %s', (text) => {
    expect(creation(`"metadata":{"expiresInMinutes":${text}}`)).toMatchObject({ metadata: { expiresInMinutes: 60 } });
  });

  test.each(['60.5', '60.0000000000000000001', '1e400', '-0.5'])('is not whole for the text %s', (text) => {
    const payment = '"amount":1500,"currency":"AOA","paymentType":"GPO","reference":"R1"';
    const body = `{${payment},"metadata":{"expiresInMinutes":${text}}}`;
    expect(refuseBody('createPayment', body).faults).toHaveLength(1);
  });

  test.each(['amount=1500', 'amount=1500.00', 'amount=1.5E3', 'amount=1500.0000', 'page=2.0'])(
    'is accepted in the query %s',
    (query) => {
      expect(refuseQuery('listPayments', query).code).toBeNull();
    },
  );
});

describe('an empty JSON array', () => {
  test('is an empty object if the schema wants an object', () => {
    expect(creation('"metadata":[]')).toMatchObject({ metadata: {} });
    expect(creation('"metadata":{"custom":[]}')).toMatchObject({ metadata: { custom: {} } });
    expect(refuseBody('updateMerchant', '[]').faults).toEqual(refuseBody('updateMerchant', '{}').faults);
    expect(refuseBody('sendSmsTemplate', { smsId: 'x', numerosDestino: ['923456789'], valores: [] }).code).toBeNull();
  });

  test('stays an array in merchant-defined JSON, and if the schema wants an array', () => {
    expect(creation('"metadata":{"custom":{"a":[],"b":{"c":[]}}}')).toMatchObject({
      metadata: { custom: { a: [], b: { c: [] } } },
    });
    expect(refuseBody('sendSms', { numerosDestino: [], conteudo: 'x' }).faults).toEqual(['/numerosDestino too_small']);
  });

  test('is refused if a request has more than a hundred empty arrays in place of objects', () => {
    const schema = z.object({ items: z.array(z.object({})) });
    const itemsOf = (count: number) => parseTolerantly(schema, { items: Array(count).fill([]) }).parsed.success;
    expect([itemsOf(100), itemsOf(101)]).toEqual([true, false]);
  });

  test.each(['[1]', '""', '0', 'false'])('is the only value that replaces an object: %s is refused', (text) => {
    const body = `{"amount":1500,"currency":"AOA","paymentType":"GPO","reference":"R1","metadata":${text}}`;
    expect(refuseBody('createPayment', body).faults).toContain('/metadata invalid_type');
  });
});
