// The widget's public face: what a merchant's TypeScript knows of `widget.mjs`, of `window.Balcao` and of the element's events.

export type BalcaoStatus =
  'Pending' | 'Processing' | 'Authorized' | 'Captured' | 'Paid' | 'Failed' | 'Canceled' | 'Expired';

/** `detail` of every event. It is a hint for the page: what to deliver is decided on the server, by callback or API. */
export type BalcaoDetail = { status: BalcaoStatus; revision: number };

export type MountOptions = {
  /** The payment's `clientToken`. */
  token: string;
  /** Default: the page's language when it is one of these, else `pt`. */
  lang?: 'pt' | 'en' | 'fr';
  /** Default: `auto`, as the payer's device prefers. */
  theme?: 'auto' | 'light' | 'dark';
  /** The gateway's origin. Default: where the script came from. */
  base?: string;
  onStatus?: (detail: BalcaoDetail) => void;
};

/** Puts a payment into an element of the page. @throws TypeError when there is no such element */
export function mount(target: Element | string, options: MountOptions): { unmount(): void };

declare global {
  interface Window {
    Balcao?: { mount: typeof mount };
  }
  interface HTMLElementEventMap {
    'balcao:status': CustomEvent<BalcaoDetail>;
    'balcao:paid': CustomEvent<BalcaoDetail>;
    'balcao:failed': CustomEvent<BalcaoDetail>;
    'balcao:expired': CustomEvent<BalcaoDetail>;
  }
}
