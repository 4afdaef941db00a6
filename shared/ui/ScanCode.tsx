// The QR code with its end and its number of payments. On a phone the link into the payer's app comes first.
import type { Scene } from './scene.ts';

export function ScanCode({ scene }: { scene: Scene }) {
  const { count, limits } = scene.screen.value;
  return (
    <>
      <AppLink scene={scene} />
      <CodeImage scene={scene} />
      {count && (
        <p class="count center" role="status">
          {count}
        </p>
      )}
      <p class="small quiet center" role="timer">
        {limits}
      </p>
    </>
  );
}

/** The image of the code. A payer cannot scan their own phone, so a press there shows the image (code.css). */
export function CodeImage({ scene: { say, imageOf, partOf, state } }: { scene: Scene }) {
  const { qr, ways } = state.value.session;
  return (
    <>
      {qr!.max < 2 && (qr!.link || ways) && (
        <details class="show">
          <summary class="button plain" part={partOf('button')}>
            {say('code.show')}
          </summary>
        </details>
      )}
      <img class="qr" src={imageOf('qrcode.svg')} width="260" height="260" alt={say('scan.alt')} />
    </>
  );
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
