// One screen of a payment: icon, texts, and a component for the payment's state.
import type { ComponentChildren, ComponentType } from 'preact';
import type { ScreenName } from '../screen.ts';
import { ReferenceButton } from './ReferenceButton.tsx';
import { PayWays } from './PayWays.tsx';
import { Receipt } from './Receipt.tsx';
import { ReferenceDetails } from './ReferenceDetails.tsx';
import { ScanCode } from './ScanCode.tsx';
import type { Acts, Scene } from './scene.ts';
import { WaitSteps } from './WaitSteps.tsx';
import { Sign, ScreenTexts } from './ScreenTexts.tsx';

type ScreenProps = {
  scene: Scene;
  acts: Acts;
  /** The links to print or save the payment's screen. */
  keep: ComponentChildren;
  /** A link that reloads the page, for browsers without a script. */
  again?: ComponentChildren;
};

/** The component below the texts of a screen. */
const BODIES: Partial<Record<ScreenName, ComponentType<ScreenProps>>> = {
  pay: PayWays,
  scan: ScanCode,
  reference: ReferenceDetails,
  activating: ReferenceDetails,
  received: ReferenceDetails,
  preparing: WaitSteps,
  wait: WaitSteps,
  bank: WaitSteps,
  paid: Receipt,
};

export function Screen(props: ScreenProps) {
  const { scene, acts, keep } = props;
  const { name, details, isReplaceable } = scene.screen.value;
  const Body = BODIES[name];
  return (
    <>
      <Sign scene={scene} />
      <ScreenTexts scene={scene} />
      {Body && <Body {...props} />}
      {(name === 'paid' || details?.places[0]) && keep}
      {isReplaceable && <ReferenceButton scene={scene} acts={acts} />}
    </>
  );
}
