// Ways on from a screen: the test phone in the sandbox, back to the shop, and the code to name when asking for help.
import type { Page } from '../state.ts';

export function Ways({ page: { state, screen, say } }: { page: Page }) {
  const { session } = state;
  const { name, code } = screen;
  const back = session.isFinal || name === 'exhausted' ? (session.returnUrl ?? session.cancelUrl) : null;
  const leave = name === 'pay' ? session.cancelUrl : null;
  const isTesting = session.sandbox && (name === 'pay' || name === 'wait' || name === 'bank');
  return (
    <>
      {isTesting && (
        <p class="way small center">
          <a href="/sandbox/phone" target="_blank" rel="noopener">
            {say(name === 'pay' ? 'sandbox.numbers' : 'sandbox.phone')}
          </a>
        </p>
      )}
      {back && (
        <a class="button" href={back}>
          {say('leave.back')}
        </a>
      )}
      {leave && (
        <p class="way small center">
          <a href={leave}>{say('leave.unpaid')}</a>
        </p>
      )}
      {code && <p class="small quiet center">{say('note.code', { code })}</p>}
    </>
  );
}
