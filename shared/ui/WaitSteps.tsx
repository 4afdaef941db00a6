// While the payer's phone is being asked: what to do there, in steps, and that the screen goes on by itself.
import type { ComponentChildren } from 'preact';
import type { Scene } from './scene.ts';

/** @param again the way to look again by hand */
export function WaitSteps({ scene: { say, screen }, again }: { scene: Scene; again?: ComponentChildren }) {
  const { name, steps } = screen.value;
  return (
    <>
      {steps.length > 0 && (
        <ol class="steps">
          {steps.map((step) => (
            <li>{step}</li>
          ))}
        </ol>
      )}
      {(again || name !== 'preparing') && (
        <p class="small quiet center">
          {say('wait.keep') + ' '}
          {again}
        </p>
      )}
    </>
  );
}
