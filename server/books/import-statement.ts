// POST /api/bank-statements: enters the credits of a bank statement in the settlements of all accounts and days.
import { hash } from 'node:crypto';
import { z } from 'zod';
import { addMinor, toMajor } from '../../shared/money.ts';
import type { Core } from '../core.ts';
import { isAny, prepared, type Db } from '../database/db.ts';
import { inSnapshot } from '../database/orm.ts';
import { actorOf, type Actor } from '../audit/record.ts';
import { MAX_BYTES } from '../http/body.ts';
import { requiredInteger } from '../http/fields.ts';
import { runKeyed } from '../http/idempotency.ts';
import { invalidFields, type Fault } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { differenceOf, lockOwn, saveSums, sumSettlement } from './close.ts';
import { addCredits, creditOf, findKnown, findMapping, keepMapping, lockCredits, type NewCredit } from './credits.ts';
import type { Settlement } from './entities.ts';
import {
  firstDayFor,
  MATCH_REASONS,
  matchLines,
  type ClosedSettlement,
  type CreditPart,
  type LineMatch,
} from './match-lines.ts';
import { account, findAccounts, type Accounts } from './schemas.ts';
import { sumNow } from './settlements.ts';
import { bankMapping } from './statements/mapping.ts';
import { hashLines, readStatement, statementFile, type BankLine } from './statements/read.ts';
import { SKIP_REASONS, STATEMENT_FORMATS, type Statement } from './statements/statement.ts';

/** The currency of accounts whose file names no currency. */
const CURRENCY = 'AOA';

const choice = z.object({
  line: requiredInteger(1, 1_000_000),
  settlementId: z.uuid().optional().describe('The settlement that the line belongs to'),
  aside: z.literal(true).optional().describe('The line is no credit of ours'),
});

const statementRequest = z.object({
  file: statementFile,
  mapping: bankMapping
    .nullish()
    .describe('Columns of a CSV file or workbook, if its headings do not name them. Stored for the next file'),
  preview: z.boolean().optional().describe('true: returns the result, and enters nothing'),
  lines: z.array(choice).max(500).optional().describe('A person’s choices. They override the gateway’s own result'),
});

type StatementRequest = z.output<typeof statementRequest>;

const RESULTS = ['credited', 'known', 'unclear', 'aside'] as const;
const REASONS = [...MATCH_REASONS, 'chosen', ...SKIP_REASONS] as const;

const statementLine = z
  .object({
    line: z.int().describe('Number of the line or row. In camt.053: number of the movement'),
    account: z.string().nullable().describe('IBAN or number of the bank’s account, if the file has it'),
    date: z.iso.date().nullable().describe('Null if the line is not a movement'),
    amount: z.number().nullable().describe('Negative for a debit'),
    currency: z.string().nullable(),
    description: z.string(),
    reference: z.string().nullable().describe('The bank’s reference'),
    result: z
      .enum(RESULTS)
      .describe(
        '`credited`: the line is the credit of `credits`. `known`: it was entered before. ' +
          '`unclear`: choose one of `candidates`. `aside`: it is no credit of ours',
      ),
    reason: z
      .enum(REASONS)
      .nullable()
      .describe(
        'Why the line is unclear or aside. `several`: more than one settlement or line fits. ' +
          '`amount_differs`: the settlement expects another amount. `chosen`: the request set it aside. ' +
          '`not_a_line`: a heading or total. `not_booked`: the bank has only announced it',
      ),
    credits: z.array(z.object({ settlementId: z.uuid(), amount: z.number() })),
    candidates: z.array(z.uuid()),
  })
  .meta({ id: 'StatementLine' });

const statementReport = z
  .object({
    format: z.enum(STATEMENT_FORMATS),
    isPreview: z.boolean(),
    counts: z.object({ credited: z.int(), known: z.int(), unclear: z.int(), aside: z.int() }),
    lines: z.array(statementLine),
    settlements: z
      .array(
        z.object({
          id: z.uuid(),
          day: z.iso.date(),
          clearingPeriod: z.string(),
          account,
          currency: z.string(),
          missing: z.number().describe('Expected credit less the credits before this file'),
        }),
      )
      .describe('Every settlement that `credits` or `candidates` name'),
  })
  .meta({ id: 'StatementReport' });

export function statementRoute(core: Core): Route {
  return route({
    method: 'POST',
    path: '/api/bank-statements',
    operationId: 'importStatement',
    tag: 'Books',
    summary: 'Enter the credits of a bank statement',
    description:
      'Reads a statement of one or several accounts and days, and enters its credits in the closed settlements. ' +
      'A credit belongs to the settlement whose period it names, else to the only one with that missing amount, ' +
      'or to all settlements of a day if it is exactly their sum. An unclear line is not entered. ' +
      'Send the file again with `lines` to choose.',
    access: { kind: 'bearer', scope: 'books:write' },
    bucket: 'write',
    body: statementRequest,
    // The body contains a file in base64.
    maxBytes: MAX_BYTES,
    idempotent: true,
    example: { file: 'MTEvMDIvMjAyNjsxLjQ5MCwwMDtUUkYgRU1JUw==', preview: true },
    refusals: { 400: 'validation_failed: the format of the file is unknown, or no line of it can be read' },
    answers: { 200: { description: 'The result of each line', schema: statementReport } },
    run({ caller: { merchantId, ...caller }, body, keyed, address }) {
      const request = { merchantId, body, at: core.clock.now() };
      if (body.preview)
        return inSnapshot(core, async (db) => ({ status: 200, body: (await planImport(core, db, request)).report }));
      const actor = actorOf({ merchantId, ...caller }, address);
      return runKeyed(core, { merchantId, keyed }, async (db) => {
        await lockCredits(db, merchantId);
        const plan = await planImport(core, db, request);
        await enterPlan(db, { ...request, actor, plan });
        return { status: 200, body: plan.report };
      });
    },
  });
}

type ImportRequest = { merchantId: string; body: StatementRequest; at: Date };
type Plan = {
  fileHash: string;
  credits: { line: BankLine; parts: CreditPart[] }[];
  report: object;
  hasMovements: boolean;
};

/** Reads the file and decides the result of each line. Writes nothing. @throws Problem validation_failed */
async function planImport(core: Core, db: Db, { merchantId, body }: ImportRequest): Promise<Plan> {
  const stored = await findMapping(db, merchantId);
  const bytes = Buffer.from(body.file, 'base64');
  const statement = readStatement(bytes, { currency: CURRENCY, mapping: body.mapping ?? undefined, stored });
  const lines = hashLines(statement);
  const found = await findKnown.all(db, { merchantId, hashes: lines.map((line) => line.hash) });
  const known = new Set(found.map(({ lineHash }) => lineHash));
  const dates = lines.map(({ date }) => date).toSorted();
  const [from, to] = [dates[0], dates.at(-1)];
  const rows = from && to ? await listClosed(db, { merchantId, from: firstDayFor(from), to }, body.lines) : [];
  const settlements = rows.map(describe);
  const choices = readChoices(body.lines ?? [], lines, settlements);
  const fresh = lines.filter((line) => !known.has(line.hash) && !choices.has(line.line));
  const chosen = lines.filter((line) => !known.has(line.hash) && choices.get(line.line)?.result === 'credited');
  const matched = matchLines(fresh, lessChosen(settlements, chosen, choices));
  const byLine = new Map(fresh.map((line, nth) => [line, matched[nth]!]));
  const results = lines.map((line): [BankLine, LineResult] => {
    if (known.has(line.hash)) return [line, { result: 'known' }];
    return [line, choices.get(line.line) ?? byLine.get(line)!];
  });
  const credits = results.flatMap(([line, match]) =>
    match.result === 'credited' ? [{ line, parts: match.parts }] : [],
  );
  const accounts = await findAccounts(core, rows);
  const report = viewReport({ statement, results, rows, accounts, isPreview: body.preview === true });
  return { fileHash: hash('sha256', bytes, 'base64url'), credits, report, hasMovements: lines.length > 0 };
}

type LineResult = LineMatch | { result: 'known' } | { result: 'aside'; reason: 'chosen' };

/** Lists the closed settlements that the lines may belong to, with current sums. */
async function listClosed(db: Db, span: Span, chosen: StatementRequest['lines'] = []): Promise<Settlement[]> {
  const ids = chosen.flatMap(({ settlementId }) => settlementId ?? []);
  const found = (await findClosed.all(db, { ...span, ids })) as Settlement[];
  const summed: Settlement[] = [];
  // Late money has changed a settlement that is due, so its stored sums are old.
  for (const row of found) summed.push(row.dueAt ? await sumNow(db, row) : row);
  return summed;
}

const describe = (row: Settlement): ClosedSettlement => {
  const { id, day, period, currency, takenMinor } = row;
  return { id, day, period, currency, takenMinor, missingMinor: -differenceOf(row) };
};

/** Reads a person's choices by line. @throws Problem validation_failed for an unknown line or settlement */
function readChoices(
  chosen: NonNullable<StatementRequest['lines']>,
  lines: BankLine[],
  settlements: ClosedSettlement[],
): Map<number, LineResult> {
  const byNumber = new Map(lines.map((line) => [line.line, line]));
  const byId = new Map(settlements.map((each) => [each.id, each]));
  const faults: Fault[] = [];
  const choices = new Map<number, LineResult>();
  for (const [nth, { line: number, settlementId, aside }] of chosen.entries()) {
    const line = byNumber.get(number);
    const settlement = byId.get(settlementId ?? '');
    if (!line || choices.has(number)) faults.push({ pointer: `/lines/${nth}/line`, code: 'unknown_line' });
    else if (aside && !settlementId) choices.set(number, { result: 'aside', reason: 'chosen' });
    else if (!settlement || aside || settlement.currency !== line.currency)
      faults.push({ pointer: `/lines/${nth}/settlementId`, code: 'unknown_settlement' });
    else {
      const parts = [{ settlementId: settlement.id, amountMinor: line.amountMinor }];
      choices.set(number, { result: 'credited', parts });
    }
  }
  if (faults.length > 0) throw invalidFields(faults);
  return choices;
}

/** The settlements after a person's choices: the chosen lines are not missing any more. */
function lessChosen(settlements: ClosedSettlement[], chosen: BankLine[], choices: Map<number, LineResult>) {
  const less = new Map<string, number>();
  for (const { line } of chosen) {
    const choice = choices.get(line);
    if (choice?.result !== 'credited') continue;
    for (const { settlementId, amountMinor } of choice.parts)
      less.set(settlementId, addMinor(less.get(settlementId) ?? 0, amountMinor));
  }
  return settlements.map((each) => ({
    ...each,
    missingMinor: addMinor(each.missingMinor, -(less.get(each.id) ?? 0)),
  }));
}

type Entry = ImportRequest & { actor: Actor; plan: Plan };

/** Enters the credits of a plan. The caller holds the merchant's lock for credits. */
async function enterPlan(db: Db, { merchantId, body, at, actor, plan }: Entry): Promise<void> {
  const bySettlement = new Map<string, NewCredit[]>();
  for (const { line, parts } of plan.credits)
    for (const [nth, { settlementId, amountMinor }] of parts.entries()) {
      // A line that pays several settlements has one credit in each. The first one makes the line known.
      const lineHash = nth === 0 ? line.hash : `${line.hash}/${nth}`;
      const credit = { ...creditOf(line, plan.fileHash), amountMinor, lineHash };
      bySettlement.set(settlementId, [...(bySettlement.get(settlementId) ?? []), credit]);
    }
  // The order of the locks prevents a deadlock with another import.
  for (const [id, entered] of [...bySettlement].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const settlement = await lockOwn(db, { merchantId, id });
    await addCredits(db, { settlement, entered, actor, at });
    await saveSums(db, settlement, await sumSettlement(db, settlement), at);
  }
  if (body.mapping && plan.hasMovements) await keepMapping(db, merchantId, body.mapping);
}

type Report = {
  statement: Statement;
  results: [BankLine, LineResult][];
  rows: Settlement[];
  accounts: Accounts;
  isPreview: boolean;
};

function viewReport({ statement, results, rows, accounts, isPreview }: Report) {
  const read = results.map(([line, match]) => viewLine(line, match));
  const skipped = statement.aside.map(({ line, text, reason }) => {
    const movement = { account: null, date: null, amount: null, currency: null, reference: null };
    return { line, ...movement, description: text, result: 'aside', reason, credits: [], candidates: [] };
  });
  const lines = [...read, ...skipped].toSorted((a, b) => a.line - b.line);
  const used = new Set(
    read.flatMap(({ credits, candidates }) => [...credits.map(({ settlementId }) => settlementId), ...candidates]),
  );
  const counts = Object.fromEntries(
    RESULTS.map((result) => [result, lines.filter((line) => line.result === result).length]),
  );
  const settlements = rows
    .filter(({ id }) => used.has(id))
    .map((row) => ({
      id: row.id,
      day: row.day,
      clearingPeriod: row.period,
      account: accounts.get(row.rail) ?? { id: row.rail, label: row.rail },
      currency: row.currency,
      missing: toMajor(describe(row).missingMinor, row.currency),
    }));
  return { format: statement.format, isPreview, counts, lines, settlements };
}

function viewLine(line: BankLine, match: LineResult) {
  const { account: number, date, amountMinor, currency, description, reference } = line;
  const parts = match.result === 'credited' ? match.parts : [];
  return {
    line: line.line,
    account: number,
    date,
    amount: toMajor(amountMinor, currency),
    currency,
    description,
    reference,
    result: match.result,
    reason: 'reason' in match ? match.reason : null,
    credits: parts.map((part) => ({
      settlementId: part.settlementId,
      amount: toMajor(part.amountMinor, currency),
    })),
    candidates: match.result === 'unclear' ? match.candidates : [],
  };
}

type Span = { merchantId: string; from: string; to: string };

/** The most settlements that one file is compared with. */
const MAX_SETTLEMENTS = 5_000;

const findClosed = prepared((tables, { merchantId, from, to, ids }: Span & { ids: string[] }) =>
  tables
    .selectFrom('settlements')
    .selectAll()
    .where('merchantId', '=', merchantId)
    .where('closedAt', 'is not', null)
    .where((eb) => eb.or([eb.and([eb('day', '>=', from), eb('day', '<=', to)]), eb('id', ...isAny<string>(ids))]))
    .orderBy('day', 'desc')
    .limit(MAX_SETTLEMENTS),
);
