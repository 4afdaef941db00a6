// The house's drawings, for the eye only: the words beside them say the same.
import { ICONS } from '../../shared/icons.ts';

/** Only pages draw a code. */
const PATHS = {
  ...ICONS,
  code: 'M3.5 3.5h6v6h-6ZM14.5 3.5h6v6h-6ZM3.5 14.5h6v6h-6ZM14.5 14.5h2.5v2.5M20.5 14.5v6h-6M20.5 17.5h-1',
};

export function Icon({ name, look = '' }: { name: keyof typeof PATHS; look?: string }) {
  return (
    <svg class={`icon ${look}`} viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
