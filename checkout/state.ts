// The checkout page as one value: what the components draw, made anew for every render and shared by none.
import { beginState, type PayerState } from '../shared/payer.ts';
import { describeScreen, fillText, type Screen } from '../shared/screen.ts';
import type { CarriedView, TextKey } from './view.ts';

export type Page = {
  token: string;
  state: PayerState;
  screen: Screen;
  /** The script has taken over: what only it can do may be offered. */
  isLive: boolean;
  say(key: TextKey, values?: Record<string, string | number>): string;
};

/** The page at a time of the server's clock. */
export function describePage(token: string, state: PayerState, nowMs: number, isLive: boolean): Page {
  const say: Page['say'] = (key, values = {}) => fillText(state.texts[key] ?? '', values);
  return { token, state, screen: describeScreen(state, nowMs), isLive, say };
}

/** The page as it is first drawn, on the server and in the browser alike: at the session's own time. */
export function describeFirstPage({ token, session, formError, phoneTyped }: CarriedView): Page {
  const state = { ...beginState(session), typed: phoneTyped ?? '', error: formError ?? null };
  return describePage(token, state, Date.parse(session.serverTime), false);
}
