// The countdown ring with a phone icon, while the payer approves the push on the phone.
import { LOW_MS, type Countdown } from '../countdown.ts';
import { Icon } from './Icon.tsx';
import { VERBATIM } from './scene.ts';

export function Ring({ countdown, label }: { countdown: Countdown; label: string }) {
  return (
    <div class={countdown.remainingMs < LOW_MS ? 'ring low' : 'ring'} role="timer" aria-label={label}>
      <svg viewBox="0 0 100 100" aria-hidden="true">
        <circle cx="50" cy="50" r="46.2" />
        <circle class="left" cx="50" cy="50" r="46.2" pathLength="1" stroke-dasharray={`${countdown.share} 1`} />
      </svg>
      <Icon name="phone" />
      <span {...VERBATIM}>{countdown.text}</span>
    </div>
  );
}
