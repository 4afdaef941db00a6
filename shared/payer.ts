// What a payer does and sees on the page and in the widget alike: the state of their screen, and its actions: to pay, or to copy.
import type { CheckoutSession, CheckoutSessionWithTexts, Texts } from './checkout.ts';
import { copyText } from './copy.ts';
import type { Gateway, PayAnswer } from './gateway.ts';
import { normalizePhone } from './phone.ts';
import type { DetailPart, Detail } from './details.ts';
import { watchSession, type WatchListener } from './watch.ts';

export type PayerState = {
  session: CheckoutSession;
  texts: Texts;
  /** The number last submitted, kept so that another try needs no typing; it never leaves this page but to pay. */
  typed: string;
  /** What is wrong with the number or the request, in words. */
  error: string | null;
  /** Why the payer could not go on by reference, in words. */
  trouble: string | null;
  /**
   * `sending`: the request to pay is on its way; `switching`: the one to go on by reference. `checking`: it broke on its
   * way, and only a read tells whether it arrived.
   */
  step: 'idle' | 'sending' | 'switching' | 'checking';
  isOffline: boolean;
  /** What was copied a moment ago; `selected` when it could only be selected. */
  copied: DetailPart | 'selected' | null;
};

export type Payer = {
  /** Asks for a push to the typed number; ignored while another request is on its way. Resolves when it is known what came of it. */
  pay(typed: string): Promise<void>;
  /** Goes on by reference, ignored likewise: the session then says where. */
  payByReference(): Promise<void>;
  /** Has a code made, beside whatever else goes on; @param isAsked by the payer, who is told why there is none */
  payByCode(isAsked: boolean): Promise<void>;
  /** Takes one of the details along, from where it is shown, and says so for a moment. */
  copy(row: Detail, shown: Element): Promise<void>;
  wake(): Promise<void>;
  rest(): void;
  stop(): void;
};

/** A page that is looked at has its code made by itself: it stands beside the number, and opens the payer's app at once. */
export function isCodeWanted({ ways, qr, status }: CheckoutSession): boolean {
  return !!ways?.includes('qrcode') && !qr && status === 'Pending';
}

/** A payer's state before they have done anything. */
export function beginState(session: CheckoutSessionWithTexts): PayerState {
  return { session, texts: session.texts, typed: '', ...CALM, step: 'idle', isOffline: false, copied: null };
}

/** Problems whose words have another name than `error.` and their code. */
const ERRORS: Record<string, string> = {
  validation_failed: 'phone_invalid',
  payment_in_progress: 'other_phone_processing',
};

/** Whatever was wrong is over. */
const CALM = { error: null, trouble: null } as const;

/** A code that came to be beside the form says nothing of the number in it; any other news ends what was wrong. */
function takeNews({ session: before, texts, error }: PayerState, session: CheckoutSession): Partial<PayerState> {
  const isOfCode = session.status === before.status && session.attemptsLeft === before.attemptsLeft;
  // A session that was read carries its texts; one that was streamed does not.
  const carried = (session as CheckoutSessionWithTexts).texts;
  return { session, texts: carried ?? texts, ...CALM, ...(isOfCode && { error }) };
}

const RETRY_MS = 3_000;
const COPIED_MS = 4_000;

/** Follows a payment and keeps its state where it is held; `heard` is the server's time whenever it speaks. */
export function followPayment(gateway: Gateway, held: { value: PayerState }, heard: WatchListener['heard']): Payer {
  let [words, isStopped] = [0, false];
  const change = (part: Partial<PayerState>) => {
    if (!isStopped) held.value = { ...held.value, ...part };
  };

  const explainRefusal = (code: string) =>
    held.value.texts[`error.${ERRORS[code] ?? code}`] ?? held.value.texts['error.try_again'] ?? '';

  const watch = watchSession(gateway, held.value.session, {
    session: (session) => change(takeNews(held.value, session)),
    heard: (serverTime) => (words++, heard(serverTime)),
    reachable: (isReachable) => held.value.isOffline === isReachable && change({ isOffline: !isReachable }),
  });

  async function pay(typed: string) {
    if (held.value.step !== 'idle') return;
    const isPhone = normalizePhone(typed);
    change({ ...CALM, typed, error: isPhone ? null : explainRefusal('phone_invalid') });
    if (isPhone) await ask('sending', 'error', () => gateway.pay(typed));
  }

  async function payByReference() {
    if (held.value.step === 'idle') await ask('switching', 'trouble', gateway.payByReference);
  }

  /** Sends a request, once; why it was refused is told at its own place. */
  async function ask(step: 'sending' | 'switching', place: 'error' | 'trouble', send: () => Promise<PayAnswer>) {
    change({ ...CALM, step });
    const { session, code, url } = await send();
    if (isStopped) return;
    // Whoever shows the payment goes there: until then it is on its way.
    if (url) return change({ session: { ...held.value.session, replacedByUrl: url } });
    if (session) {
      watch.accept(session);
      return change({ step: 'idle' });
    }
    if (code) {
      change({ [place]: explainRefusal(code), step: 'idle' });
      // The server knows something this screen does not: another tab has paid, or the time is over.
      return watch.wake();
    }
    change({ step: 'checking' });
    await learnOutcome(place);
  }

  /** Reads until the server has said something: never pays again by itself, never calls it failed. */
  async function learnOutcome(place: 'error' | 'trouble') {
    const { revision } = held.value.session;
    const wordsBefore = words;
    for (;;) {
      await watch.wake();
      if (isStopped || words > wordsBefore) break;
      await new Promise<void>((resolve) => gateway.after(RETRY_MS, resolve));
    }
    const hasArrived = held.value.session.revision > revision;
    change({ step: 'idle', [place]: hasArrived ? null : explainRefusal('not_sent') });
  }

  function stop() {
    isStopped = true;
    watch.stop();
  }

  const payByCode = askForCode(gateway, watch.accept, (code) => change({ trouble: explainRefusal(code) }));
  const copy = followCopies(gateway, (copied) => change({ copied }));
  return { ...watch, pay, payByReference, payByCode, copy, stop };
}

/** Whatever else goes on beside it: a page that is left wants no code any more. */
function askForCode(
  { payByCode }: Gateway,
  accept: (session: CheckoutSession) => void,
  explain: (code: string) => void,
): Payer['payByCode'] {
  return async (isAsked) => {
    const { session, code = 'try_again' } = await payByCode();
    if (session) accept(session);
    else if (isAsked) explain(code);
  };
}

/** What was copied is told for a moment. */
function followCopies({ after }: Gateway, tell: (copied: PayerState['copied']) => void): Payer['copy'] {
  let forget = () => {};
  return async ({ part, copies }, shown) => {
    // Said anew each time, or a second copy would be silent.
    tell(null);
    const isCopied = await copyText(copies ?? '', shown);
    forget();
    tell(isCopied ? part : 'selected');
    forget = after(COPIED_MS, () => tell(null));
  };
}
