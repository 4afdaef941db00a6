// The elements in templates of Vue 3, for vue-tsc and editors.
import type { HTMLAttributes, PublicProps } from 'vue';
import type { BalcaoAttributes, BalcaoCheckoutElement, BalcaoDetail, BalcaoPaymentElement } from './elements.js';

export * from './widget.js';

type Events = {
  'onBalcao:status'?: ((event: CustomEvent<BalcaoDetail>) => void) | undefined;
  'onBalcao:paid'?: ((event: CustomEvent<BalcaoDetail>) => void) | undefined;
  'onBalcao:failed'?: ((event: CustomEvent<BalcaoDetail>) => void) | undefined;
  'onBalcao:expired'?: ((event: CustomEvent<BalcaoDetail>) => void) | undefined;
};
type DialogEvents = Events & {
  'onBalcao:blocked'?: ((event: CustomEvent<null>) => void) | undefined;
  'onBalcao:close'?: ((event: CustomEvent<BalcaoDetail | null>) => void) | undefined;
};
type Props = Omit<HTMLAttributes, keyof BalcaoAttributes> & PublicProps & BalcaoAttributes;

declare module 'vue' {
  interface GlobalComponents {
    'balcao-payment': new () => BalcaoPaymentElement & { $props: Props & Events };
    'balcao-checkout': new () => BalcaoCheckoutElement & {
      $props: Props & DialogEvents & { open?: boolean | undefined };
    };
  }
}
