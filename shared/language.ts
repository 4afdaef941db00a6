// The languages that Balcão speaks, Portuguese first.
export const LANGUAGES = ['pt', 'en', 'fr'] as const;
export type Language = (typeof LANGUAGES)[number];
