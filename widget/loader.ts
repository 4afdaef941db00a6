// The loader: defines both elements immediately, and loads the widget when an element first has a payment to show.
import { baseOf, warnDeveloper } from './origin.ts';
import { isNeeded, CHECKOUT_TAG, defineShell, PAYMENT_TAG, readAttribute } from './shell.ts';

export { mount } from './mount.ts';

/** The widget file of the same build. The build writes its path and hash here. */
const WIDGET = { path: '__WIDGET_PATH__', integrity: '__WIDGET_INTEGRITY__' };

/** The wait before the widget's second download. Each further failure doubles it. */
const RETRY_MS = 5_000;
const RETRY_AT_MOST_MS = 60_000;

const nonce = (document.currentScript as HTMLScriptElement | null)?.nonce ?? '';

type ScriptUrls = { createScriptURL(url: string): string };
type TrustedTypes = { createPolicy(name: string, rules: ScriptUrls): ScriptUrls };

let urls: ScriptUrls | undefined;
/** Elements that wait for the running download. */
const waiting = new Set<HTMLElement>();
/** Elements whose download failed. They wait for the next attempt. */
const failed = new Set<HTMLElement>();
let retryMs = RETRY_MS;
let retrying: ReturnType<typeof setTimeout> | undefined;

for (const tag of [PAYMENT_TAG, CHECKOUT_TAG] as const)
  if (!customElements.get(tag)) defineShell(tag, undefined, fetchWidget);

addEventListener('online', () => {
  retryMs = RETRY_MS;
  tryAgain();
});

/** Downloads the widget once for all elements that need it. */
function fetchWidget(host: HTMLElement) {
  const isLoading = waiting.size > 0;
  waiting.add(host);
  if (isLoading) return;
  const script = document.createElement('script');
  const fail = () => {
    script.remove();
    const hosts = [...waiting];
    waiting.clear();
    hosts.forEach(fallBack);
    clearTimeout(retrying);
    retrying = setTimeout(tryAgain, retryMs);
    retryMs = Math.min(2 * retryMs, RETRY_AT_MOST_MS);
  };
  script.crossOrigin = 'anonymous';
  script.integrity = WIDGET.integrity;
  script.nonce = nonce;
  script.onload = () => {
    waiting.clear();
    failed.clear();
  };
  script.onerror = fail;
  try {
    const base = baseOf(host);
    if (!base) throw warnDeveloper(base);
    script.src = trustUrl(base + WIDGET.path);
    document.head.append(script);
  } catch {
    // The page does not name a gateway, or its Trusted Types policy does not allow our policy.
    fail();
  }
}

/** Without the widget, an open dialog navigates to the hosted page, and a <balcao-payment> still shows its children. */
function fallBack(host: HTMLElement) {
  const base = baseOf(host);
  if (base && host.localName === CHECKOUT_TAG && isNeeded(host))
    location.assign(`${base}/checkout/${encodeURIComponent(readAttribute(host, 'token')!)}`);
  else failed.add(host);
}

function tryAgain() {
  const hosts = [...failed];
  failed.clear();
  hosts.forEach((host) => host.isConnected && fetchWidget(host));
}

/** Creates a trusted script URL. Pages that require Trusted Types must allow our policy `balcao` in their CSP. */
function trustUrl(url: string): string {
  const { trustedTypes } = window as { trustedTypes?: TrustedTypes };
  try {
    urls ??= trustedTypes?.createPolicy('balcao', { createScriptURL: (each) => each });
  } catch {
    // The page does not allow our policy. A page that does not require Trusted Types accepts a plain string.
  }
  return urls ? urls.createScriptURL(url) : url;
}
