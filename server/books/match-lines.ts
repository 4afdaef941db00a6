// The settlement of a bank statement's line: found among all closed settlements, or for one that a person names.
// Among all of them, a line that fits two settlements is never assigned.
import { addDays, countDays } from '../../shared/luanda.ts';
import { addMinor, multiplyMinor } from '../../shared/money.ts';
import type { BankLine } from './statements/read.ts';

/** A closed settlement. `missingMinor` is its expected credit less the credits so far. */
export type ClosedSettlement = {
  id: string;
  day: string;
  period: string;
  currency: string;
  takenMinor: number;
  missingMinor: number;
};

export type CreditPart = { settlementId: string; amountMinor: number };

/**
 * - `debit`: the bank took money. `currency`: no settlement of the merchant has this currency.
 * - `no_settlement`: no settlement expects this credit.
 */
export const MATCH_REASONS = ['debit', 'currency', 'no_settlement', 'several', 'amount_differs'] as const;
type MatchReason = (typeof MATCH_REASONS)[number];

/** The result of a line. `unclear` has the settlements from which a person may choose. */
export type LineMatch =
  | { result: 'credited'; parts: CreditPart[] }
  | { result: 'unclear'; reason: MatchReason; candidates: string[] }
  | { result: 'aside'; reason: MatchReason };

/** A bank credits a day on this day or later, at most so many days later. A named period may be older. */
const [MAX_DAYS, MAX_NAMED_DAYS] = [7, 45];
/** A credit that lacks at most this part of the taken amount may lack the bank's fee. */
const FEES_AT_MOST = 20;
const MAX_CANDIDATES = 10;
/** A shorter name, such as 156, may stand in any text. It counts only with the exact amount. */
const MIN_NAME = 6;

/** The first day of the settlements that lines from this day on can belong to. */
export const firstDayFor = (date: string) => addDays(date, -MAX_NAMED_DAYS);

/** The words of a line that can be the name of a period. The bank's reference may be any number. */
const wordsOf = ({ description }: BankLine) => description.split(/[^\w-]+/);

/**
 * Chooses the lines of the settlement that the request names. The first rule that finds a line decides:
 * the credits that name its period, the first credit with the missing amount, or the only line of the file.
 * Returns null if the lines are unclear. Only a person chooses a debit, such as a correction by the bank.
 */
export function chooseLines(
  { period, missingMinor }: Pick<ClosedSettlement, 'period' | 'missingMinor'>,
  fresh: BankLine[],
): BankLine[] | null {
  const credits = fresh.filter(({ amountMinor }) => amountMinor > 0);
  const named = credits.filter((line) => wordsOf(line).includes(period));
  if (named.length > 0) return named;
  const exact = credits.filter(({ amountMinor }) => amountMinor === missingMinor);
  const [first] = exact.toSorted((a, b) => (a.date < b.date ? -1 : 1));
  if (first) return [first];
  return fresh.length === 1 && credits.length === 1 ? credits : null;
}

/** Matches each line, in the order of the lines. The lines are not entered yet. */
export function matchLines(lines: BankLine[], settlements: ClosedSettlement[]): LineMatch[] {
  const missing = new Map(settlements.map(({ id, missingMinor }) => [id, missingMinor]));
  const missingOf = ({ id }: ClosedSettlement) => missing.get(id) ?? 0;
  const currencies = new Set(settlements.map(({ currency }) => currency));
  const hasOthers = (currency: string) => currencies.size > 0 && !currencies.has(currency);
  const byPeriod = Map.groupBy(settlements, ({ period, currency }) => `${currency} ${period}`);
  const byDay = Map.groupBy(settlements, ({ day, currency }) => `${currency} ${day}`);
  const matches = new Map<BankLine, LineMatch>();

  const named = new Map(lines.map((line) => [line, findNamed(line)]));
  const byNamed = Map.groupBy(lines, (line) => {
    const [only, another] = line.amountMinor > 0 ? named.get(line)! : [];
    return only && !another ? only.id : '';
  });
  // Equal lines share one search. Otherwise the work would grow with lines times settlements.
  const sumsOfNamed = new Map([...byNamed].map(([id, others]) => [id, sumNamed(id, others)]));
  for (const line of lines) {
    const match = matchNamed(line, named.get(line)!);
    if (match) matches.set(line, match);
  }
  const lacking = new Map([...byDay].map(([key, ofDay]) => [key, findLacking(ofDay)]));
  const groups = Map.groupBy(
    lines.filter((line) => !matches.has(line)),
    ({ currency, date, amountMinor }) => `${currency} ${date} ${amountMinor}`,
  );
  const options = new Map([...groups].map(([key, [line]]) => [key, findOptions(line!)]));
  const claims = new Map<string, number>();
  for (const [key, parts] of options)
    for (const id of idsIn(parts)) claims.set(id, (claims.get(id) ?? 0) + groups.get(key)!.length);
  for (const [key, equal] of groups) {
    const match = matchExact(equal[0]!, options.get(key)!);
    for (const line of equal) matches.set(line, match);
  }
  return lines.map((line) => matches.get(line)!);

  /** The number of lines with exactly the missing amount among the lines that name a settlement, and their sum. */
  function sumNamed(id: string, others: BankLine[]) {
    const missingMinor = missing.get(id);
    return {
      exact: others.filter((each) => each.amountMinor === missingMinor).length,
      isWhole: addMinor(...others.map((each) => each.amountMinor)) === missingMinor,
    };
  }

  /** Finds the settlements whose period the line names. If one of them lacks exactly the amount, it is the only one. */
  function findNamed(line: BankLine): ClosedSettlement[] {
    const found = [...new Set(wordsOf(line))]
      .flatMap((word) => byPeriod.get(`${line.currency} ${word}`) ?? [])
      .filter(({ day }) => isWithin(day, line.date, MAX_NAMED_DAYS));
    const exact = found.filter((each) => each.missingMinor === line.amountMinor);
    return exact.length === 1 ? exact : found;
  }

  /** A line that names a period belongs to its settlement, unless the amount contradicts it. */
  function matchNamed({ amountMinor, currency }: BankLine, found: ClosedSettlement[]): LineMatch | null {
    const [only, another] = found;
    const candidates = idsOf(found);
    if (amountMinor < 0)
      return only ? { result: 'unclear', reason: 'debit', candidates } : { result: 'aside', reason: 'debit' };
    if (!only) return hasOthers(currency) ? { result: 'aside', reason: 'currency' } : null;
    if (another) return { result: 'unclear', reason: 'several', candidates };
    const { exact, isWhole } = sumsOfNamed.get(only.id)!;
    if (exact > 1) return { result: 'unclear', reason: 'several', candidates };
    const isSure = isWhole || amountMinor === only.missingMinor || only.period.length >= MIN_NAME;
    if (!isSure || amountMinor > missingOf(only)) return { result: 'unclear', reason: 'amount_differs', candidates };
    missing.set(only.id, addMinor(missingOf(only), -amountMinor));
    return { result: 'credited', parts: [{ settlementId: only.id, amountMinor }] };
  }

  /** The settlements of a day that lack money, by the missing amount, and together. */
  function findLacking(ofDay: ClosedSettlement[]) {
    const found = ofDay.filter((each) => missingOf(each) > 0);
    const parts = found.map((each) => ({ settlementId: each.id, amountMinor: missingOf(each) }));
    const sum = addMinor(...parts.map((part) => part.amountMinor));
    // A credit is near if it lacks at most a twentieth of the taken amount.
    const nears = found.map((each) => {
      const least = addMinor(multiplyMinor(missingOf(each), FEES_AT_MOST), -each.takenMinor);
      return { id: each.id, missingMinor: missingOf(each), least };
    });
    return { parts, sum, nears, byAmount: Map.groupBy(parts, (part) => part.amountMinor) };
  }

  /** Finds the settlements that lack exactly this amount, and the days whose settlements lack it together. */
  function findOptions({ amountMinor, currency, date }: BankLine): CreditPart[][] {
    return nearDays(date).flatMap((day) => {
      const ofDay = lacking.get(`${currency} ${day}`);
      const alone = (ofDay?.byAmount.get(amountMinor) ?? []).map((part) => [part]);
      return ofDay && ofDay.parts.length > 1 && ofDay.sum === amountMinor ? [...alone, ofDay.parts] : alone;
    });
  }

  function matchExact(line: BankLine, found: CreditPart[][]): LineMatch {
    const [only, another] = found;
    if (!only) return matchNear(line);
    // Two lines with the same amount fit one settlement: one of them is other money.
    const isOnly = !another && only.every(({ settlementId }) => claims.get(settlementId) === 1);
    if (isOnly) return { result: 'credited', parts: only };
    return { result: 'unclear', reason: 'several', candidates: idsIn(found).slice(0, MAX_CANDIDATES) };
  }

  /** A credit that is a little less than is missing may lack a fee. A person decides. */
  function matchNear({ amountMinor, currency, date }: BankLine): LineMatch {
    const times = multiplyMinor(amountMinor, FEES_AT_MOST);
    const candidates: string[] = [];
    for (const day of nearDays(date))
      for (const { id, missingMinor, least } of lacking.get(`${currency} ${day}`)?.nears ?? []) {
        if (candidates.length === MAX_CANDIDATES) break;
        if (missingMinor > amountMinor && least <= times) candidates.push(id);
      }
    if (candidates.length === 0) return { result: 'aside', reason: 'no_settlement' };
    return { result: 'unclear', reason: 'amount_differs', candidates };
  }
}

const idsIn = (parts: CreditPart[][]) => [...new Set(parts.flat().map(({ settlementId }) => settlementId))];

const idsOf = (settlements: ClosedSettlement[]) => settlements.slice(0, MAX_CANDIDATES).map(({ id }) => id);

const isWithin = (day: string, date: string, most: number) => day <= date && countDays(day, date) <= most;

const nearDays = (date: string) => Array.from({ length: MAX_DAYS + 1 }, (_, nth) => addDays(date, -nth));
