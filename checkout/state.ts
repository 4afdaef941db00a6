// The state of the checkout page. Each render creates its own state.
import type { Theme } from '../shared/frame.ts';
import { beginState } from '../shared/payer.ts';
import { openScene, type Acts, type Scene } from '../shared/ui/scene.ts';
import { addressOf, targetOf, type CarriedView } from './view.ts';

export type Page = Scene & {
  token: string;
  /** The theme of a checkout page in a frame. Undefined outside a frame. */
  theme: Theme | undefined;
  isLive: { value: boolean };
};

/** Creates the state for the page's first render, which is the same on the server and in the browser. */
export function openPage({ session, token, formError, frame }: CarriedView): Page {
  const { lang } = session;
  const place = { token, theme: frame?.theme, isLive: { value: false } };
  const scene = openScene(
    { ...beginState(session), error: formError ?? null },
    {
      ...place,
      headings: ['h1', 'h2'],
      formOf: (leaf) => ({ method: 'post', action: addressOf(place, lang, leaf) }),
      // Browsers refuse autofocus in a cross-origin frame and log an error.
      isFocusing: !frame,
      imageOf: (name) => addressOf({ token }, lang, `/${name}`),
      target: targetOf(frame?.theme),
      partOf: () => undefined,
    },
  );
  return { ...scene, ...place };
}

const nothing = async () => {};
/** The actions for a render on the server. They do nothing. */
export const NO_ACTS: Acts = { pay: nothing, payByReference: nothing, payByCode: nothing, copy: nothing };
