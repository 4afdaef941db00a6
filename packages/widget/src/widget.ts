// Loads the gateway's widget script, and listens to the events of its elements. The package has no code of the widget.
import type { BalcaoDetail } from './elements.js';

export type {
  BalcaoAttributes,
  BalcaoCheckoutElement,
  BalcaoDetail,
  BalcaoPaymentElement,
  BalcaoStatus,
} from './elements.js';

const loading = new Map<string, Promise<boolean>>();

/**
 * Adds the gateway's loader script (1.5 kB) to the page once. On a server it does nothing.
 * @param gateway the gateway's origin, such as `https://pay.example`
 * @param options.nonce the nonce of the page's Content-Security-Policy, if its scripts need one
 * @returns true when the elements are defined, false if the script cannot load
 */
export function loadWidget(gateway: string, { nonce = '' }: { nonce?: string } = {}): Promise<boolean> {
  if (typeof document === 'undefined') return Promise.resolve(false);
  const src = `${gateway.replace(/\/+$/, '')}/widget/loader.js`;
  const loaded = loading.get(src) ?? addScript(src, nonce);
  loading.set(src, loaded);
  return loaded;
}

function addScript(src: string, nonce: string): Promise<boolean> {
  const defined = customElements.whenDefined('balcao-payment').then(() => true);
  // A tag in the page or `@balcao/react` may have added the script.
  if ([...document.scripts].some((script) => script.getAttribute('src') === src)) return defined;
  const failed = new Promise<boolean>((resolve) => {
    const script = document.createElement('script');
    const onerror = () => {
      // The next call tries again.
      script.remove();
      loading.delete(src);
      resolve(false);
    };
    document.head.append(Object.assign(script, { async: true, src, nonce, onerror }));
  });
  return Promise.race([defined, failed]);
}

/** Handlers of the elements' events. They prove nothing: your server must confirm a payment by callback or API. */
export type BalcaoHandlers = {
  /** Called with the payment's first known status and after each change. */
  status?: ((detail: BalcaoDetail) => void) | undefined;
  /** Called when the payment is paid, also if it was paid before the page opened. */
  paid?: ((detail: BalcaoDetail) => void) | undefined;
  /** Called when the payment has failed and the payer cannot retry it. */
  failed?: ((detail: BalcaoDetail) => void) | undefined;
  /** Called when the payment has expired. */
  expired?: ((detail: BalcaoDetail) => void) | undefined;
  /** `<balcao-checkout>`: called if this page's origin is missing in the merchant's `allowedOrigins`. */
  blocked?: (() => void) | undefined;
  /** `<balcao-checkout>`: called after the dialog was closed, with the payment's last known state or null. */
  close?: ((detail: BalcaoDetail | null) => void) | undefined;
};

/**
 * Returns a function that listens to an element's events until the function's result is called.
 * Svelte calls it by `{@attach listen({ paid })}`, and React 19 by `ref={listen({ paid })}`.
 */
export function listen(handlers: BalcaoHandlers): (element: Element | null) => () => void {
  return (element) => {
    const stops = Object.entries(handlers).map(([name, handle]) => {
      const forward = (event: Event) => handle?.((event as CustomEvent<never>).detail);
      element?.addEventListener(`balcao:${name}`, forward);
      return () => element?.removeEventListener(`balcao:${name}`, forward);
    });
    return () => stops.forEach((stop) => stop());
  };
}
