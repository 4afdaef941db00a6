// The methods this version serves: a new one is a file beside these and a line here.
import type { PaymentMethod } from '../../../shared/methods.ts';
import { authorization } from './authorization.ts';
import { capture } from './capture.ts';
import type { Method } from './method.ts';
import { onetimepurchase } from './onetimepurchase.ts';
import { qrcode } from './qrcode.ts';
import { reference } from './reference.ts';
import { webframe } from './webframe.ts';

const METHODS: Record<PaymentMethod, Method> = {
  webframe,
  onetimepurchase,
  authorization,
  capture,
  qrcode,
  reference,
};

export function methodOf(payment: { paymentMethod: PaymentMethod }): Method {
  return METHODS[payment.paymentMethod];
}
