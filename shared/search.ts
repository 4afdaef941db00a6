// The words of a search text, and the search of the API reference and of the problems.
// The search finds English texts by Portuguese words too.

/** Portuguese words without accents, and the English beginning that they stand for. */
const SYNONYMS: Record<string, string> = {
  aviso: 'notification',
  cancelar: 'cancel',
  chave: 'key',
  cobranca: 'payment',
  cobrar: 'payment',
  comerciante: 'merchant',
  contrato: 'rail',
  devolucao: 'refund',
  devolver: 'refund',
  entidade: 'entity',
  estorno: 'refund',
  equipa: 'member',
  fecho: 'settlement',
  idempotencia: 'idempoten',
  liquidacao: 'settlement',
  loja: 'merchant',
  montante: 'amount',
  notificacao: 'notification',
  pagamento: 'payment',
  plano: 'plan',
  reembolso: 'refund',
  referencia: 'reference',
  reserva: 'authorization',
  segredo: 'secret',
  telemovel: 'phone',
};

/** Returns a text without accents, capitals and repeated blanks, so that searches ignore them. */
export const plainWords = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .trim();

/** True if the text has each word of the query, or its English synonym. An empty query matches every text. */
export function matchesQuery(query: string, text: string): boolean {
  const searched = plainWords(text);
  const words = plainWords(query).split(' ').filter(Boolean);
  return words.every((word) => searched.includes(word) || searched.includes(SYNONYMS[singularOf(word)] ?? word));
}

/** Returns the singular of a Portuguese word without accents: `devolucoes` is `devolucao`. */
function singularOf(word: string): string {
  return word.endsWith('oes') ? `${word.slice(0, -3)}ao` : word.replace(/(?<=[aeo])s$/, '');
}

/** Reads `?q=`. A long query is cut. */
export function readQuery(value: unknown): string {
  return typeof value === 'string' ? value.trim().slice(0, 100) : '';
}
