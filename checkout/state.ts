// The checkout page as its components draw it: made anew for every render and shared by none.
import type { Theme } from '../shared/frame.ts';
import { beginState } from '../shared/payer.ts';
import { openScene, type Acts, type Scene } from '../shared/ui/scene.ts';
import { addressOf, targetOf, type CarriedView } from './view.ts';

export type Page = Scene & {
  token: string;
  /** In a frame: how it is dressed there. */
  theme: Theme | undefined;
  isLive: { value: boolean };
};

/** The page as it is first drawn, on the server and in the browser alike. */
export function openPage({ session, token, formError, frame }: CarriedView): Page {
  const { lang } = session;
  const place = { token, theme: frame?.theme, isLive: { value: false } };
  const scene = openScene(
    { ...beginState(session), error: formError ?? null },
    {
      ...place,
      headings: ['h1', 'h2'],
      formOf: (leaf) => ({ method: 'post', action: addressOf(place, lang, leaf) }),
      // Browsers refuse it to a frame, and say so.
      isFocusing: !frame,
      imageOf: (name) => addressOf({ token }, lang, `/${name}`),
      target: targetOf(frame?.theme),
      partOf: () => undefined,
    },
  );
  return { ...scene, ...place };
}

/** Where it is only drawn nobody acts. */
const nothing = async () => {};
export const NO_ACTS: Acts = { pay: nothing, payByReference: nothing, payByCode: nothing, copy: nothing };
