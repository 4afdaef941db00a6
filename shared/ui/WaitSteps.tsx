// The payer's steps while a push waits for approval, and a note that the screen updates itself.
import type { ComponentChildren } from 'preact';
import type { Scene } from './scene.ts';

/** @param again a link that reloads the page, for browsers without a script */
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
