// The icons of the console's menu, and the shared icons: one SVG path each, as strokes on a 24-unit square.
import { ICONS as SHARED, type IconName as SharedName } from '../shared/icons.ts';

const OWN = {
  chart: 'M3.5 20.5h17M6 17v-5M10 17V7M14 17v-7M18 17V4',
  keypad: 'M5 3.5h14v17H5ZM8 7h8M8.5 11.5v.1M12 11.5v.1M15.5 11.5v.1M8.5 15.5v.1M12 15.5v.1M15.5 15.5v.1',
  link:
    'M10 14a4.5 4.5 0 0 0 6.400 0l3.200-3.200a4.5 4.5 0 0 0-6.400-6.400l-1.400 1.400' +
    'M14 10a4.5 4.5 0 0 0-6.400 0l-3.200 3.200a4.5 4.5 0 0 0 6.400 6.400l1.400-1.400',
  book: 'M5 4.5a2 2 0 0 1 2-2h12v19H7a2 2 0 0 1-2-2ZM5 19.5a2 2 0 0 1 2-2h12M9 7h6',
  message: 'M3.5 4.5h17v12h-9l-5 4v-4h-3ZM8 9h8M8 12.5h5',
  tools: 'M9 7l-5 5 5 5M15 7l5 5-5 5',
  people:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM2.5 20a6.5 6.5 0 0 1 13 0' +
    'M16 4.5a3.5 3.5 0 0 1 0 6M18 14a6.5 6.5 0 0 1 3.5 6',
  person: 'M12 11.5a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM4 20.5a8 8 0 0 1 16 0',
  bell: 'M6 17v-6a6 6 0 0 1 12 0v6l1.500 1.500h-15ZM10 21h4M12 5V3',
  plug: 'M9 2.500v5M15 2.500v5M6 7.500h12v4a6 6 0 0 1-12 0ZM12 17.500v4',
  hash: 'M9.5 3.5 7 20.5M17 3.5l-2.5 17M4.5 9h16M3.5 15h16',
  sliders: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 4.5v5M9 14.5v5',
  file: 'M6 2.5h8l4.500 4.500v14.500H6ZM14 2.500v4.500h4.500M9 12h6M9 16h6',
  history: 'M4 5v4.500h4.500M4.300 9.500A8.500 8.500 0 1 1 3.500 13M12 8v4.500l3 2',
  contacts:
    'M5 3.500h14v17H5ZM3 8h3.500M3 16h3.500M12 11.500a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM8.500 16.500a3.500 3.500 0 0 1 7 0',
  drawer: 'M3.5 13.500h17v7h-17ZM6 13.500v-9h12v9M9 8h6M10 17h4',
  tag: 'M3.500 3.500h8.500l8.500 8.500-8.500 8.500-8.500-8.500ZM8 8v.1',
  menu: 'M4 6.5h16M4 12h16M4 17.5h16',
  search: 'M10.5 17a6.500 6.500 0 1 0 0-13 6.500 6.500 0 0 0 0 13ZM15.500 15.500l5 5',
};

const ALL = { ...SHARED, ...OWN };

export type IconName = SharedName | keyof typeof OWN;

/** A decorative icon. Screen readers skip it, because the text next to it has the same meaning. */
export function Icon({ name, tone = '' }: { name: IconName; tone?: string }) {
  return (
    <svg class={`icon ${tone}`} viewBox="0 0 24 24" aria-hidden="true">
      <path d={ALL[name]} />
    </svg>
  );
}
