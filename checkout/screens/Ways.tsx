// Ways on from a screen: the test phone in the sandbox, back to the shop, and the code to name when asking for help.
import type { CheckoutSession } from '../../shared/checkout.ts';
import type { ScreenName } from '../../shared/screen.ts';
import { atmAddress } from '../../shared/details.ts';
import { FailureCode } from '../../shared/ui/Words.tsx';
import type { Page } from '../state.ts';
import { targetOf, type TextKey } from '../view.ts';

/** What the sandbox offers to go on with. */
const TESTS: Partial<Record<ScreenName, TextKey>> = {
  pay: 'sandbox.numbers',
  scan: 'sandbox.scan',
  reference: 'sandbox.atm',
  received: 'sandbox.atm',
  wait: 'sandbox.phone',
  bank: 'sandbox.phone',
};

/**
 * Whoever leaves these has given up, or cannot pay; anybody else has paid, or still will with what they take along. Who looks
 * at a code that somebody has paid may be the one who did.
 */
const UNPAID: ReadonlySet<ScreenName> = new Set([
  'pay',
  'scan',
  'exhausted',
  'failed',
  'canceled',
  'expired',
  'released',
]);

/** More may become of the payment, but nothing that its payer could wait for here. */
const SETTLED: ReadonlySet<ScreenName> = new Set(['exhausted', 'authorized', 'short', 'capturing']);

export function Ways({ page }: { page: Page }) {
  const { say, theme } = page;
  const { session } = page.state.value;
  const { name, details, isReplaceable } = page.screen.value;
  const { isFinal, returnUrl, cancelUrl } = session;
  const isUnpaid = UNPAID.has(name) && !session.qr?.accepted;
  const home = isUnpaid ? (cancelUrl ?? returnUrl) : (returnUrl ?? cancelUrl);
  const back = isFinal || SETTLED.has(name) ? home : null;
  const leave = name === 'pay' || name === 'scan' || details ? home : null;
  const test = session.sandbox && (name === 'pay' && session.qr ? 'sandbox.scan' : TESTS[name]);
  return (
    <>
      {test && (
        <p class="way small center">
          <a href={testAddress(session, name)} target="_blank" rel="noreferrer">
            {say(test)}
          </a>
        </p>
      )}
      {back && (
        <a class={isReplaceable ? 'button plain' : 'button'} href={back} target={targetOf(theme)} rel="noreferrer">
          {say('leave.back')}
        </a>
      )}
      {leave && (
        <p class="way small center">
          <a href={leave} target={targetOf(theme)} rel="noreferrer">
            {say(isUnpaid ? 'leave.unpaid' : 'leave.back')}
          </a>
        </p>
      )}
      <FailureCode scene={page} />
    </>
  );
}

function testAddress({ qr, ppr }: CheckoutSession, name: ScreenName): string {
  if (ppr) return atmAddress(ppr);
  return ((name === 'scan' || name === 'pay') && qr?.link) || '/sandbox/phone';
}
