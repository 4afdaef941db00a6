// The house's drawings, for the eye only: the words beside them say the same.
import { ICONS, type IconName } from '../icons.ts';

export function Icon({ name, look = '' }: { name: IconName; look?: string }) {
  return (
    <svg class={`icon ${look}`} viewBox="0 0 24 24" aria-hidden="true">
      <path d={ICONS[name]} />
    </svg>
  );
}
