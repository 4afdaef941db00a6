// The elements in components of Svelte 5. Their events come by `{@attach listen({ paid })}`.
import type { HTMLAttributes } from 'svelte/elements';
import type { BalcaoAttributes, BalcaoCheckoutElement, BalcaoPaymentElement } from './elements.js';

export * from './widget.js';

type Props<Element extends HTMLElement> = Omit<HTMLAttributes<Element>, keyof BalcaoAttributes> & BalcaoAttributes;

declare module 'svelte/elements' {
  interface SvelteHTMLElements {
    'balcao-payment': Props<BalcaoPaymentElement>;
    'balcao-checkout': Props<BalcaoCheckoutElement> & { open?: boolean | undefined };
  }
}
