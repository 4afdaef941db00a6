// The languages that Balcão speaks, Portuguese first.
export const LANGUAGES = ['pt', 'en', 'fr'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The language asked for by `?lang=`, else by the browser, else the fallback. */
export function chooseLanguage(asked: unknown, accepted: string | false, fallback: Language = 'pt'): Language {
  const known = (name: unknown) => LANGUAGES.find((language) => language === name);
  return known(asked) ?? known(accepted) ?? fallback;
}
