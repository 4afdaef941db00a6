// What <balcao-payment> does: a payment in a shadow root, from its first read to its end.
import { render } from 'preact';
import type { CheckoutSession, CheckoutSessionWithTexts } from '../shared/checkout.ts';
import { followServerClock } from '../shared/countdown.ts';
import { listenWakes, openGateway, type Gateway } from '../shared/gateway.ts';
import { beginState, followPayment, isCodeWanted } from '../shared/payer.ts';
import { keepDrawn, openScene, runClock } from '../shared/ui/scene.ts';
import { Notice, Payment, placeOf } from './payment.tsx';
import { langOf, openBox, tellPage } from './host.ts';
import { NOTICES, type NoticeName } from './notices.ts';
import { baseOf, warn } from './origin.ts';
import { isNeeded, read } from './shell.ts';

const RETRY_MS = 3_000;

/** Shows the element's payment, if it has a token, and whichever takes its place, until the returned function is called. */
export function openPayment(host: HTMLElement): (() => void) | undefined {
  if (!isNeeded(host)) return undefined;
  const box = openBox(host);
  let close = () => {};
  const open = (token: string, isNext: boolean) => {
    close();
    close = openToken({ host, box, token, isNext, goOn: (url) => open(tokenOf(url), true) });
  };
  open(read(host, 'token')!, false);
  return () => {
    close();
    render(null, box);
    showOwn(box, true);
  };
}

type Place = {
  host: HTMLElement;
  box: Element;
  token: string;
  /** It took the place of another, whose screen still stands. */
  isNext: boolean;
  /** Another has taken its place: to be shown instead. */
  goOn(url: string): void;
};

/** The client token in a checkout's address. */
function tokenOf(url: string): string {
  return new URL(url).pathname.split('/')[2] ?? '';
}

function openToken(place: Place): () => void {
  const { host, box, token, isNext } = place;
  const lang = langOf(host);
  const closing = new AbortController();
  const tell = (about: NoticeName) => {
    render(<Notice lang={lang}>{NOTICES[lang][about]}</Notice>, box);
    showOwn(box, about !== 'opening');
  };
  if (!isNext) tell('opening');
  void readFirst();
  return () => closing.abort();

  /** Asks for the first session until there is an answer: with it come the words of all that follows. */
  async function readFirst() {
    if (closing.signal.aborted) return;
    // Until the payment is shown, the page may still name another gateway.
    const base = baseOf(host);
    const gateway = openGateway(base, token, lang);
    const answer = base ? await gateway.readSession().catch(() => null) : null;
    if (closing.signal.aborted) return;
    if (answer === 'gone') tell('missing');
    else if (answer && answer !== 'busy') followFirst(place, gateway, closing.signal, answer);
    else {
      const { onLine } = navigator;
      tell(onLine ? 'failing' : 'offline');
      if (onLine && !answer) warn(base);
      gateway.after(RETRY_MS, readFirst);
    }
  }
}

/** What the merchant put inside the element is another way to pay: seen while this one cannot be. */
function showOwn(box: Element, isShown: boolean) {
  (box.nextElementSibling as HTMLSlotElement).hidden = !isShown;
}

/** In its merchant's colour: set by script, which no policy of the page forbids. */
function dressHost({ style }: HTMLElement, { merchant: { brand } }: CheckoutSessionWithTexts) {
  style.setProperty('--brand-light', brand && brand.light);
  style.setProperty('--brand-dark', brand && brand.dark);
}

function followFirst(
  { host, box, token, isNext, goOn }: Place,
  gateway: Gateway,
  signal: AbortSignal,
  session: CheckoutSessionWithTexts,
) {
  if (session.replacedByUrl) return goOn(session.replacedByUrl);
  dressHost(host, session);
  showOwn(box, false);
  const scene = openScene(beginState(session), placeOf(gateway));
  const clock = followServerClock(session.serverTime, () => performance.now());
  const payer = followPayment(gateway, scene.held, clock.hear);
  const root = box.getRootNode() as ShadowRoot;
  const stopClock = runClock(scene, clock);
  const stopDrawing = keepDrawn(scene, root, isNext, () =>
    render(<Payment scene={scene} gateway={gateway} acts={payer} />, box),
  );
  if (isCodeWanted(session)) void payer.payByCode(false);
  listenWakes(payer, { signal });
  let last: CheckoutSession = session;
  const stopTelling = scene.held.subscribe(({ session: next }) => {
    if (next === last) return;
    const before = last;
    last = next;
    // It is not over for its payer: of its end nothing is told, but of what took its place.
    if (next.replacedByUrl) goOn(next.replacedByUrl);
    else tellPage(host, { ...next, token }, before);
  });
  signal.addEventListener('abort', () => {
    payer.stop();
    stopClock();
    stopDrawing();
    stopTelling();
  });
  // Last: a page may take the element away as it hears this.
  tellPage(host, { ...session, token }, null);
}
