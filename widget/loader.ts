// The loader: defines both elements at once, and fetches the widget when the first of them has something to show.
import { baseOf, warn } from './origin.ts';
import { isNeeded, CHECKOUT_TAG, defineShell, PAYMENT_TAG, read } from './shell.ts';

export { mount } from './mount.ts';

/** The one widget this loader was built with: the build writes its path and its hash here. */
const WIDGET = { path: '__WIDGET_PATH__', integrity: '__WIDGET_INTEGRITY__' };

/** After the first failure; each further one doubles it. */
const RETRY_MS = 5_000;
const RETRY_AT_MOST_MS = 60_000;

const nonce = (document.currentScript as HTMLScriptElement | null)?.nonce ?? '';

type ScriptUrls = { createScriptURL(url: string): string };
type TrustedTypes = { createPolicy(name: string, rules: ScriptUrls): ScriptUrls };

let urls: ScriptUrls | undefined;
const asking = new Set<HTMLElement>();
/** Those that it did not come for, until it is tried again. */
const left = new Set<HTMLElement>();
let retryMs = RETRY_MS;
let retrying: ReturnType<typeof setTimeout> | undefined;

for (const tag of [PAYMENT_TAG, CHECKOUT_TAG] as const)
  if (!customElements.get(tag)) defineShell(tag, undefined, fetchWidget);

addEventListener('online', () => {
  retryMs = RETRY_MS;
  tryAgain();
});

/** Once for all that ask. */
function fetchWidget(host: HTMLElement) {
  const isComing = asking.size > 0;
  asking.add(host);
  if (isComing) return;
  const script = document.createElement('script');
  const fail = () => {
    script.remove();
    const hosts = [...asking];
    asking.clear();
    hosts.forEach(goOnWithout);
    clearTimeout(retrying);
    retrying = setTimeout(tryAgain, retryMs);
    retryMs = Math.min(2 * retryMs, RETRY_AT_MOST_MS);
  };
  script.crossOrigin = 'anonymous';
  script.integrity = WIDGET.integrity;
  script.nonce = nonce;
  script.onload = () => {
    asking.clear();
    left.clear();
  };
  script.onerror = fail;
  try {
    const base = baseOf(host);
    if (!base) throw warn(base);
    script.src = trustUrl(base + WIDGET.path);
    document.head.append(script);
  } catch {
    // The page names no gateway, or demands trusted types and does not name ours.
    fail();
  }
}

/** Whoever opened a dialog wants to pay: the page does without the widget. What stands in the other element stays there. */
function goOnWithout(host: HTMLElement) {
  const base = baseOf(host);
  if (base && host.localName === CHECKOUT_TAG && isNeeded(host))
    location.assign(`${base}/checkout/${encodeURIComponent(read(host, 'token')!)}`);
  else left.add(host);
}

function tryAgain() {
  const hosts = [...left];
  left.clear();
  hosts.forEach((host) => host.isConnected && fetchWidget(host));
}

/** Pages that demand trusted types name our policy in theirs. */
function trustUrl(url: string): string {
  const { trustedTypes } = window as { trustedTypes?: TrustedTypes };
  try {
    urls ??= trustedTypes?.createPolicy('balcao', { createScriptURL: (each) => each });
  } catch {
    // Not named there: a page that does not demand them takes the address as it is.
  }
  return urls ? urls.createScriptURL(url) : url;
}
