// The payment methods in the merchant's order: a form for the phone number, a QR code, and a link into the app.
import { PayForm } from './PayForm.tsx';
import type { Acts, Scene } from './scene.ts';
import { AppLink, CodeImage } from './ScanCode.tsx';

export function PayWays({ scene, acts }: { scene: Scene; acts: Acts }) {
  const { ways, attemptsLeft } = scene.state.value.session;
  const form = attemptsLeft > 0 && <PayForm scene={scene} acts={acts} />;
  if (!ways) return form || null;
  return (
    <>
      {ways.includes('qrcode') && <AppLink scene={scene} />}
      <div class="both stack">
        {ways.map((way) => (way === 'push' ? form : way === 'qrcode' && <CodeWay scene={scene} acts={acts} />))}
      </div>
    </>
  );
}

function CodeWay({ scene, acts }: { scene: Scene; acts: Acts }) {
  const { say, partOf } = scene;
  const { session, trouble } = scene.state.value;
  if (session.qr)
    return (
      <div class="scan stack">
        <CodeImage scene={scene} />
        <p class="small quiet center">{say('scan.line')}</p>
      </div>
    );

  function submit(event: Event) {
    event.preventDefault();
    void acts.payByCode(true);
  }

  return (
    <form class="scan stack" {...scene.formOf('/qrcode')} onSubmit={submit}>
      <div class="place">
        <button part={partOf('button')} class="plain">
          {say('code.button')}
        </button>
      </div>
      {trouble && !scene.screen.value.isReplaceable && (
        <p class="error" role="alert">
          {trouble}
        </p>
      )}
      {/* Invisible text that reserves the height, so that nothing moves when the code appears. */}
      <p class="small center held">{say('scan.line')}</p>
    </form>
  );
}
