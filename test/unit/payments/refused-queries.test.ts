import { expect, test } from 'vitest';
import { refuseQuery } from '../../support/declared.ts';

test.each([
  ['page=0', 'page too_small'],
  ['page=-1', 'page invalid_format'],
  ['page=1.5', 'page invalid_format'],
  ['page=', 'page invalid_format'],
  ['page=1e1', 'page invalid_format'],
  ['page=%201', 'page invalid_format'],
  ['page=1000001', 'page too_big'],
  ['page=99999999999999999999', 'page invalid_format'],
  ['pageSize=0', 'pageSize too_small'],
  ['pageSize=101', 'pageSize too_big'],
  ['status=Settled', 'status invalid_value'],
  ['paymentType=CARD', 'paymentType invalid_value'],
  [`reference=${'R'.repeat(16)}`, 'reference too_long'],
  ['reference=a%00', 'reference invalid_text'],
  ['from=yesterday', 'from invalid_format'],
  ['from=2026-03-02', 'from invalid_format'],
  ['from=2026-02-30T00:00:00Z', 'from invalid_format'],
  ['from=0000-01-01T00:00:00Z', 'from invalid_date'],
  ['to=2026-03-02T09:00:00', 'to invalid_format'],
  ['amount=-1', 'amount invalid_format'],
  ['amount=1e3x', 'amount invalid_format'],
  ['currency=kz', 'currency invalid_format'],
  ['phone=12', 'phone invalid_phone'],
  ['late=sim', 'late invalid_value'],
  [`customMetadata.order=${'x'.repeat(201)}`, 'customMetadata/order too_long'],
  ['customMetadata=7', 'customMetadata invalid_type'],
])('listPayments refuses %s with %s', (query, fault) => {
  expect(refuseQuery('listPayments', query).faults).toEqual([`/query/${fault}`]);
});
