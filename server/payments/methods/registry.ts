// The methods this version serves: a new one is a file beside these and a line here.
import type { PaymentMethod } from '../../../shared/methods.ts';
import { authorization } from './authorization.ts';
import { capture } from './capture.ts';
import type { Method } from './method.ts';
import { onetimepurchase } from './onetimepurchase.ts';
import { qrcode } from './qrcode.ts';
import { webframe } from './webframe.ts';

const METHODS: Partial<Record<PaymentMethod, Method>> = {
  webframe,
  onetimepurchase,
  authorization,
  capture,
  qrcode,
};

export function findMethod(name: PaymentMethod): Method | undefined {
  return METHODS[name];
}

/** @throws for a method that no payment can have been created with */
export function methodOf(payment: { paymentMethod: PaymentMethod }): Method {
  const method = METHODS[payment.paymentMethod];
  if (!method) throw new Error(`payment method ${payment.paymentMethod} is not served`);
  return method;
}
