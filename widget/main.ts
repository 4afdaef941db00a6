// The widget's public API: `<balcao-payment>`, `<balcao-checkout>` and `Balcao.mount`.
// The widget is one script, without cookies or third parties.
import { openCheckout } from './dialog.tsx';
import { openPayment } from './element.tsx';
import { CHECKOUT_TAG, defineElements, PAYMENT_TAG } from './shell.ts';

export { mount } from './mount.ts';

defineElements({ [PAYMENT_TAG]: openPayment, [CHECKOUT_TAG]: openCheckout });
