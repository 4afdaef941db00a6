// The QR code with its end and its number of payments. On a phone there is also a link into the payer's app.
import type { Scene } from './scene.ts';

export function ScanCode({ scene }: { scene: Scene }) {
  const { count, limits } = scene.screen.value;
  return (
    <>
      <CodeImage scene={scene} />
      {count && (
        <p class="count center" role="status">
          {count}
        </p>
      )}
      <AppLink scene={scene} />
      <p class="small quiet center" role="timer">
        {limits}
      </p>
    </>
  );
}

export function CodeImage({ scene: { say, imageOf } }: { scene: Scene }) {
  return <img class="qr" src={imageOf('qrcode.svg')} width="260" height="260" alt={say('scan.alt')} />;
}

/** The link into the payer's app. Until the code exists, a disabled button reserves its space. */
export function AppLink({ scene: { say, state, partOf, target } }: { scene: Scene }) {
  const { session, trouble } = state.value;
  const { qr } = session;
  if (!qr && !trouble)
    return (
      <span class="button app coming" part={partOf('button')} aria-hidden="true">
        {say('scan.open')}
      </span>
    );
  if (!qr?.link) return null;
  return (
    <a class="button app" part={partOf('button')} href={qr.link} target={target}>
      {say('scan.open')}
    </a>
  );
}
