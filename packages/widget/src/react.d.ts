// The elements in JSX of React 18 and 19. React 19 listens by `onbalcao:paid={…}` or `ref={listen({ paid })}`.
import type { DetailedHTMLProps, HTMLAttributes } from 'react';
import type { BalcaoAttributes, BalcaoCheckoutElement, BalcaoDetail, BalcaoPaymentElement } from './elements.js';

export * from './widget.js';

type Events = {
  'onbalcao:status'?: ((event: CustomEvent<BalcaoDetail>) => void) | undefined;
  'onbalcao:paid'?: ((event: CustomEvent<BalcaoDetail>) => void) | undefined;
  'onbalcao:failed'?: ((event: CustomEvent<BalcaoDetail>) => void) | undefined;
  'onbalcao:expired'?: ((event: CustomEvent<BalcaoDetail>) => void) | undefined;
};
type DialogEvents = Events & {
  'onbalcao:blocked'?: ((event: CustomEvent<null>) => void) | undefined;
  'onbalcao:close'?: ((event: CustomEvent<BalcaoDetail | null>) => void) | undefined;
};
type Props<Element extends HTMLElement> = Omit<
  DetailedHTMLProps<HTMLAttributes<Element>, Element>,
  keyof BalcaoAttributes
> &
  // React writes `class` to a custom element. React 18 does not know `className` there.
  BalcaoAttributes & { class?: string | undefined };

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'balcao-payment': Props<BalcaoPaymentElement> & Events;
      'balcao-checkout': Props<BalcaoCheckoutElement> & DialogEvents & { open?: boolean | undefined };
    }
  }
}
