// The links below a screen: the sandbox's test pages, back to the shop, and the failure code for support.
import type { CheckoutSession } from '../../shared/checkout.ts';
import type { ScreenName } from '../../shared/screen.ts';
import { atmAddress } from '../../shared/details.ts';
import { FailureCode } from '../../shared/ui/ScreenTexts.tsx';
import type { Page } from '../state.ts';
import { targetOf, type TextKey } from '../view.ts';

/** The link text of a sandbox test page, by screen. */
const TESTS: Partial<Record<ScreenName, TextKey>> = {
  pay: 'sandbox.numbers',
  scan: 'sandbox.scan',
  reference: 'sandbox.atm',
  received: 'sandbox.atm',
  wait: 'sandbox.phone',
  bank: 'sandbox.phone',
};

/**
 * Screens that a payer leaves without paying, so their link is `cancelUrl`. Other screens link to `returnUrl`.
 * A QR code with a payment links to `returnUrl` too, because the viewer may be the person who paid.
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

/** Screens of payments that may still change, although the payer does not wait for the change. */
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
