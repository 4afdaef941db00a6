// The implementation of <balcao-payment>: shows a payment in a shadow root.
import { render } from 'preact';
import type { CheckoutSession, CheckoutSessionWithTexts } from '../shared/checkout.ts';
import { followServerClock } from '../shared/countdown.ts';
import { listenWakes, openGateway, type Gateway } from '../shared/gateway.ts';
import { beginState, followPayment, isCodeWanted } from '../shared/payer.ts';
import { keepDrawn, openScene, runClock } from '../shared/ui/scene.ts';
import { Notice, Payment, sceneOptions } from './payment.tsx';
import { langOf, openBox, dispatchStatus } from './host.ts';
import { NOTICES, type NoticeName } from './notices.ts';
import { baseOf, warnDeveloper } from './origin.ts';
import { isNeeded, readAttribute } from './shell.ts';

const RETRY_MS = 3_000;

/**
 * Shows the payment of the element's token, and later the payment that replaced it.
 * The returned function removes the payment from the element.
 */
export function openPayment(host: HTMLElement): (() => void) | undefined {
  if (!isNeeded(host)) return undefined;
  const box = openBox(host);
  let close = () => {};
  const open = (token: string, isReplacement: boolean) => {
    close();
    close = openToken({ host, box, token, isReplacement, openReplacement: (url) => open(tokenOf(url), true) });
  };
  open(readAttribute(host, 'token')!, false);
  return () => {
    close();
    render(null, box);
    showChildren(box, true);
  };
}

type Place = {
  host: HTMLElement;
  box: Element;
  token: string;
  /** True if this payment replaces another payment, whose screen is still visible. */
  isReplacement: boolean;
  /** Shows the payment that replaced this one. @param url the URL of the replacement's checkout */
  openReplacement(url: string): void;
};

/** Returns the client token in the URL of a checkout. */
function tokenOf(url: string): string {
  return new URL(url).pathname.split('/')[2] ?? '';
}

function openToken(place: Place): () => void {
  const { host, box, token, isReplacement } = place;
  const lang = langOf(host);
  const closing = new AbortController();
  const showNotice = (name: NoticeName) => {
    render(<Notice lang={lang}>{NOTICES[lang][name]}</Notice>, box);
    showChildren(box, name !== 'opening');
  };
  if (!isReplacement) showNotice('opening');
  void readFirst();
  return () => closing.abort();

  /** Requests the first session until the gateway responds. The session contains all texts of the screens. */
  async function readFirst() {
    if (closing.signal.aborted) return;
    // The gateway's URL is read at each attempt, because the merchant's page may set it later.
    const base = baseOf(host);
    const gateway = openGateway(base, token, lang);
    const answer = base ? await gateway.readSession().catch(() => null) : null;
    if (closing.signal.aborted) return;
    if (answer === 'gone') showNotice('missing');
    else if (answer && answer !== 'busy') followFirst(place, gateway, closing.signal, answer);
    else {
      const { onLine } = navigator;
      showNotice(onLine ? 'failing' : 'offline');
      if (onLine && !answer) warnDeveloper(base);
      gateway.after(RETRY_MS, readFirst);
    }
  }
}

/** Shows or hides the element's children, which are the merchant's fallback while the payment cannot be shown. */
function showChildren(box: Element, isShown: boolean) {
  (box.nextElementSibling as HTMLSlotElement).hidden = !isShown;
}

const BRAND_COLORS = ['light', 'dark', 'fill', 'letters'] as const;

/** Sets the merchant's colours by script, because the CSP of the merchant's page may forbid style attributes. */
function dressHost({ style }: HTMLElement, { merchant: { brand } }: CheckoutSessionWithTexts) {
  for (const name of BRAND_COLORS) style.setProperty(`--brand-${name}`, brand && brand[name]);
}

function followFirst(
  { host, box, token, isReplacement, openReplacement }: Place,
  gateway: Gateway,
  signal: AbortSignal,
  session: CheckoutSessionWithTexts,
) {
  if (session.replacedByUrl) return openReplacement(session.replacedByUrl);
  dressHost(host, session);
  showChildren(box, false);
  const scene = openScene(beginState(session), sceneOptions(gateway));
  const clock = followServerClock(session.serverTime, () => performance.now());
  const payer = followPayment(gateway, scene.held, clock.observe);
  const root = box.getRootNode() as ShadowRoot;
  const stopClock = runClock(scene, clock);
  const stopDrawing = keepDrawn(scene, root, isReplacement, () =>
    render(<Payment scene={scene} gateway={gateway} acts={payer} />, box),
  );
  if (isCodeWanted(session)) void payer.payByCode(false);
  listenWakes(payer, { signal });
  let last: CheckoutSession = session;
  const stopEvents = scene.held.subscribe(({ session: next }) => {
    if (next === last) return;
    const before = last;
    last = next;
    // A replaced payment sends no event of its end, because the payer continues with the replacement.
    if (next.replacedByUrl) openReplacement(next.replacedByUrl);
    else dispatchStatus(host, { ...next, token }, before);
  });
  signal.addEventListener('abort', () => {
    payer.stop();
    stopClock();
    stopDrawing();
    stopEvents();
  });
  // This line must be last, because the page's event handler may remove the element.
  dispatchStatus(host, { ...session, token }, null);
}
