// Shifts: a person opens one, takes money and cash in it, closes it, and reads it. An API client is refused.
import { addMember } from '../../support/members.ts';
import { MERCHANT } from './merchants.ts';
import { APPROVES } from './payers.ts';
import { push } from './payments.ts';
import type { Tour } from './recorder.ts';

const SHIFTS = '/api/shifts';

export async function walkShifts(tour: Tour): Promise<void> {
  const { call, app } = tour;
  const merchantId = MERCHANT.split('/').at(-1) as string;
  const token = await (await addMember(app, { merchantId, role: 'Administrator' })).token();
  await call(`POST ${SHIFTS}`, 403, { body: {} });
  await call(`POST ${SHIFTS}`, 409, { token, body: { openingCash: 100 } });
  await call(`PUT ${MERCHANT}`, 200, { body: { takesCash: true } });
  const { json: shift } = await call(`POST ${SHIFTS}`, 201, { token, body: { openingCash: 5_000 } });
  await call(`POST ${SHIFTS}`, 200, { token, body: {} });
  await call('POST /api/payments', 201, { token, body: push('SHIFT-1', APPROVES) });
  await tour.pass();
  const cash = { kind: 'sale', amount: 1_500, note: 'Café' };
  await call(`POST ${SHIFTS}/${shift.id}/cash`, 201, { token, body: cash });
  await call(`POST ${SHIFTS}/${shift.id}/cash`, 400, { token, body: { kind: 'gift', amount: 0 } });
  await call(`GET ${SHIFTS}/current`, 200, { token });
  await call(`POST ${SHIFTS}/${shift.id}/close`, 400, { token, body: {} });
  await call(`POST ${SHIFTS}/${shift.id}/close`, 200, { token, body: { countedCash: 6_400, note: 'Faltam 100' } });
  await call(`POST ${SHIFTS}/${shift.id}/close`, 409, { token, body: { countedCash: 6_400 } });
  await call(`POST ${SHIFTS}/${shift.id}/cash`, 409, { token, body: cash });
  await call(`GET ${SHIFTS}/${shift.id}`, 200, { token });
  await call(`GET ${SHIFTS}/${shift.id}`, 404, { token: await tour.strangerToken() });
  await call(`GET ${SHIFTS}?status=closed`, 200, { token });
  await call(`GET ${SHIFTS}?status=half`, 400, { token });
  await call(`PUT ${MERCHANT}`, 200, { body: { takesCash: false } });
}
