// Finds the columns of a statement by their headings, in Portuguese, English and French, or by a given mapping.
import { invalidFields } from '../../http/problem.ts';
import type { BankMapping } from './mapping.ts';
import type { Cell, Row } from './rows.ts';

/** The positions of a statement's columns. A statement has one amount, or one column for debits and one for credits. */
export type Columns = {
  date: number;
  amount?: number | undefined;
  debit?: number | undefined;
  credit?: number | undefined;
  /** The column that marks each amount as debit or credit. `mayBeOther`: its name has other meanings too. */
  side?: { at: number; mayBeOther: boolean } | undefined;
  descriptions: number[];
  reference?: number | undefined;
  currency?: number | undefined;
  account?: number | undefined;
};

type Role =
  | 'date'
  | 'valueDate'
  | 'description'
  | 'movement'
  | 'amount'
  | 'debit'
  | 'credit'
  | 'side'
  | 'type'
  | 'reference'
  | 'currency'
  | 'account';

/** Headings by their meaning, without accents, brackets and the words of `FILLERS`. */
const HEADINGS: Record<Role, string> = {
  date:
    'data, dt, dia, data mov, data movimento, data movim, dt mov, dt movimento, data lancamento, data lanc, ' +
    'data operacao, data transaccao, data transacao, data contabilistica, data registo, date, booking date, ' +
    'transaction date, posting date, entry date, txn date, date operation, date comptable',
  valueDate: 'data valor, dt valor, data val, value date, val date, date valeur',
  description:
    'descricao, descritivo, descricao movimento, descritivo movimento, descricao operacao, historico, detalhe, ' +
    'detalhes, designacao, texto, observacoes, description, details, narrative, narration, particulars, remarks, ' +
    'transaction details, transaction description, memo, libelle',
  movement: 'movimento, movimentos',
  amount:
    'montante, valor, importancia, quantia, valor movimento, montante movimento, valor operacao, amount, ' +
    'transaction amount, value, montant',
  debit:
    'debito, debitos, valor debito, montante debito, valor debitado, montante debitado, saida, saidas, ' +
    'debit, debits, debit amount, withdrawal, withdrawals, paid out, money out',
  credit:
    'credito, creditos, valor credito, montante credito, valor creditado, montante creditado, entrada, ' +
    'entradas, credit, credits, credit amount, deposit, deposits, paid in, money in',
  side:
    'd/c, c/d, dc, cd, d c, c d, deb/cred, debito/credito, credito/debito, debit/credit, credit/debit, dr/cr, cr/dr, ' +
    'sinal',
  type: 'tipo, tipo movimento, natureza, type, sens',
  reference:
    'referencia, ref, documento, doc, operacao, numero documento, numero operacao, reference, bank reference, ' +
    'transaction id, document',
  currency: 'moeda, divisa, currency, ccy, devise',
  account: 'conta, numero conta, iban, nib, account, account number, compte',
};

const FILLERS = new Set([
  'do',
  'da',
  'de',
  'dos',
  'das',
  'o',
  'a',
  'em',
  'the',
  'of',
  'in',
  'kz',
  'aoa',
  'n',
  'no',
  'nr',
]);

const ROLES = new Map(
  Object.entries(HEADINGS).flatMap(([role, names]) => names.split(', ').map((name) => [name, role as Role] as const)),
);

/** A heading has at most this number of characters, and a row of headings has this number of cells. */
const [MAX_HEADING, MAX_HEADINGS] = [40, 40];
/** A cheap test: one cell of a row of headings begins like the heading of a date. */
const LIKE_DATE = /^\W{0,3}(?:d(?:t|ia|at)|book|trans|post|val|entry|txn)/i;

/** Writes a heading in plain words: `Data do Mov.` becomes `data mov`. */
function plainHeading(cell: Cell): string {
  if (typeof cell === 'number' || cell.length > MAX_HEADING) return '';
  return cell
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/\(.*\)/, ' ')
    .replace(/[^a-z0-9/]+/g, ' ')
    .split(' ')
    .filter((word) => word && !FILLERS.has(word))
    .join(' ');
}

/** True if a row may be the row of headings, by a test that costs little. */
export const mayHaveHeadings = ({ cells }: Row) =>
  cells.some((cell) => typeof cell === 'string' && LIKE_DATE.test(cell));

/** Returns the columns if the row is a row of headings: it names a date and an amount. Null for another row. */
export function findColumns({ cells }: Row): Columns | null {
  const found = new Map<Role, number[]>();
  for (const [at, cell] of cells.slice(0, MAX_HEADINGS).entries()) {
    const role = ROLES.get(plainHeading(cell));
    if (role) found.set(role, [...(found.get(role) ?? []), at]);
  }
  const first = (role: Role) => found.get(role)?.[0];
  const [debit, credit] = [first('debit'), first('credit')];
  const hasTwo = debit !== undefined || credit !== undefined;
  // “Movimento” is the heading of an amount, or of a description beside an amount.
  const isMovementAmount = !hasTwo && first('amount') === undefined;
  const amount = hasTwo ? undefined : (first('amount') ?? first('movement'));
  const date = first('date') ?? first('valueDate');
  if (date === undefined || (amount === undefined && !hasTwo)) return null;
  const named = found.get('description') ?? (isMovementAmount ? [] : found.get('movement')) ?? [];
  const type = first('type');
  const side = first('side') ?? type;
  return {
    date,
    amount,
    debit,
    credit,
    side: hasTwo || side === undefined ? undefined : { at: side, mayBeOther: first('side') === undefined },
    descriptions: named.length > 0 || type === undefined ? named : [type],
    reference: first('reference'),
    currency: first('currency'),
    account: first('account'),
  };
}

/**
 * Finds the columns of a mapping, and the first row after the headings that it names.
 * @throws Problem validation_failed if a mapping by names fits no row
 */
export function mapColumns(rows: Row[], mapping: BankMapping): { columns: Columns; first: number } {
  const wanted = [mapping.date, mapping.amount, mapping.description, mapping.debit, mapping.credit];
  const names = namesOf(mapping);
  const head = names.length > 0 ? rows.findIndex((row) => hasNames(row, names)) : -1;
  if (names.length > 0 && head < 0) throw invalidFields([{ pointer: '/mapping', code: 'file_head' }]);
  const heads = rows[head] ? headOf(rows[head]) : [];
  const [date = 0, amount, description = 2, debit, credit] = wanted.map((each) =>
    typeof each === 'string' ? heads.indexOf(each.toLowerCase()) : each === undefined ? undefined : each - 1,
  );
  const hasTwo = debit !== undefined || credit !== undefined;
  const columns = { date, amount: hasTwo ? undefined : amount, debit, credit, descriptions: [description] };
  // The date and the amount of a line have digits, so that a wrong first line is not taken for headings.
  const isHead = ({ cells }: Row) =>
    [date, amount, debit, credit].every((at) => at === undefined || !/\d/.test(String(cells[at] ?? '')));
  const firstRow = rows.find(({ cells }) => cells.some((cell) => cell !== ''));
  const hasHead = head < 0 && firstRow !== undefined && isHead(firstRow);
  return { columns, first: head >= 0 ? head + 1 : hasHead ? rows.indexOf(firstRow) + 1 : 0 };
}

/** The column names of a mapping, in lower case. Columns by number have no names. */
export function namesOf({ date, amount, description, debit, credit }: BankMapping): string[] {
  const used =
    debit === undefined && credit === undefined ? [date, amount, description] : [date, description, debit, credit];
  return used.flatMap((each) => (typeof each === 'string' ? each.toLowerCase() : []));
}

/** True if a row of the file has all column names of a mapping. */
export function fitsMapping(rows: Row[], mapping: BankMapping): boolean {
  const names = namesOf(mapping);
  return names.length > 0 && rows.some((row) => hasNames(row, names));
}

const headOf = ({ cells }: Row) => cells.map((cell) => String(cell).toLowerCase());

function hasNames(row: Row, names: string[]): boolean {
  const heads = headOf(row);
  return names.every((name) => heads.includes(name));
}
