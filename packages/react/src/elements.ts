// The widget's two elements as components of React 18 and 19: typed, drawn by a server too, with the gateway's script.
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

/** What was heard of a payment. It is a hint for the page: what to deliver is decided on the server, by callback or API. */
export type BalcaoDetail = {
  status: BalcaoStatus;
  revision: number;
  /** The payment's `clientToken`: another than the element's once its payer has gone on by reference. */
  token: string;
};

type Events = {
  /** The first known status, and each change. */
  onStatus?: ((detail: BalcaoDetail) => void) | undefined;
  /** It was paid, also when it was so from the start. A hint: deliver when your server has learned it. */
  onPaid?: ((detail: BalcaoDetail) => void) | undefined;
  /** It has failed for good. */
  onFailed?: ((detail: BalcaoDetail) => void) | undefined;
  /** Its time is over. */
  onExpired?: ((detail: BalcaoDetail) => void) | undefined;
};

type Common = Events & {
  /** The gateway's origin, such as `https://pay.example`: its loader is fetched from there, once a page. */
  gateway: string;
  /** The payment's `clientToken`. Until there is one nothing is shown. */
  token: string | null | undefined;
  /** Default: the page's language when it is one of these, else `pt`. */
  lang?: 'pt' | 'en' | 'fr' | undefined;
  /** Default: `auto`, as the payer's device prefers. */
  theme?: 'auto' | 'light' | 'dark' | undefined;
  className?: string | undefined;
  /** Of the page's Content-Security-Policy, where its scripts need one. */
  nonce?: string | undefined;
};

export type BalcaoPaymentProps = Common & {
  /** Shown until the script has come, and where it never does: a link to the payment's `checkoutUrl`. */
  children?: ReactNode;
};

export type BalcaoCheckoutProps = Common & {
  /** Whether the dialog is shown. */
  open: boolean;
  /** It was closed, by whomever; with what was last heard of the payment, or null. Set `open` to false here. */
  onClose: (detail: BalcaoDetail | null) => void;
  /** The merchant's `allowedOrigins` do not name this page's origin: the dialog says so, and leads to the payment's own page. */
  onBlocked?: (() => void) | undefined;
};

/** The payment in its place in the page. */
export function BalcaoPayment({ children, ...props }: BalcaoPaymentProps): ReactElement {
  const attributes = useElement(props, {});
  return withScript(props, createElement('balcao-payment', attributes, children));
}

/** The hosted checkout in a dialog over the page. */
export function BalcaoCheckout({ open, onClose, onBlocked, ...props }: BalcaoCheckoutProps): ReactElement {
  const attributes = useElement(props, { 'balcao:close': onClose, 'balcao:blocked': onBlocked });
  // React 18 would write `open="false"`, which opens it.
  return withScript(
    props,
    createElement('balcao-checkout', { ...attributes, open: open || (IS_19 ? false : undefined) }),
  );
}

const IS_19 = Number.parseInt(version) >= 19;

const scriptOf = (gateway: string) => `${gateway.replace(/\/+$/, '')}/widget/loader.js`;

/** React 19 hoists an `async` script and writes each address once. A script that React 18 draws never runs. */
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
 * What an element is given. It has its token once its events are heard: where a server drew it, the script may be there before
 * React is, and React hears nothing of an element that it takes over.
 */
function useElement(props: Common, more: Handlers): Record<string, unknown> {
  const { token, lang, theme, className, onStatus, onPaid, onFailed, onExpired } = props;
  const element = useRef<HTMLElement>(null);
  const latest = useRef<Handlers>({});
  const [isHeard, setHeard] = useState(false);
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
    const hear = ({ type, detail }: CustomEvent<never>) => latest.current[type]?.(detail);
    for (const name of EVENTS) current?.addEventListener(name, hear as never);
    setHeard(true);
    addScript(props);
    return () => {
      for (const name of EVENTS) current?.removeEventListener(name, hear as never);
    };
  }, []);
  return { ref: element, token: (isHeard && token) || '', lang, theme: theme ?? 'auto', class: className };
}

const EVENTS = ['balcao:status', 'balcao:paid', 'balcao:failed', 'balcao:expired', 'balcao:close', 'balcao:blocked'];
