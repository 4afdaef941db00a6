// The checkout page as one value: what the components draw, made anew for every render and shared by none.
import type { Theme } from '../shared/frame.ts';
import { beginState, type PayerState } from '../shared/payer.ts';
import { describeScreen, speak, type Screen } from '../shared/screen.ts';
import type { CarriedView, TextKey } from './view.ts';

export type Page = {
  token: string;
  /** In a frame: how it is dressed there. */
  theme: Theme | undefined;
  state: PayerState;
  screen: Screen;
  /** The script has taken over: what only it can do may be offered. */
  isLive: boolean;
  say(key: TextKey): string;
};

/** The page at a time of the server's clock. */
export function describePage({ token, frame }: CarriedView, state: PayerState, nowMs: number, isLive: boolean): Page {
  const screen = describeScreen(state, nowMs);
  return { token, theme: frame?.theme, state, screen, isLive, say: speak(state.texts, screen.places) };
}

/** The page as it is first drawn, on the server and in the browser alike: at the session's own time. */
export function describeFirstPage(view: CarriedView): Page {
  const { session, formError } = view;
  const state = { ...beginState(session), error: formError ?? null };
  return describePage(view, state, Date.parse(session.serverTime), false);
}
