// The widget's public types: `widget.mjs`, `window.Balcao`, the elements and their events.

export type BalcaoStatus =
  'Pending' | 'Processing' | 'Authorized' | 'Captured' | 'Paid' | 'Failed' | 'Canceled' | 'Expired';

/** `detail` of the widget's events. It is only a hint for the page: your server must confirm it by callback or API. */
export type BalcaoDetail = {
  status: BalcaoStatus;
  revision: number;
  /** The payment's `clientToken`. It differs from the element's token after the payer chose to pay by reference. */
  token: string;
};

/** The attributes of both elements, for the type declarations of frameworks. */
export type BalcaoAttributes = {
  /** The payment's `clientToken`. Without a token the element shows nothing. */
  token?: string | undefined;
  /** Default: the page's language if it is supported, else `pt`. */
  lang?: 'pt' | 'en' | 'fr';
  /** Default: `auto`, the `color-scheme` of the element when it opens. */
  theme?: 'auto' | 'light' | 'dark';
  /** The gateway's origin. Default: `Balcao.gateway`, else a script's `data-balcao`, else the script's own origin. */
  gateway?: string;
};

export type MountOptions = BalcaoAttributes & { token: string; onStatus?: (detail: BalcaoDetail) => void };

/** Adds a payment to an element of the page. @throws TypeError if the element does not exist */
export function mount(target: Element | string, options: MountOptions): { unmount(): void };

/** `<balcao-payment>`: a payment inside the page. */
export interface BalcaoPaymentElement extends HTMLElement {
  token: string | null;
  theme: string | null;
  gateway: string | null;
}

/** `<balcao-checkout>`: the hosted checkout in a dialog over the page. */
export interface BalcaoCheckoutElement extends HTMLElement {
  token: string | null;
  theme: string | null;
  gateway: string | null;
  /** Shows the dialog, as the attribute `open` does. Assigning true or false shows or closes the dialog. */
  get open(): () => void;
  set open(isOpen: boolean | (() => void));
  /** Closes the dialog. The payment continues. */
  close(): void;
}

declare global {
  /** `Balcao` is defined after `widget.js` or the loader has run. The module exports the same functions. */
  var Balcao: { mount: typeof mount; gateway?: string };
  interface HTMLElementTagNameMap {
    'balcao-payment': BalcaoPaymentElement;
    'balcao-checkout': BalcaoCheckoutElement;
  }
  /** The widget's events bubble to the document and the window. */
  interface GlobalEventHandlersEventMap {
    'balcao:status': CustomEvent<BalcaoDetail>;
    'balcao:paid': CustomEvent<BalcaoDetail>;
    'balcao:failed': CustomEvent<BalcaoDetail>;
    'balcao:expired': CustomEvent<BalcaoDetail>;
    /** Only from `<balcao-checkout>`: the page's origin is missing in the merchant's `allowedOrigins`. */
    'balcao:blocked': CustomEvent<null>;
    /** Only from `<balcao-checkout>`: the dialog was closed. `detail` has the payment's last known state, or null. */
    'balcao:close': CustomEvent<BalcaoDetail | null>;
  }
}
