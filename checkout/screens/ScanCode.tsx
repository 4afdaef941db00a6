// The code to be read by the payer's app, until when and how often; on the phone itself, the way into the app.
import type { Page } from '../state.ts';
import { addressOf, targetOf } from '../view.ts';

export function ScanCode({ page }: { page: Page }) {
  const { say, token, theme, screen, state } = page;
  const { lang, qr } = state.session;
  return (
    <>
      <img class="qr" src={addressOf({ token }, lang, '/qrcode.svg')} width="260" height="260" alt={say('scan.alt')} />
      {screen.count && (
        <p class="count center" role="status">
          {screen.count}
        </p>
      )}
      <a class="button app" href={qr?.link ?? ''} target={targetOf(theme)}>
        {say('scan.open')}
      </a>
      <p class="small quiet center" role="timer">
        {screen.limits}
      </p>
    </>
  );
}
