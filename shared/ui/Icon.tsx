// An icon. Screen readers skip it, because the text next to it says the same.
import { ICONS, type IconName } from '../icons.ts';

export function Icon({ name, look = '' }: { name: IconName; look?: string }) {
  return (
    <svg class={`icon ${look}`} viewBox="0 0 24 24" aria-hidden="true">
      <path d={ICONS[name]} />
    </svg>
  );
}
