// Exports movements and settlements as CSV files.
import { dayStatusOf } from '../../shared/books.ts';
import { addMinor } from '../../shared/money.ts';
import { DAY_STATUS_WORDS, MOVEMENT_WORDS, OWN_ACCOUNT_WORDS, SETTLEMENT_WORDS } from '../../shared/state-words.ts';
import type { Core } from '../core.ts';
import { readPages } from '../exports/batches.ts';
import type { CsvColumn, CsvRow } from '../exports/csv.ts';
import { differenceOf, expectedOf } from './close.ts';
import { sumDay } from './day-sums.ts';
import { CASHIER_COLUMN, METHOD_COLUMN, PAYER_COLUMNS, withPaymentFields } from '../payments/core/file-columns.ts';
import type { Settlement } from './entities.ts';
import { listMovements, positionOf, typeOf, type MovementFilter, type MovementPage } from './movements.ts';
import { findAccounts, sumMovement } from './schemas.ts';

/** The number of rows that one query reads. */
const BATCH = 1_000;

const ACCOUNT = {
  kind: 'text',
  from: 'account',
  words: OWN_ACCOUNT_WORDS,
  pt: 'Contrato',
  en: 'Account',
  fr: 'Contrat',
} as const;
const PERIOD = { kind: 'day', from: 'period', pt: 'Período', en: 'Period', fr: 'Période' } as const;
const CURRENCY = { kind: 'code', from: 'currency', pt: 'Moeda', en: 'Currency', fr: 'Devise' } as const;
const money = <Name extends string>(from: Name, pt: string, en: string, fr: string) =>
  ({ kind: 'money', currency: 'currency', from, pt, en, fr }) as const;

export const MOVEMENT_COLUMNS = [
  { kind: 'time', from: 'occurredAt', pt: 'Ocorrido em', en: 'Occurred at', fr: 'Survenu le' },
  { kind: 'time', from: 'recordedAt', pt: 'Registado em', en: 'Recorded at', fr: 'Enregistré le' },
  { kind: 'code', from: 'id', pt: 'Id', en: 'Id', fr: 'Id' },
  { kind: 'code', from: 'type', words: MOVEMENT_WORDS, pt: 'Tipo', en: 'Type', fr: 'Type' },
  { kind: 'code', from: 'paymentId', pt: 'Id do pagamento', en: 'Payment id', fr: 'Id du paiement' },
  { kind: 'code', from: 'reference', pt: 'Referência', en: 'Reference', fr: 'Référence' },
  ACCOUNT,
  { kind: 'text', from: 'providerRef', pt: 'Id na rede', en: 'Rail’s id', fr: 'Id du réseau' },
  PERIOD,
  {
    kind: 'text',
    from: 'transactionNumber',
    pt: 'N.º da transacção',
    en: 'Transaction no.',
    fr: 'N° de transaction',
  },
  money('grossMinor', 'Bruto', 'Gross', 'Brut'),
  money('feeMinor', 'Comissão', 'Fee', 'Commission'),
  money('refundedMinor', 'Devolvido', 'Refunded', 'Remboursé'),
  money('netMinor', 'Líquido', 'Net', 'Net'),
  CURRENCY,
  { kind: 'flag', from: 'late', pt: 'Tardio', en: 'Late', fr: 'Tardif' },
  METHOD_COLUMN,
  ...PAYER_COLUMNS,
  CASHIER_COLUMN,
] as const satisfies CsvColumn<string>[];

type MovementRow = CsvRow<(typeof MOVEMENT_COLUMNS)[number]['from']>;

/** Reads all movements, newest first. A movement that is recorded during the export is not included. */
export async function* readMovements(core: Core, filter: MovementFilter): AsyncGenerator<MovementRow[]> {
  const pages = readPages(BATCH, (page: MovementPage) => listMovements(core, filter, page), positionOf);
  for await (const rows of withPaymentFields(core, pages, ({ paymentId }) => paymentId)) {
    const accounts = await findAccounts(core, rows);
    yield rows.map((row) => ({
      ...row,
      ...sumMovement(row),
      type: typeOf(row),
      account: accounts.get(row.rail)?.label ?? row.rail,
    }));
  }
}

/** The sums of a settlement, and of a day. */
const SUM_COLUMNS = [
  { kind: 'number', from: 'count', pt: 'Movimentos', en: 'Movements', fr: 'Mouvements' },
  money('takenMinor', 'Recebido', 'Taken', 'Encaissé'),
  money('feesMinor', 'Comissões', 'Fees', 'Commissions'),
  money('bankFeesMinor', 'Comissões do banco', 'Bank fees', 'Commissions de la banque'),
  money('refundedMinor', 'Devolvido', 'Refunded', 'Remboursé'),
  money('manualMinor', 'Devolvido por outra via', 'Refunded another way', 'Remboursé autrement'),
  money('expectedMinor', 'Crédito esperado', 'Expected credit', 'Crédit attendu'),
  money('creditedMinor', 'Creditado', 'Credited', 'Crédité'),
] as const satisfies CsvColumn<string>[];

export const SETTLEMENT_COLUMNS = [
  { kind: 'day', from: 'day', pt: 'Dia', en: 'Day', fr: 'Jour' },
  ACCOUNT,
  PERIOD,
  { kind: 'code', from: 'id', pt: 'Id', en: 'Id', fr: 'Id' },
  { kind: 'code', from: 'status', words: SETTLEMENT_WORDS, pt: 'Estado', en: 'Status', fr: 'État' },
  { kind: 'time', from: 'closedAt', pt: 'Fechado em', en: 'Closed at', fr: 'Clos le' },
  ...SUM_COLUMNS,
  money('differenceMinor', 'Diferença', 'Difference', 'Différence'),
  CURRENCY,
] as const satisfies CsvColumn<string>[];

type SettlementRow = CsvRow<(typeof SETTLEMENT_COLUMNS)[number]['from']>;

/** Writes settlements as CSV rows, with the sums of the given rows. */
export async function writeSettlements(core: Core, settlements: Settlement[]): Promise<SettlementRow[]> {
  const accounts = await findAccounts(core, settlements);
  return settlements.map((row) => ({
    ...row,
    closedAt: row.closedAt ?? null,
    account: accounts.get(row.rail)?.label ?? row.rail,
    count: addMinor(row.movementCount, row.manualCount),
    expectedMinor: expectedOf(row),
    differenceMinor: differenceOf(row),
  }));
}

export const DAY_COLUMNS = [
  { kind: 'day', from: 'day', pt: 'Dia', en: 'Day', fr: 'Jour' },
  { kind: 'code', from: 'status', pt: 'Estado', en: 'Status', fr: 'État', words: DAY_STATUS_WORDS },
  { kind: 'number', from: 'accounts', pt: 'Contratos', en: 'Accounts', fr: 'Contrats' },
  ...SUM_COLUMNS,
  money('awaitedMinor', 'Por creditar', 'Awaited credit', 'Crédit à venir'),
  money('differenceMinor', 'Diferença', 'Difference', 'Écart'),
  money('explainedMinor', 'Diferença explicada', 'Explained difference', 'Écart expliqué'),
  money('unexplainedMinor', 'Diferença por explicar', 'Unexplained difference', 'Écart à expliquer'),
  CURRENCY,
] as const satisfies CsvColumn<string>[];

type DayRow = CsvRow<(typeof DAY_COLUMNS)[number]['from']>;

/** Writes days as CSV rows, one for each currency of a day. */
export function writeDays(days: { day: string; settlements: Settlement[] }[]): DayRow[] {
  return days.flatMap(({ day, settlements }) =>
    sumDay(settlements).map((sums) => {
      const own = settlements.filter(({ currency }) => currency === sums.currency);
      return { ...sums, day, status: dayStatusOf(own), accounts: own.length };
    }),
  );
}
