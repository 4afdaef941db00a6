// The languages of the pages. Portuguese is the default.
export const LANGUAGES = ['pt', 'en', 'fr'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The language that `?lang=` requests, else the browser's, else the fallback. */
export function chooseLanguage(asked: unknown, accepted: string | false, fallback: Language = 'pt'): Language {
  const known = (name: unknown) => LANGUAGES.find((language) => language === name);
  return known(asked) ?? known(accepted) ?? fallback;
}
