// Inserts new payments: in a batch with concurrent creations, alone, in a caller's transaction, or all or none.
// The result names the conflict that prevented an insert.
import type { Core } from '../../core.ts';
import { countCommitted, counts } from '../../metrics/counts.ts';
import { AnswerLost, repeatLost } from '../../database/away.ts';
import { propertiesOf } from '../../database/columns.ts';
import { runStatement, createPoolWriter, type Db } from '../../database/db.ts';
import { inTransaction } from '../../database/orm.ts';
import { announceEvents } from '../../events/record.ts';
import type { StoredAnswer } from '../../http/idempotency.ts';
import { Problem, tryLater } from '../../http/problem.ts';
import { CREATE } from './create.sql.ts';
import {
  PaymentSchema,
  ReferenceSchema,
  type Attempt,
  type AttemptKind,
  type Payment,
  type RecordedAttempt,
  type Reference,
} from './entities.ts';
import { findPayment } from './rows.ts';

/** The payment was inserted. */
export const NO_CONFLICT: InsertConflicts = {
  keyed: null,
  busyId: null,
  isTerminalClosed: false,
  isReferenceTaken: false,
};

/**
 * Writes a creation, unless its key or a twin under way is found.
 * Creations that wait at the same time share a statement and its commit.
 * @throws Problem reference_in_flight, idempotency_in_progress
 */
export async function insertCreation(core: Core, creation: Creation): Promise<InsertConflicts> {
  try {
    return await batchWriterOf(core)(creation);
  } catch (error) {
    // A statement fails as a whole: which of its rows was wrong is found by running each alone.
    if (isFaultOfRows(error)) return insertAlone(core, creation);
    throw error;
  }
}

/**
 * Runs `write`, and repeats it if the database's answer was lost: then the payment is there, or was never written.
 * @throws AnswerLost if the payment may exist and has an attempt: a 503 would promise that it does not exist
 */
export async function writeUntilKnown<T>(
  db: Db,
  { payment, attempt }: Pick<Creation, 'payment' | 'attempt'>,
  { write, written }: { write: () => Promise<T>; written: T },
): Promise<T> {
  const again = async () => {
    const found = await write().catch(keepProblem);
    // The obstacle that the second run meets may be the first run's own payment.
    if (await findPayment.first(db, { id: payment.id })) return written;
    if (found instanceof Problem) throw found;
    return found;
  };
  return repeatLost(write, again).catch((error: unknown) => {
    throw error instanceof AnswerLost && !attempt ? error.cause : error;
  });
}

function keepProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  throw error;
}

/** Writes one creation, alone or inside the caller's transaction. */
export async function insertWithin(db: Db, creation: Creation): Promise<InsertConflicts> {
  return (await insertAll(db, [creation]))[0] as InsertConflicts;
}

/**
 * Writes all creations or none, in one statement.
 * Null after a conflict with a concurrent request, which the caller retries.
 */
export async function insertBulk(core: Core, creations: Creation[]): Promise<InsertConflicts[] | null> {
  try {
    return await inTransaction(core, async (db) => {
      const found = await insertAll(db, creations);
      if (!found.every(isWritten)) throw new NothingWritten(found);
      return found;
    });
  } catch (error) {
    if (error instanceof NothingWritten) return error.found;
    if (isConflict(error)) return null;
    throw error;
  }
}

class NothingWritten extends Error {
  readonly found: InsertConflicts[];
  constructor(found: InsertConflicts[]) {
    super('nothing was written');
    this.found = found;
  }
}

/** A unique violation, a serialization failure or a deadlock. */
export function isConflict(error: unknown): boolean {
  return /^(23505|40001|40P01)$/.test(String((error as { code?: unknown }).code));
}

function isWritten({ keyed, busyId, isTerminalClosed, isReferenceTaken }: InsertConflicts): boolean {
  return !keyed && !busyId && !isTerminalClosed && !isReferenceTaken;
}

/**
 * A unique violation means that another request committed in between: the second run sees it. Only a second violation
 * in a row is answered by its constraint.
 */
async function insertAlone(core: Core, creation: Creation): Promise<InsertConflicts> {
  const run = () => insertWithin(core, creation);
  const isDuplicate = (error: unknown) => (error as { code?: string }).code === '23505';
  try {
    return await run();
  } catch (first) {
    if (!isDuplicate(first)) throw first;
    return run().catch((second: unknown) => {
      if (!isDuplicate(second)) throw second;
      const { constraint } = second as { constraint?: string };
      if (REFERENCES.has(constraint)) return { ...NO_CONFLICT, isReferenceTaken: true };
      throw constraint === 'payments_in_flight'
        ? new Problem('reference_in_flight')
        : tryLater('idempotency_in_progress', 1);
    });
  }
}

/** Constraints on the digits of an entity, and on the references of a merchant with `uniqueReferences`. */
const REFERENCES: ReadonlySet<string | undefined> = new Set(['payment_references_live', 'payments_claim']);

/** SQL errors after which nothing was written. A lost connection is excluded: the commit may have succeeded. */
export function isFaultOfRows(error: unknown): boolean {
  return /^(22|23|40)[0-9A-Z]{3}$/.test(String((error as { code?: unknown }).code));
}

/** One statement runs at a time. Rows that arrive during it form the next batch. */
const BATCH = { statements: 1, rows: 64 };

const batchWriterOf = createPoolWriter<Core, Creation, InsertConflicts>(
  (core, creations) => insertAll(core, creations),
  BATCH,
);

export type Creation = {
  payment: Payment;
  events: { id: string; type: string }[];
  attempt:
    | (Pick<Attempt, 'id' | 'rail'> & { kind: AttemptKind; railKey: string | null; dueAt: Date; makerId?: string })
    | null;
  /**
   * `inFlightUntil`: the answer waits for the rail until then at most.
   * `body`: null if the answer is the created payment.
   */
  key: { key: string; fingerprint: string; body: string | null; inFlightUntil?: Date | null } | null;
  /** `unusedSince`: of generated digits, which must not have been in use since then. */
  reference?: Omit<Reference, 'paymentId'> & { unusedSince: Date | null };
};

/** Reasons against an insert: a stored answer, the same push in progress, a closed terminal, a used reference. */
export type InsertConflicts = {
  keyed: StoredAnswer | null;
  busyId: string | null;
  isTerminalClosed: boolean;
  isReferenceTaken: boolean;
};

type FoundRow = Omit<InsertConflicts, 'keyed'> &
  Omit<StoredAnswer, 'fingerprint'> & { id: string; fingerprint: string | null; toWebhooks: boolean };

/** Runs the statement for all creations. Returns the obstacles of each, in the same order. */
async function insertAll(db: Db, creations: Creation[]): Promise<InsertConflicts[]> {
  const rows = await runStatement<FoundRow>(db, CREATE, [
    JSON.stringify(creations.map(({ payment }) => toRow(PAYMENT, payment))),
    JSON.stringify(creations.map(writtenWith)),
  ]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const found = creations.map(({ payment }) => byId.get(payment.id) as FoundRow);
  const news = new Map(creations.map(({ payment }, nth) => [payment.merchantId, found[nth]?.toWebhooks === true]));
  for (const [merchantId, toWebhooks] of news) announceEvents(db, { merchantId, toWebhooks, toCallback: false });
  const obstacles = found.map(obstaclesOf);
  countCommitted(db, () => {
    for (const [nth, { payment }] of creations.entries()) {
      const { paymentMethod: method, status } = payment;
      if (isWritten(obstacles[nth] as InsertConflicts)) counts.payments.inc({ method, status });
    }
  });
  return obstacles;
}

function obstaclesOf({ fingerprint, status, body, paymentId, inFlightUntil, ...found }: FoundRow): InsertConflicts {
  const { busyId, isTerminalClosed, isReferenceTaken } = found;
  const about = { paymentId: paymentId ?? null, inFlightUntil: inFlightUntil ?? null };
  const keyed = fingerprint === null ? null : { fingerprint, status, body, ...about };
  return { keyed, busyId, isTerminalClosed, isReferenceTaken };
}

export function orderOf(payment: Payment, attempt: NonNullable<Creation['attempt']>): RecordedAttempt {
  const { id, kind, dueAt } = attempt;
  const { phone, createdAt } = payment;
  const written = { id, kind, status: 'Unsent', createdAt, sentAt: createdAt, dueAt } as const;
  return { payment, attempt: { ...attempt, phone, createdAt }, written };
}

const PAYMENT = propertiesOf(PaymentSchema);
const REFERENCE = propertiesOf(ReferenceSchema);

/** The columns of the statement's second record set (create.sql.ts). */
function writtenWith({ payment, events, attempt, key, reference }: Creation): object {
  return {
    event_ids: events.map(({ id }) => id),
    event_types: events.map(({ type }) => type),
    attempt_id: attempt?.id,
    attempt_kind: attempt?.kind,
    attempt_rail: attempt?.rail,
    attempt_key: attempt?.railKey,
    attempt_due_at: attempt?.dueAt,
    key: key?.key,
    fingerprint: key?.fingerprint,
    body: key?.body,
    in_flight_until: key?.inFlightUntil,
    reference_row: reference && { ...toRow(REFERENCE, reference), payment_id: payment.id },
    unused_since: reference?.unusedSince,
  };
}

/** An entity by its columns' names, without nulls. */
function toRow(columns: ReturnType<typeof propertiesOf>, entity: object): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (const { property, column } of columns) {
    const value = (entity as Record<string, unknown>)[property];
    if (value !== null && value !== undefined) row[column] = value;
  }
  return row;
}
