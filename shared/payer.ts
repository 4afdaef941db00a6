// The state of a payer's screen, and the payer's actions such as paying or copying a value.
// The checkout page and the widget share this module.
import type { CheckoutSession, CheckoutSessionWithTexts, Texts } from './checkout.ts';
import { copyText } from './copy.ts';
import type { Gateway, PayAnswer } from './gateway.ts';
import { normalizePhone } from './phone.ts';
import type { DetailPart, Detail } from './details.ts';
import { watchSession, type WatchListener } from './watch.ts';

export type PayerState = {
  session: CheckoutSession;
  texts: Texts;
  /** The phone number that was last submitted, for another attempt. The page sends it only when the payer pays. */
  typed: string;
  /** The error text below the phone number. */
  error: string | null;
  /** The error text of a failed request to pay by reference or by QR code. */
  trouble: string | null;
  /**
   * Steps of a payer's screen. `sending`: a push request is in progress. `switching`: a request to pay by reference.
   * `checking`: a request got no response, and the page reads the session to see if it arrived.
   */
  step: 'idle' | 'sending' | 'switching' | 'checking';
  isOffline: boolean;
  /** The row that was copied in the last seconds. `selected` if the browser could only select the text. */
  copied: DetailPart | 'selected' | null;
};

export type Payer = {
  /** Requests a push to the typed number. Ignored during another request. Resolves when the outcome is known. */
  pay(typed: string): Promise<void>;
  /** Replaces the payment by a payment by reference. Ignored during another request. */
  payByReference(): Promise<void>;
  /** Requests a QR code, also during another request. If `showsRefusal` is true, the payer sees why it was refused. */
  payByCode(showsRefusal: boolean): Promise<void>;
  /** Copies a row of the details, and shows the result for some seconds. @param shown the element with the text */
  copy(row: Detail, shown: Element): Promise<void>;
  wake(): Promise<void>;
  rest(): void;
  stop(): void;
};

/** True if the page requests a QR code as soon as it opens, so that the first tap can open the payer's app. */
export function isCodeWanted({ ways, qr, status }: CheckoutSession): boolean {
  return !!ways?.includes('qrcode') && !qr && status === 'Pending';
}

/** The initial state of a payer's screen. */
export function beginState(session: CheckoutSessionWithTexts): PayerState {
  return { session, texts: session.texts, typed: '', ...NO_ERRORS, step: 'idle', isOffline: false, copied: null };
}

/** Text keys of problem codes whose key is not `error.` followed by the code. */
const ERRORS: Record<string, string> = {
  validation_failed: 'phone_invalid',
  payment_in_progress: 'other_phone_processing',
};

/** A change of the screen's state that clears both error texts. */
const NO_ERRORS = { error: null, trouble: null } as const;

/** The state change for a new session. It clears errors, but a session that only adds a QR code keeps `error`. */
function applySession({ session: before, texts, error }: PayerState, session: CheckoutSession): Partial<PayerState> {
  const isOfCode = session.status === before.status && session.attemptsLeft === before.attemptsLeft;
  // A session from a read carries its texts. A session from the stream carries no texts.
  const carried = (session as CheckoutSessionWithTexts).texts;
  return { session, texts: carried ?? texts, ...NO_ERRORS, ...(isOfCode && { error }) };
}

const RETRY_MS = 3_000;
const COPIED_MS = 4_000;

/** Follows a payment and updates `held`. The callback `onServerTime` receives the time of each server message. */
export function followPayment(
  gateway: Gateway,
  held: { value: PayerState },
  onServerTime: WatchListener['serverTime'],
): Payer {
  let [serverMessages, isStopped] = [0, false];
  const change = (part: Partial<PayerState>) => {
    if (!isStopped) held.value = { ...held.value, ...part };
  };

  const explainRefusal = (code: string) =>
    held.value.texts[`error.${ERRORS[code] ?? code}`] ?? held.value.texts['error.try_again'] ?? '';

  const watch = watchSession(gateway, held.value.session, {
    session: (session) => change(applySession(held.value, session)),
    serverTime: (serverTime) => (serverMessages++, onServerTime(serverTime)),
    reachable: (isReachable) => held.value.isOffline === isReachable && change({ isOffline: !isReachable }),
  });

  async function pay(typed: string) {
    if (held.value.step !== 'idle') return;
    const isPhone = normalizePhone(typed);
    change({ ...NO_ERRORS, typed, error: isPhone ? null : explainRefusal('phone_invalid') });
    if (isPhone) await send('sending', 'error', () => gateway.pay(typed));
  }

  async function payByReference() {
    if (held.value.step === 'idle') await send('switching', 'trouble', gateway.payByReference);
  }

  /** Sends a payer's request once. If the gateway refuses it, the reason goes into the given field of the state. */
  async function send(step: 'sending' | 'switching', field: 'error' | 'trouble', request: () => Promise<PayAnswer>) {
    change({ ...NO_ERRORS, step });
    const { session, code, url } = await request();
    if (isStopped) return;
    // The page or the widget opens this URL. Until then the `step` stays unchanged.
    if (url) return change({ session: { ...held.value.session, replacedByUrl: url } });
    if (session) {
      watch.accept(session);
      return change({ step: 'idle' });
    }
    if (code) {
      change({ [field]: explainRefusal(code), step: 'idle' });
      // The server's state is newer than this screen: the payer paid in another tab, or the payment has expired.
      return watch.wake();
    }
    change({ step: 'checking' });
    await waitForOutcome(field);
  }

  /** Reads the session until the server responds. Does not send the payment again, and does not show it as failed. */
  async function waitForOutcome(field: 'error' | 'trouble') {
    const { revision } = held.value.session;
    const messagesBefore = serverMessages;
    for (;;) {
      await watch.wake();
      if (isStopped || serverMessages > messagesBefore) break;
      await new Promise<void>((resolve) => gateway.after(RETRY_MS, resolve));
    }
    const hasArrived = held.value.session.revision > revision;
    change({ step: 'idle', [field]: hasArrived ? null : explainRefusal('not_sent') });
  }

  function stop() {
    isStopped = true;
    watch.stop();
  }

  const payByCode = createCodeRequest(gateway, watch.accept, (code) => change({ trouble: explainRefusal(code) }));
  const copy = createCopy(gateway, (copied) => change({ copied }));
  return { ...watch, pay, payByReference, payByCode, copy, stop };
}

/** Requests a QR code without a change of `step`, so that the payer can use the form during the request. */
function createCodeRequest(
  { payByCode }: Gateway,
  accept: (session: CheckoutSession) => void,
  explain: (code: string) => void,
): Payer['payByCode'] {
  return async (showsRefusal) => {
    const { session, code = 'try_again' } = await payByCode();
    if (session) accept(session);
    else if (showsRefusal) explain(code);
  };
}

/** Copies a text, and shows the result on the screen for `COPIED_MS`. */
function createCopy({ after }: Gateway, show: (copied: PayerState['copied']) => void): Payer['copy'] {
  let cancelReset = () => {};
  return async ({ part, copies }, shown) => {
    // The status line is cleared first. Otherwise a screen reader would not announce a second copy.
    show(null);
    const isCopied = await copyText(copies ?? '', shown);
    cancelReset();
    show(isCopied ? part : 'selected');
    cancelReset = after(COPIED_MS, () => show(null));
  };
}
