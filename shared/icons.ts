// The icons: one SVG path each, drawn as strokes on a square of 24 units.

const CIRCLE = 'M12 2.5a9.5 9.5 0 1 1 0 19 9.5 9.5 0 0 1 0-19Z';

export const ICONS = {
  phone: 'M8 2.5h8a2 2 0 0 1 2 2v15a2 2 0 0 1-2 2H8a2 2 0 0 1-2-2v-15a2 2 0 0 1 2-2ZM9 9h6M9 12.5h3.5M11 18.5h2',
  check: `${CIRCLE}M7.5 12.5l3 3 6-6.5`,
  stop: `${CIRCLE}M12 7v6M12 16.4v.1`,
  clock: `${CIRCLE}M12 6.5V12l3.5 2.5`,
  bank: 'M3 9.5 12 4l9 5.5ZM5.5 9.5v8M10 9.5v8M14 9.5v8M18.5 9.5v8M3 20.5h18',
  slip: 'M6 2.5h12v19l-2-1.5-2 1.5-2-1.5-2 1.5-2-1.5-2 1.5ZM9 7.5h6M9 11h6M9 14.5h3',
  broken: 'M2.5 12h5l1.5-3M21.5 12h-5L15 15M12.8 6.5l-1.6 11',
  code: 'M3.5 3.5h6v6h-6ZM14.5 3.5h6v6h-6ZM3.5 14.5h6v6h-6ZM14.5 14.5h2.5v2.5M20.5 14.5v6h-6M20.5 17.5h-1',
  close: 'M6 6l12 12M18 6 6 18',
  alert: 'M12 3.5 22 20.5H2ZM12 10v5M12 17.7v.1',
  back: 'M9 4 4 9l5 5M4 9h10.5a5.500 5.500 0 0 1 0 11H10',
};

export type IconName = keyof typeof ICONS;
