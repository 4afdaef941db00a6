// The rules of text fields in words. The API document, the /docs pages, the client's types and refusals show them.

type Rule = { en: string; pt: string };

/** The rules by name. Each completes the sentence "must be …" or "deve ser …". */
export const FIELD_RULES = {
  reference: {
    en: '1 to 15 characters: unaccented letters, digits and `. _ / -`, with spaces only between them',
    pt: '1 a 15 caracteres: letras sem acento, algarismos e `. _ / -`, com espaços só entre eles',
  },
  currency: { en: 'three capital letters, such as `AOA`', pt: 'três letras maiúsculas, como `AOA`' },
  digits: { en: '9 to 15 digits', pt: '9 a 15 algarismos' },
  uuid: { en: 'a UUID of 36 characters', pt: 'um UUID de 36 caracteres' },
  wholeNumber: { en: 'a whole number, in digits', pt: 'um número inteiro, em algarismos' },
  number: { en: 'a number, such as `1500.00`', pt: 'um número, como `1500.00`' },
  dayNumber: { en: '1 or 2 digits', pt: '1 ou 2 algarismos' },
  yearNumber: { en: '4 digits', pt: '4 algarismos' },
  line: {
    en: 'one line, without control characters or changes of the text’s direction',
    pt: 'uma só linha, sem caracteres de controlo nem mudanças da direcção do texto',
  },
  lines: {
    en: 'plain text, without control characters or changes of its direction',
    pt: 'texto simples, sem caracteres de controlo nem mudanças da sua direcção',
  },
  smsText: {
    en: 'text without control characters, except tabs and line breaks',
    pt: 'texto sem caracteres de controlo, salvo tabulações e mudanças de linha',
  },
  searchKey: {
    en: '1 to 40 unaccented letters, digits or `_ . -`',
    pt: '1 a 40 letras sem acento, algarismos ou `_ . -`',
  },
  visible64: {
    en: '1 to 64 visible ASCII characters without spaces',
    pt: '1 a 64 caracteres ASCII visíveis, sem espaços',
  },
  visible100: {
    en: '1 to 100 visible ASCII characters without spaces',
    pt: '1 a 100 caracteres ASCII visíveis, sem espaços',
  },
  refusalStatus: {
    en: 'a status such as `400`, or `201` for warnings',
    pt: 'um estado como `400`, ou `201` para avisos',
  },
  moment: {
    en: 'a time in ISO 8601 with its offset, such as `2026-12-31T12:00:00Z`',
    pt: 'uma hora em ISO 8601 com o fuso, como `2026-12-31T12:00:00Z`',
  },
  lastMoment: {
    en: 'a date, or a time with its offset, in ISO 8601, such as `2026-12-31` or `2026-12-31T12:00:00Z`',
    pt: 'uma data, ou uma hora com o fuso, em ISO 8601, como `2026-12-31` ou `2026-12-31T12:00:00Z`',
  },
} as const satisfies Record<string, Rule>;

export type RuleName = keyof typeof FIELD_RULES;

const BY_TEXT = new Map<unknown, Rule>(Object.values(FIELD_RULES).map((rule) => [rule.en, rule]));

/** Returns the message of a fault whose parameter `rule` is one of these rules. Null for another text. */
export function sayRule(rule: unknown): Rule | null {
  const words = BY_TEXT.get(rule);
  return words ? { en: `must be ${words.en}`, pt: `deve ser ${words.pt}` } : null;
}
