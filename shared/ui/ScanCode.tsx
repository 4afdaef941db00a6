// The code to be read by the payer's app, until when and how often; on the phone itself, the way into the app.
import type { Scene } from './scene.ts';

export function ScanCode({ scene }: { scene: Scene }) {
  const { say, state, screen, partOf } = scene;
  const { count, limits } = screen.value;
  return (
    <>
      <img class="qr" src={scene.imageOf('qrcode.svg')} width="260" height="260" alt={say('scan.alt')} />
      {count && (
        <p class="count center" role="status">
          {count}
        </p>
      )}
      <a class="button app" part={partOf('button')} href={state.value.session.qr?.link ?? ''} target={scene.target}>
        {say('scan.open')}
      </a>
      <p class="small quiet center" role="timer">
        {limits}
      </p>
    </>
  );
}
