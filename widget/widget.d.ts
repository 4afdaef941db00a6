// The widget's public face: what a merchant's TypeScript knows of `widget.mjs`, of `window.Balcao`, of the elements and their events.

export type BalcaoStatus =
  'Pending' | 'Processing' | 'Authorized' | 'Captured' | 'Paid' | 'Failed' | 'Canceled' | 'Expired';

/** `detail` of the events. It is a hint for the page: what to deliver is decided on the server, by callback or API. */
export type BalcaoDetail = {
  status: BalcaoStatus;
  revision: number;
  /** The payment's `clientToken`: another than the element's once its payer has gone on by reference. */
  token: string;
};

/** The attributes of both elements, for the type declarations of frameworks. */
export type BalcaoAttributes = {
  /** The payment's `clientToken`. Until there is one nothing is shown. */
  token?: string | undefined;
  /** Default: the page's language when it is one of these, else `pt`. */
  lang?: 'pt' | 'en' | 'fr';
  /** Default: `auto`, as the payer's device prefers. */
  theme?: 'auto' | 'light' | 'dark';
  /** The gateway's origin. Default: `Balcao.gateway`, a script's `data-balcao`, or where the script came from. */
  gateway?: string;
};

export type MountOptions = BalcaoAttributes & { token: string; onStatus?: (detail: BalcaoDetail) => void };

/** Puts a payment into an element of the page. @throws TypeError when there is no such element */
export function mount(target: Element | string, options: MountOptions): { unmount(): void };

/** `<balcao-payment>`: the payment in its place in the page. */
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
  /** Shows the dialog, as the attribute `open` does. Set to true or false, it shows or closes it. */
  get open(): () => void;
  set open(isOpen: boolean | (() => void));
  /** Closes it; the payment goes on. */
  close(): void;
}

declare global {
  /** There once `widget.js` or the loader has run; the module exports the same. */
  var Balcao: { mount: typeof mount; gateway?: string };
  interface HTMLElementTagNameMap {
    'balcao-payment': BalcaoPaymentElement;
    'balcao-checkout': BalcaoCheckoutElement;
  }
  /** They bubble: elements, the document and the window hear them. */
  interface GlobalEventHandlersEventMap {
    'balcao:status': CustomEvent<BalcaoDetail>;
    'balcao:paid': CustomEvent<BalcaoDetail>;
    'balcao:failed': CustomEvent<BalcaoDetail>;
    'balcao:expired': CustomEvent<BalcaoDetail>;
    /** Of `<balcao-checkout>`: the merchant's `allowedOrigins` do not name the page's origin. */
    'balcao:blocked': CustomEvent<null>;
    /** Of `<balcao-checkout>`: what was last heard of the payment, if anything was. */
    'balcao:close': CustomEvent<BalcaoDetail | null>;
  }
}
