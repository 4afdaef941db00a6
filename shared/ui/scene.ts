// The reactive state of a payment's screen. Each server render and each opened page creates its own signals.
import { computed, effect, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import { announceScreen, announcementOf } from '../announce.ts';
import type { ServerClock } from '../countdown.ts';
import type { Payer, PayerState } from '../payer.ts';
import { describeScreen, createTextLookup, type Screen } from '../screen.ts';

const TICK_MS = 500;

/** The options that differ between the hosted page and the widget. */
export type SceneOptions = {
  /** The heading elements of a screen's title and of its sections. */
  headings: readonly ['h1', 'h2'] | readonly ['h2', 'h3'];
  /** True as soon as the script runs. Then the screen shows features that need a script. */
  isLive: { readonly value: boolean };
  /** The attributes of a form for browsers without a script. Undefined in the widget, which always has a script. */
  formOf(leaf: '/pay' | '/reference' | '/qrcode'): { method: 'post'; action: string } | undefined;
  /** True if a field with an error gets the focus when the page opens. */
  isFocusing: boolean;
  /** The URL of one of the payment's images. */
  imageOf(name: 'logo' | 'qrcode.svg'): string;
  /** The `target` attribute of links into the payer's app. */
  target: '_top' | undefined;
  /** The `part` by which a merchant's CSS styles an element of the widget. Undefined on the hosted page. */
  partOf(name: string): string | undefined;
};

/**
 * Attributes for amounts, names and codes that browsers must not translate.
 * The capital letter in `Translate` makes Preact set an attribute. `translate` would be a boolean property.
 */
export const VERBATIM = { Translate: 'no' } as object;

export type Scene = SceneOptions & {
  /** The current state, which the payer's actions and the server's messages change. */
  held: Signal<PayerState>;
  /** The displayed state: `held`, or the last state before another payment replaced this one. */
  state: ReadonlySignal<PayerState>;
  /** The server's time for countdowns. */
  now: Signal<number>;
  screen: ReadonlySignal<Screen>;
  /** Returns a text of the payer's language by its key. */
  say(key: string): string;
};

/** The payer's actions. */
export type Acts = Pick<Payer, 'pay' | 'payByReference' | 'payByCode' | 'copy'>;

/** Creates the screen's state at the session's server time, so that the browser's first render equals the server's. */
export function openScene(first: PayerState, options: SceneOptions): Scene {
  const held = signal(first);
  const now = signal(Date.parse(first.session.serverTime));
  // A replaced payment keeps its last screen until its replacement is shown.
  let last = first;
  const state = computed(() => (held.value.session.replacedByUrl ? last : (last = held.value)));
  const screen = computed(() => describeScreen(state.value, now.value));
  const say = (key: string) => createTextLookup(state.value.texts, screen.value.places)(key);
  return { ...options, held, state, now, screen, say };
}

/** Updates `now` twice a second and at each state change. The returned function stops the updates. */
export function runClock({ held, now, screen }: Scene, clock: ServerClock): () => void {
  const update = () => void (now.value = clock.nowMs());
  const stop = held.subscribe(update);
  // The page of a reference may stay open for hours and has no countdown.
  const ticking = setInterval(() => held.value.session.isFinal || screen.value.details || update(), TICK_MS);
  return () => {
    stop();
    clearInterval(ticking);
  };
}

/**
 * Draws the screen now and after each change of its signals, and announces each new screen to screen readers.
 * The returned function stops the drawing.
 * @param isNews true if the first screen is announced too
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
      return before ? announcementOf(last, before) : isNews && last.title;
    }),
  );
}
