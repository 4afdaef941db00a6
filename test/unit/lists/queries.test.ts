// List and file endpoints refuse unknown query parameters instead of ignoring them.
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { declaredRoutes, refuseQuery } from '../../support/declared.ts';

const reads = declaredRoutes.filter(({ method, access }) => method === 'GET' && access.kind !== 'public');
const namesOf = ({ query }: (typeof reads)[number]) => Object.keys((query as z.ZodObject | undefined)?.shape ?? {});

describe('a list or file endpoint', () => {
  const OTHERS = ['listRoles', 'listRailConnectors', 'listRailAccounts', 'listPlans', 'readPaymentHistory'];
  const TOLERANT = ['openTerminal', 'closeTerminal', 'streamEvents'];
  const strict = reads.filter(
    (declared) =>
      (namesOf(declared).length > 0 && !TOLERANT.includes(declared.operationId)) ||
      OTHERS.includes(declared.operationId),
  );

  test.each(strict.map(({ operationId }) => operationId))('(%s) refuses an unknown query parameter', (operationId) => {
    expect(refuseQuery(operationId, 'estranho=1').faults).toContain('/query/estranho unknown_parameter');
  });

  test.each(strict.map(({ operationId }) => operationId))('(%s) refuses each filter without a value', (operationId) => {
    const names = namesOf(strict.find((declared) => declared.operationId === operationId)!);
    const taken = names.filter((name) => refuseQuery(operationId, `${name}=`).code === null);
    expect(taken).toEqual([]);
  });

  test.each([
    ['status[]=Paid', ['/query/status[] unknown_parameter']],
    ['Status=Paid', ['/query/Status unknown_parameter']],
    ['STATUS=Paid&Page=2', ['/query/STATUS unknown_parameter', '/query/Page unknown_parameter']],
    ['filter[status]=Paid', ['/query/filter unknown_parameter']],
    ['a/b=1', ['/query/a~1b unknown_parameter']],
    ['__proto__=1', ['/query/__proto__ unknown_parameter']],
    ['constructor=1', ['/query/constructor unknown_parameter']],
    ['status=Paid&status=Failed', ['/query/status invalid_type']],
    ['status[0]=Paid', ['/query/status invalid_type']],
    ['page=1&page=2', ['/query/page invalid_type']],
    ['customMetadata[order]=1&customMetadata[order]=2', ['/query/customMetadata/order invalid_type']],
  ])('refuses %s and names the wrong parameter', (query, faults) => {
    expect(refuseQuery('listPayments', query).faults).toEqual(faults);
  });

  test('lists the valid parameters in the refusal', () => {
    const { messages, code } = refuseQuery('listWebhooks', 'size=5');
    expect([code, ...messages]).toEqual(['validation_failed', 'unknown parameter. This list accepts: page, pageSize']);
  });

  test('accepts each of its parameters', () => {
    const query = 'page=2&pageSize=5&status=paid&dialect=rfc4180&customMetadata.order=7&customMetadata[shop]=8';
    expect(refuseQuery('listPayments', query).code).toBeNull();
  });
});

test.each(['readPayment', 'openTerminal', 'streamEvents'])('%s ignores an unknown query parameter', (operationId) => {
  expect(refuseQuery(operationId, 'estranho=1').code).toBeNull();
});
