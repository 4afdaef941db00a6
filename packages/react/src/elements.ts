// React 18 and 19 components for the widget's two elements, with types and server rendering.
// The components load the gateway's widget script.
'use client';
import {
  createElement,
  Fragment,
  useEffect,
  useRef,
  useState,
  version,
  type ReactElement,
  type ReactNode,
} from 'react';

export type BalcaoStatus =
  'Pending' | 'Processing' | 'Authorized' | 'Captured' | 'Paid' | 'Failed' | 'Canceled' | 'Expired';

/** A payment's reported state. It is only a hint for the page: your server must confirm it by callback or API. */
export type BalcaoDetail = {
  status: BalcaoStatus;
  revision: number;
  /** The payment's `clientToken`. It differs from the element's token after the payer chose to pay by reference. */
  token: string;
};

type Events = {
  /** Called with the payment's first known status and after each change. */
  onStatus?: ((detail: BalcaoDetail) => void) | undefined;
  /** Called when the payment is paid, also if it was paid before the page opened. Your server must confirm it. */
  onPaid?: ((detail: BalcaoDetail) => void) | undefined;
  /** Called when the payment has failed and the payer cannot retry it. */
  onFailed?: ((detail: BalcaoDetail) => void) | undefined;
  /** Called when the payment has expired. */
  onExpired?: ((detail: BalcaoDetail) => void) | undefined;
};

type Common = Events & {
  /** The gateway's origin, such as `https://pay.example`. The page loads the widget's loader once from this origin. */
  gateway: string;
  /** The payment's `clientToken`. Without a token the component shows nothing. */
  token: string | null | undefined;
  /** Default: the page's language if it is supported, else `pt`. */
  lang?: 'pt' | 'en' | 'fr' | undefined;
  /** Default: `auto`, the `color-scheme` of the element when it opens. */
  theme?: 'auto' | 'light' | 'dark' | undefined;
  className?: string | undefined;
  /** The nonce of the page's Content-Security-Policy, if its scripts need one. */
  nonce?: string | undefined;
};

export type BalcaoPaymentProps = Common & {
  /** Content until the script has loaded, and if it cannot load. Put a link to the payment's `checkoutUrl` here. */
  children?: ReactNode;
};

export type BalcaoCheckoutProps = Common & {
  /** True shows the checkout dialog, false closes it. */
  open: boolean;
  /** Called after the dialog was closed, with the payment's last known state or null. Set `open` to false here. */
  onClose: (detail: BalcaoDetail | null) => void;
  /** Called if this page's origin is missing in `allowedOrigins`. The dialog then links to the hosted page. */
  onBlocked?: (() => void) | undefined;
};

/** Shows a payment as a part of your page. */
export function BalcaoPayment({ children, ...props }: BalcaoPaymentProps): ReactElement {
  const attributes = useElement(props, {});
  return withScript(props, createElement('balcao-payment', attributes, children));
}

/** Shows the hosted checkout in a dialog over your page. */
export function BalcaoCheckout({ open, onClose, onBlocked, ...props }: BalcaoCheckoutProps): ReactElement {
  const attributes = useElement(props, { 'balcao:close': onClose, 'balcao:blocked': onBlocked });
  // React 18 would write `open="false"`, which opens the dialog.
  return withScript(
    props,
    createElement('balcao-checkout', { ...attributes, open: open || (IS_19 ? false : undefined) }),
  );
}

const IS_19 = Number.parseInt(version) >= 19;

const scriptOf = (gateway: string) => `${gateway.replace(/\/+$/, '')}/widget/loader.js`;

/** Adds the script. React 19 hoists an `async` script and loads each URL once. In React 18 it would never run. */
function withScript({ gateway, nonce }: Common, element: ReactElement): ReactElement {
  if (!IS_19) return element;
  const script = createElement('script', { async: true, src: scriptOf(gateway), nonce });
  return createElement(Fragment, null, script, element);
}

function addScript({ gateway, nonce = '' }: Common): void {
  const src = scriptOf(gateway);
  if (IS_19 || [...document.scripts].some((script) => script.getAttribute('src') === src)) return;
  document.head.append(Object.assign(document.createElement('script'), { async: true, src, nonce }));
}

type Handlers = Record<string, ((detail: never) => void) | undefined>;

/**
 * The attributes of an element. React listens to the element's events before the element gets its token.
 * On a server-rendered page the widget script may run before React hydrates.
 * Without this order React would miss the element's first events.
 */
function useElement(props: Common, more: Handlers): Record<string, unknown> {
  const { token, lang, theme, className, onStatus, onPaid, onFailed, onExpired } = props;
  const element = useRef<HTMLElement>(null);
  const latest = useRef<Handlers>({});
  const [isListening, setListening] = useState(false);
  useEffect(() => {
    latest.current = {
      'balcao:status': onStatus,
      'balcao:paid': onPaid,
      'balcao:failed': onFailed,
      'balcao:expired': onExpired,
      ...more,
    };
  });
  useEffect(() => {
    const { current } = element;
    const forward = ({ type, detail }: CustomEvent<never>) => latest.current[type]?.(detail);
    for (const name of EVENTS) current?.addEventListener(name, forward as never);
    setListening(true);
    addScript(props);
    return () => {
      for (const name of EVENTS) current?.removeEventListener(name, forward as never);
    };
  }, []);
  return { ref: element, token: (isListening && token) || '', lang, theme: theme ?? 'auto', class: className };
}

const EVENTS = ['balcao:status', 'balcao:paid', 'balcao:failed', 'balcao:expired', 'balcao:close', 'balcao:blocked'];
