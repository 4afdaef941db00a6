// The button "pay by reference instead" after a refusal. On the hosted page it is in a form that needs no script.
import type { Acts, Scene } from './scene.ts';

export function ReferenceButton({ scene, acts }: { scene: Scene; acts: Acts }) {
  const { say, screen, partOf } = scene;
  const { step, trouble } = scene.state.value;
  // The button "pay by reference instead" is the primary one if the screen has no other button.
  const isAlone = screen.value.name === 'exhausted';
  const isSwitching = step === 'switching';

  function submit(event: Event) {
    event.preventDefault();
    void acts.payByReference();
  }

  return (
    <form class="stack" {...scene.formOf('/reference')} onSubmit={submit}>
      <button part={partOf('button')} class={isAlone ? '' : 'plain'} aria-disabled={isSwitching}>
        {say(isSwitching ? 'preparing.title' : 'instead.button')}
      </button>
      {trouble ? (
        <p class="error" role="alert">
          {trouble}
        </p>
      ) : (
        !isAlone && <p class="small quiet">{say('instead.line')}</p>
      )}
    </form>
  );
}
