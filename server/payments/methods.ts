// Registers the payment methods. Each folder exports one object, which the core calls through `core/method.ts`.
import { registerMethods } from './core/method.ts';
import { hold } from './hold/hold.ts';
import { push } from './push/push.ts';
import { qr } from './qr/qr.ts';
import { reference } from './reference/reference.ts';
import { refund } from './refund/refund.ts';

registerMethods([push, hold, qr, reference, refund]);
