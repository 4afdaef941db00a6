// Cashiers with shifts, and requests of shifts by a person's token.
import { expect } from 'vitest';
import type { RoleName } from '../../shared/roles.ts';
import type { CallOptions, Reply, TestApp } from './app.ts';
import { addMember } from './members.ts';
import { create, purchase } from './payments.ts';

/** A person of a merchant with an access token, and the calls that the person makes. */
export type Cashier = {
  userId: string;
  token: string;
  call(path: string, options?: CallOptions, on?: TestApp): Promise<Reply>;
};

export async function addCashier(app: TestApp, merchantId: string, role: RoleName = 'Cashier'): Promise<Cashier> {
  const member = await addMember(app, { merchantId, role });
  const token = await member.token();
  const call = (path: string, options: CallOptions = {}, on = app) => on.call(path, { token, ...options });
  return { userId: member.userId, token, call };
}

/** Opens the cashier's shift and expects a new one. */
export async function openShift(cashier: Cashier, body: object = {}): Promise<any> {
  const reply = await cashier.call('/api/shifts', { body });
  expect(reply.status, reply.text).toBe(201);
  return reply.json;
}

export function closeShift(cashier: Cashier, shiftId: string, body: object = {}): Promise<Reply> {
  return cashier.call(`/api/shifts/${shiftId}/close`, { body });
}

export async function readShift(cashier: Cashier, shiftId: string): Promise<any> {
  const reply = await cashier.call(`/api/shifts/${shiftId}`);
  expect(reply.status, reply.text).toBe(200);
  return reply.json;
}

/** Creates a push of the cashier to a phone. */
export function charge(cashier: Cashier, phone: string, changes: object = {}): Promise<any> {
  const call: TestApp['call'] = (path, options) => cashier.call(path, options);
  return create({ call }, purchase(phone, { ...changes }));
}

/** Switches the setting `takesCash` of the merchant. */
export async function setTakesCash(app: TestApp, merchantId: string, takesCash: boolean): Promise<void> {
  const reply = await app.call(`/api/merchants/${merchantId}`, { method: 'PUT', body: { takesCash } });
  expect(reply.json.takesCash, reply.text).toBe(takesCash);
}
