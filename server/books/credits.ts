// POST /api/settlements/{settlementId}/credits: enters credits of the bank by hand or from its file, and compares the
// settlement.
import { hash } from 'node:crypto';
import type { Insertable } from 'kysely';
import { v7 as uuid } from 'uuid';
import { z } from 'zod';
import { ENTRY_KINDS, type EntryKind } from '../../shared/books.ts';
import { toMajor } from '../../shared/money.ts';
import type { Core } from '../core.ts';
import { isAny, prepared, takeLock, type Db, type Tables } from '../database/db.ts';
import { actorOf, recordAudit, type Actor } from '../audit/record.ts';
import { MAX_BYTES } from '../http/body.ts';
import { day, singleLine, requiredInteger } from '../http/fields.ts';
import { runKeyed } from '../http/idempotency.ts';
import { invalidFields, Problem, type Fault } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { readSignedMinor, signedAmount } from './amount.ts';
import { differenceOf, lockOwn, saveSums, sumSettlement } from './close.ts';
import type { Settlement } from './entities.ts';
import { chooseLines } from './match-lines.ts';
import { bySettlement, settlementSummary } from './settlement-schemas.ts';
import { readSettlementSummary } from './settlements.ts';
import { bankMapping, type BankMapping } from './statements/mapping.ts';
import { hashLines, readStatement, statementFile, type BankLine } from './statements/read.ts';
import { wrongFile } from './statements/statement.ts';

const creditRequest = z.object({
  kind: z
    .enum(ENTRY_KINDS)
    .default('credit')
    .describe('`fee`: the bank’s fee, by hand. It reduces the expected credit, and is not part of `credited`'),
  amount: signedAmount('Amount of the credit. Negative if the bank took money. A fee is positive'),
  date: day.nullish().describe('The bank’s date'),
  reference: singleLine(100).nullish().describe('The bank’s reference'),
  file: statementFile.nullish(),
  mapping: bankMapping.nullish().describe('Columns and format of the file. Stored for the next file'),
  lines: z
    .array(requiredInteger(1, 100_000))
    .min(1)
    .max(100)
    .nullish()
    .describe('Line numbers of the file, from 1. Default: credits that name the period or have the missing amount'),
});

type CreditRequest = z.output<typeof creditRequest>;

/** Checks that a request without a file has an amount and a date. */
function checkCredit(input: unknown): Fault[] {
  const given = (input ?? {}) as Record<string, unknown>;
  if (given['file'] != null)
    return given['kind'] === 'fee' ? [{ pointer: '/kind', code: 'invalid_value', params: { values: 'credit' } }] : [];
  const missing = ['amount', 'date'].filter((name) => given[name] == null);
  return missing.map((name) => ({ pointer: `/${name}`, code: 'required' }));
}

export function creditRoutes(core: Core): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/settlements/{settlementId}/credits',
      operationId: 'enterCredits',
      tag: 'Books',
      summary: 'Enter what the bank credited',
      description:
        'One credit or fee of the bank by hand (`amount`, `date`), or the lines of a bank’s file (`file`) for this ' +
        'settlement. Other lines of the file are ignored. `POST /api/bank-statements` enters a file for all ' +
        'settlements. A wrong entry is taken back by its `reversal`. ' +
        'The settlement is `balanced` if its credits equal the expected credit. Otherwise it `differs`, ' +
        'and `reasons` lists the movements with the amount of the difference.',
      access: { kind: 'bearer', scope: 'books:write' },
      bucket: 'write',
      params: bySettlement,
      body: creditRequest,
      // The body may contain a file in base64.
      maxBytes: MAX_BYTES,
      checkBody: checkCredit,
      idempotent: true,
      example: { amount: 1290.05, date: '2026-11-24', reference: 'TRF 20261124/0815' },
      refusals: {
        400: 'validation_failed: the format of the file is unknown, or no line of it can be read',
        409: 'period_open; bank_file_known; bank_line_unclear, with `lines`',
      },
      answers: { 201: { description: 'The changed settlement', schema: settlementSummary } },
      run: ({ caller, params, body, keyed, address }) =>
        runKeyed(core, { merchantId: caller.merchantId, keyed }, async (db) => {
          const target = { merchantId: caller.merchantId, id: params.settlementId, actor: actorOf(caller, address) };
          return { status: 201, body: await enterCredits(core, db, { ...target, request: body }) };
        }),
    }),
  ];
}

type CreditTarget = { merchantId: string; id: string; actor: Actor; request: CreditRequest };

/** Enters credits of a settlement. @throws Problem not_found, period_open, and the refusals of a file */
async function enterCredits(core: Core, db: Db, { merchantId, id, actor, request }: CreditTarget): Promise<object> {
  await lockCredits(db, merchantId);
  const settlement = await lockOwn(db, { merchantId, id });
  if (!settlement.closedAt) throw new Problem('period_open');
  const sums = await sumSettlement(db, settlement);
  const missingMinor = -differenceOf({ ...settlement, ...sums });
  const entered = request.file
    ? await readFile(db, { ...settlement, missingMinor }, { ...request, file: request.file })
    : [readByHand(settlement, request)];
  const at = core.clock.now();
  await addCredits(db, { settlement, entered, actor, at });
  await saveSums(db, settlement, sums, at);
  return readSettlementSummary(core, db, merchantId, id);
}

type Entered = { settlement: Settlement; entered: NewCredit[]; actor: Actor; at: Date };

/** Adds credits or fees to a settlement, with an entry of the audit. The caller stores the new sums. */
export async function addCredits(db: Db, { settlement, entered, actor, at }: Entered): Promise<void> {
  const { id, merchantId, currency } = settlement;
  const by = { enteredByKind: actor.kind as 'user' | 'client', enteredById: actor.id, createdAt: at };
  for (const credit of entered)
    await insertCredit.run(db, { row: { id: uuid(), merchantId, settlementId: id, currency, ...by, ...credit } });
  const isFee = entered.some(({ kind }) => kind === 'fee');
  const changes = {
    [isFee ? 'bankFees' : 'credits']: entered.map(({ amountMinor, date, bankReference }) => ({
      amount: toMajor(amountMinor, currency),
      currency,
      date,
      bankReference,
    })),
  };
  const action = isFee ? 'settlement.fee_entered' : 'settlement.credited';
  await recordAudit(db, { merchantId, actor, action, target: id, changes, at });
}

/** Lets one request at a time enter credits of a merchant, so that no line of a bank is entered twice. */
export const lockCredits = (db: Db, merchantId: string) => takeLock(db, `credits ${merchantId}`);

export type NewCredit = { amountMinor: number; date: string; bankReference: string | null; kind?: EntryKind } & Partial<
  Record<'fileHash' | 'lineHash', string>
>;

function readByHand({ currency }: Settlement, { kind, amount, date, reference }: CreditRequest): NewCredit {
  const amountMinor = readSignedMinor(amount ?? '', currency);
  if (amountMinor === null || !date) throw invalidFields([{ pointer: '/amount', code: 'invalid_credit' }]);
  if (kind === 'fee' && amountMinor < 0) throw invalidFields([{ pointer: '/amount', code: 'invalid_fee' }]);
  return { kind, amountMinor, date, bankReference: reference ?? null };
}

type Missing = Settlement & { missingMinor: number };
type FileRequest = CreditRequest & { file: string };

/**
 * Returns the credits in a bank's file that belong to this settlement.
 * @throws Problem bank_file_known, bank_line_unclear, validation_failed
 */
async function readFile(db: Db, settlement: Missing, request: FileRequest): Promise<NewCredit[]> {
  const { merchantId, currency } = settlement;
  const { mapping } = request;
  const hints = { currency, mapping: mapping ?? undefined, stored: await findMapping(db, merchantId) };
  const bytes = Buffer.from(request.file, 'base64');
  const fileHash = hash('sha256', bytes, 'base64url');
  const lines = hashLines(readStatement(bytes, hints)).filter((each) => each.currency === currency);
  if (lines.length === 0) throw wrongFile('empty');
  const known = await findKnown.all(db, { merchantId, hashes: lines.map(({ hash }) => hash) });
  const isKnown = new Set(known.map(({ lineHash }) => lineHash));
  const fresh = lines.filter(({ hash }) => !isKnown.has(hash));
  const wasRead = known.some((row) => row.settlementId === settlement.id && row.fileHash === fileHash);
  if (fresh.length === 0 || (wasRead && !request.lines)) throw new Problem('bank_file_known');
  const chosen = request.lines ? pickLines(request.lines, lines, fresh) : chooseLines(settlement, fresh);
  if (!chosen) throw unclear(fresh, currency);
  if (mapping) await keepMapping(db, merchantId, mapping);
  return chosen.map((line) => ({ ...creditOf(line, fileHash), lineHash: line.hash }));
}

/** Builds the credit of a line. Its reference is the bank's text, which people compare with their statement. */
export const creditOf = ({ amountMinor, date, description, reference }: BankLine, fileHash: string) => ({
  amountMinor,
  date,
  bankReference: description.slice(0, 200) || reference,
  fileHash,
});

/**
 * Picks lines of a bank's file by their numbers.
 * @throws Problem validation_failed for an unknown line, bank_file_known for a line that was entered earlier
 */
function pickLines(numbers: number[], lines: BankLine[], fresh: BankLine[]): BankLine[] {
  const faults = numbers.flatMap((number, nth): Fault[] =>
    lines.some(({ line }) => line === number) ? [] : [{ pointer: `/lines/${nth}`, code: 'unknown_line' }],
  );
  if (faults.length > 0) throw invalidFields(faults);
  const picked = fresh.filter(({ line }) => numbers.includes(line));
  if (picked.length < new Set(numbers).size) throw new Problem('bank_file_known');
  return picked;
}

/** Builds the refusal of a file whose lines a person must choose. */
function unclear(fresh: BankLine[], currency: string): Problem {
  const lines = fresh.slice(0, 100).map(({ line, date, amountMinor, description }) => {
    return { line, date, amount: toMajor(amountMinor, currency), description };
  });
  return new Problem('bank_line_unclear', { extra: { lines } });
}

const insertCredit = prepared((tables, { row }: { row: Insertable<Tables['settlement_credits']> }) =>
  tables.insertInto('settlement_credits').values(row),
);

/** Returns the credits that were entered from these lines. */
export const findKnown = prepared((tables, { merchantId, hashes }: { merchantId: string; hashes: string[] }) =>
  tables
    .selectFrom('settlement_credits')
    .select(['lineHash', 'fileHash', 'settlementId'])
    .where('merchantId', '=', merchantId)
    .where('lineHash', ...isAny<string | null>(hashes)),
);

/** Returns the column mapping of the merchant's last bank file. */
export async function findMapping(db: Db, merchantId: string): Promise<BankMapping | undefined> {
  const kept = await findKept.first(db, { merchantId });
  return kept ? bankMapping.parse(kept.mapping) : undefined;
}

const findKept = prepared((tables, { merchantId }: { merchantId: string }) =>
  tables.selectFrom('bank_mappings').select('mapping').where('merchantId', '=', merchantId),
);

/** Stores the column mapping for the merchant's next file. */
export async function keepMapping(db: Db, merchantId: string, mapping: BankMapping): Promise<void> {
  await upsertMapping.run(db, { merchantId, mapping: JSON.stringify(mapping) });
}

const upsertMapping = prepared((tables, { merchantId, mapping }: { merchantId: string; mapping: string }) =>
  tables
    .insertInto('bank_mappings')
    .values({ merchantId, mapping })
    .onConflict((on) => on.column('merchantId').doUpdateSet({ mapping })),
);
