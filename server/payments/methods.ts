// Registers the payment methods. Each folder exports one object, which the core calls through `core/method.ts`.
import { registerMethods } from './core/method.ts';
import { replacementModule } from './core/paid-twice.ts';
import { holdModule } from './hold/hold.ts';
import { pushModule } from './push/push.ts';
import { qrModule } from './qr/qr.ts';
import { referenceModule } from './reference/reference.ts';
import { refundModule } from './refund/refund.ts';

registerMethods([pushModule, holdModule, qrModule, referenceModule, refundModule, replacementModule]);
