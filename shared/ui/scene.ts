// A payment as the components draw it. Each render and each opening makes its own signals.
import { computed, effect, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import { announceScreen, newsOf } from '../announce.ts';
import type { ServerClock } from '../countdown.ts';
import type { Payer, PayerState } from '../payer.ts';
import { describeScreen, speak, type Screen } from '../screen.ts';

const TICK_MS = 500;

/** What the hosted page and the widget differ in. */
export type Place = {
  /** A screen's title, and what stands below it. */
  headings: readonly ['h1', 'h2'] | readonly ['h2', 'h3'];
  /** The script has taken over: what only it can do may be offered. */
  isLive: { readonly value: boolean };
  /** Where a form goes when no script takes it; nothing where one always does. */
  formOf(leaf: '/pay' | '/reference' | '/qrcode'): { method: 'post'; action: string } | undefined;
  /** A field whose number was refused has the focus from the start. */
  isFocusing: boolean;
  /** The address of one of the payment's images. */
  imageOf(name: 'logo' | 'qrcode.svg'): string;
  /** Where a link into the payer's app opens. */
  target: '_top' | undefined;
  /** What a merchant dresses an element by; nothing where none may. */
  partOf(name: string): string | undefined;
};

/** Spread into elements with amounts, names and codes, which no browser may translate. Preact would set `translate` as a boolean. */
export const VERBATIM = { Translate: 'no' } as object;

export type Scene = Place & {
  /** The one value that changes: as the payer and the server leave it. */
  held: Signal<PayerState>;
  /** The same as it is shown. */
  state: ReadonlySignal<PayerState>;
  /** The server's time that is shown. */
  now: Signal<number>;
  screen: ReadonlySignal<Screen>;
  /** A payer's text by its key. */
  say(key: string): string;
};

/** What a payer may do. */
export type Acts = Pick<Payer, 'pay' | 'payByReference' | 'payByCode' | 'copy'>;

/** A payment as it is first drawn, on the server and in a browser alike: at the session's own time. */
export function openScene(first: PayerState, place: Place): Scene {
  const held = signal(first);
  const now = signal(Date.parse(first.session.serverTime));
  // It is not over for its payer when another takes its place: until that one is there, nothing else is shown.
  let last = first;
  const state = computed(() => (held.value.session.replacedByUrl ? last : (last = held.value)));
  const screen = computed(() => describeScreen(state.value, now.value));
  const say = (key: string) => speak(state.value.texts, screen.value.places)(key);
  return { ...place, held, state, now, screen, say };
}

/** Shows the time as it goes on, and the time of each change, until the returned function is called. */
export function runClock({ held, now, screen }: Scene, clock: ServerClock): () => void {
  const tell = () => void (now.value = clock.nowMs());
  const stop = held.subscribe(tell);
  // A reference may be looked at for hours, and nothing on it counts down.
  const ticking = setInterval(() => held.value.session.isFinal || screen.value.details || tell(), TICK_MS);
  return () => {
    stop();
    clearInterval(ticking);
  };
}

/**
 * Draws it at once and whenever a signal that was read for it has changed, and tells what is new, until the returned
 * function is called.
 * @param isNews what is drawn first is news too
 */
export function keepDrawn(
  { screen }: Scene,
  root: Document | ShadowRoot,
  isNews: boolean,
  draw: () => void,
): () => void {
  let last: Screen | null = null;
  return effect(() =>
    announceScreen(root, () => {
      const before = last;
      last = screen.value;
      draw();
      return before ? newsOf(last, before) : isNews && last.title;
    }),
  );
}
