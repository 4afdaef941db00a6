// The widget's content: the same screens as the checkout page, inside a merchant's page.
import type { ComponentChildren } from 'preact';
import { STATUS_LINE_ID } from '../shared/announce.ts';
import type { CheckoutSession, Lang } from '../shared/checkout.ts';
import { atmAddress } from '../shared/details.ts';
import type { Gateway } from '../shared/gateway.ts';
import type { Acts, SceneOptions, Scene } from '../shared/ui/scene.ts';
import { Screen } from '../shared/ui/Screen.tsx';
import { FailureCode, Offline, Payee } from '../shared/ui/ScreenTexts.tsx';

/** The options of a scene in the widget: there is always a script, and merchants style each `part`. */
export function sceneOptions({ addressOf }: Gateway): SceneOptions {
  return {
    headings: ['h2', 'h3'],
    isLive: { value: true },
    formOf: () => undefined,
    isFocusing: false,
    imageOf: addressOf,
    target: undefined,
    partOf: (name) => name,
  };
}

export function Payment({ scene, gateway, acts }: { scene: Scene; gateway: Gateway; acts: Acts }) {
  const { say } = scene;
  const { session } = scene.state.value;
  return (
    <div class="card stack" part="card" lang={session.lang}>
      {session.sandbox && <TestLink session={session} say={say} base={gateway.base} />}
      <div class="center">
        <Payee scene={scene} look="small quiet" />
      </div>
      <Screen scene={scene} acts={acts} keep={<Keep say={say} address={gateway.addressOf('')} />} />
      <FailureCode scene={scene} />
      <p class="small center">
        <a href={`${gateway.base}${session.merchant.noticePath}?lang=${session.lang}`} target="_blank" rel="noopener">
          {say('note.data')}
        </a>
      </p>
      <p id={STATUS_LINE_ID} class="unseen" role="status" />
      <Offline scene={scene} />
    </div>
  );
}

/** A message in the element while it cannot show a payment. */
export function Notice({ lang, children }: { lang: Lang; children: ComponentChildren }) {
  return (
    <div class="card center quiet" part="card" lang={lang} role="status">
      {children}
    </div>
  );
}

/** The link to the sandbox's test page that pays the code or reference. */
function TestLink({ session: { qr, ppr }, say, base }: { session: CheckoutSession; say: Scene['say']; base: string }) {
  return (
    <p class="small warning center">
      {say('sandbox.ribbon')}
      <br />
      <a href={qr?.link ?? base + (ppr ? atmAddress(ppr) : '/sandbox/phone')} target="_blank" rel="noopener">
        {say(`sandbox.${qr ? 'scan' : ppr ? 'atm' : 'phone'}`)}
      </a>
    </p>
  );
}

/** The link to the hosted page, which the payer can print and save. */
function Keep({ say, address }: { say: Scene['say']; address: string }) {
  return (
    <a class="button plain" part="keep" href={address.replace('/?', '?')} target="_blank" rel="noreferrer">
      {say('paid.print')}
    </a>
  );
}
