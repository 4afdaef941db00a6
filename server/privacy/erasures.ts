// Runs erasures for merchants and the operator, step by step and in turn by merchant. Open payments make them wait.
import { LockMode } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import type { Core } from '../core.ts';
import { em, prepared, takeLock, type Db } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { recordAudit, type Actor } from '../audit/record.ts';
import { tryLater } from '../http/problem.ts';
import { dueQueue, reschedule, type Claim, type DueQueue } from '../jobs/due.ts';
import { openDigest } from '../sms/opt-outs/refusals.ts';
import { Erasure, ERASURE_STATUSES, OPERATORS_TURN, type RowInUse, type Progress } from './entities.ts';
import { eraseRows } from './erase.ts';
import { readWindow, STEP } from './reach.ts';
import { LAST_WALKS, PAYMENTS, WALKS, type Scope, type Walk } from './walks.ts';
import type { Erased, ErasingCore } from './redact.ts';
import { hashSubject, SEALED_FOR, type Subject } from './subject.ts';
import { HOUR_MS, MINUTE_MS } from '../../shared/durations.ts';

const TABLE = 'erasures';
/** Lease of a claimed erasure, many times the duration of one step. */
const LEASE_MS = MINUTE_MS;
/** Delay before an erasure, longer than the statement timeout, so that writes from before the request have ended. */
const SETTLE_MS = 15_000;
/** Steps of one erasure before the queue takes the next merchant's erasure. */
const STEPS_OF_TURN = 20;
/** Maximum erasures of a merchant that still read tables. Those that wait for an open payment do not count. */
const MAX_PER_MERCHANT = 20;

const ALL: Walk[] = [PAYMENTS, ...WALKS, ...LAST_WALKS];
/** Index of the first table walk that starts only after all open rows of the earlier walks are erased. */
const FIRST_OF_LAST = ALL.length - LAST_WALKS.length;

type ErasureRequest = Scope & { actor: Actor };

/**
 * Requests an erasure, or returns the running erasure of the same person.
 * @throws Problem too_many_erasures
 */
export async function requestErasure(core: Core, { merchantId, subject, actor }: ErasureRequest): Promise<Erasure> {
  const subjectHash = hashSubject(await openDigest(core), subject, merchantId);
  return inTransaction(core, async (db) => {
    // One lock per merchant ensures that two concurrent requests cannot both take the last slot.
    await takeLock(db, `erasures ${merchantId}`);
    const known = await em(db).findOne(Erasure, { subjectHash, status: { $ne: 'Done' } });
    if (known) return known;
    if (merchantId && (await countReading.one(db, { merchantId })).count >= MAX_PER_MERCHANT)
      throw tryLater('too_many_erasures', 60);
    const createdAt = core.clock.now();
    const row = {
      id: uuidv7(),
      merchantId,
      subjectHash,
      sealedSubject: core.keyring.seal(JSON.stringify(subject), SEALED_FOR),
      status: 'Pending' as const,
      progress: { walk: 0, after: null, left: [], payments: [] } satisfies Progress,
      erased: {},
      requestedByKind: actor.kind,
      requestedById: actor.id,
      createdAt,
      completedAt: null,
      dueAt: new Date(createdAt.getTime() + SETTLE_MS),
      dueCount: 0,
      turn: merchantId ?? OPERATORS_TURN,
    };
    await em(db).insert(Erasure, row);
    await recordAudit(db, { merchantId, actor, action: 'privacy.erasure_requested', target: row.id, at: createdAt });
    return row;
  });
}

const countReading = prepared((tables, { merchantId }: { merchantId: string }) =>
  tables
    .selectFrom(TABLE)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('turn', '=', merchantId)
    .where('dueAt', 'is not', null)
    .where(sql<boolean>`(progress ->> 'walk')::int < ${sql.lit(FIRST_OF_LAST)}`),
);

export function erasureQueue(core: Core): DueQueue {
  return dueQueue(core, {
    table: TABLE,
    turns: 'turn',
    leaseMs: LEASE_MS,
    concurrency: 1,
    run: (claim) => runErasure(core, claim),
  });
}

/** Runs steps until the erasure is done or waits, its turn ends, or the node stops. */
async function runErasure(core: Core, claim: Claim): Promise<void> {
  for (let steps = 1; await runStep(core, claim); steps++) {
    if (steps < STEPS_OF_TURN && !core.stopping.aborted) continue;
    await reschedule(core, TABLE, claim, core.clock.now());
    return core.jobs.wake(TABLE);
  }
}

/** Runs one step of an erasure and commits it with the progress. Returns false if the erasure cannot continue now. */
function runStep(core: Core, claim: Claim): Promise<boolean> {
  return inTransaction(core, async (db) => {
    const lock = { lockMode: LockMode.PESSIMISTIC_WRITE } as const;
    const erasure = await em(db).findOne(Erasure, ofClaim(claim), lock);
    if (!erasure?.sealedSubject) return false;
    const subject: Subject = JSON.parse(core.keyring.open(erasure.sealedSubject, SEALED_FOR));
    const scope = { merchantId: erasure.merchantId ?? null, subject };
    const { walk } = erasure.progress;
    const isHeld = walk === FIRST_OF_LAST && erasure.progress.after === null;
    const isOver = walk === ALL.length;
    if ((isHeld || isOver) && erasure.progress.left.length > 0)
      return retryRowsInUse(core, db, { claim, erasure, scope });
    if (isOver) return finish(core, db, { claim, erasure });
    const { after, payments } = erasure.progress;
    const window = await readWindow(db, ALL[walk] as Walk, scope, { after, payments });
    const found = { walk: ALL[walk] as Walk, scope, keys: window.personKeys, payments };
    const done = await eraseRows(erasingCore(core, db), found);
    const next = window.after ? { walk, after: window.after } : { walk: walk + 1, after: null };
    await note(core, db, { claim, erasure, done, progress: { ...next, ...addTo(erasure.progress, done) } });
    return true;
  });
}

/** Returns the clock and keys of `core`, but with the connection of the step's transaction. */
const erasingCore = ({ clock, keyring }: Core, db: Db): ErasingCore => ({ ...db, clock, keyring });

type Stepping = { claim: Claim; erasure: Erasure };

const ofClaim = ({ id, dueCount }: Claim) => ({ id, dueCount });

function addTo({ left, payments }: Pick<Progress, 'left' | 'payments'>, done: Erased) {
  return { left: join(left, done.left), payments: [...new Set([...payments, ...(done.payments ?? [])])] };
}

const join = (before: RowInUse[], more: RowInUse[]): RowInUse[] => [
  ...new Map([...before, ...more].map((one) => [`${one.table} ${one.id}`, one])).values(),
];

/** Erases rows that were in use before and are finished now. The delay to the next try grows up to an hour. */
async function retryRowsInUse(
  core: Core,
  db: Db,
  { claim, erasure, scope }: Stepping & { scope: Scope },
): Promise<boolean> {
  const { progress } = erasure;
  const now = progress.left.slice(0, STEP);
  const done: Erased = { counts: {}, left: [], payments: [] };
  for (const walk of ALL) {
    const keys = now.filter(({ table }) => table === walk.table).map(({ id }) => [id]);
    const one = await eraseRows(erasingCore(core, db), { walk, scope, keys, payments: progress.payments });
    Object.assign(done.counts, one.counts);
    done.left.push(...one.left);
    done.payments?.push(...(one.payments ?? []));
  }
  // Rows beyond this step's limit come first in the next step.
  const added = addTo({ ...progress, left: progress.left.slice(STEP) }, done);
  const isStuck = done.left.length === now.length;
  await note(core, db, { claim, erasure, done, progress: { ...progress, ...added }, isWaiting: isStuck });
  return !isStuck;
}

function nextRetryAt({ createdAt }: Erasure, now: Date): Date {
  const sinceMs = now.getTime() - createdAt.getTime();
  return new Date(now.getTime() + Math.min(Math.max(sinceMs / 4, MINUTE_MS), HOUR_MS));
}

type Noted = Stepping & { done: Erased; progress: Progress; isWaiting?: boolean };

async function note(core: Core, db: Db, { claim, erasure, done, progress, isWaiting = false }: Noted): Promise<void> {
  const now = core.clock.now();
  const erased = { ...erasure.erased };
  for (const [table, count] of Object.entries(done.counts)) if (count > 0) erased[table] = (erased[table] ?? 0) + count;
  const dueAt = isWaiting ? nextRetryAt(erasure, now) : new Date(now.getTime() + LEASE_MS);
  const status = progress.left.length > 0 ? ('Waiting' as const) : ('Pending' as const);
  await em(db).nativeUpdate(Erasure, ofClaim(claim), { progress, erased, dueAt, status });
}

/** Ends an erasure, and deletes the sealed phone or e-mail address of the person. */
async function finish(core: Core, db: Db, { claim, erasure }: Stepping): Promise<false> {
  const at = core.clock.now();
  const { merchantId = null, requestedByKind: kind, requestedById: id, erased } = erasure;
  const done = { status: 'Done', completedAt: at, sealedSubject: null, dueAt: null } as const;
  await em(db).nativeUpdate(Erasure, ofClaim(claim), done);
  const actor = { kind, id, address: null };
  await recordAudit(db, { merchantId, actor, action: 'privacy.erased', target: claim.id, changes: { erased }, at });
  return false;
}

const KINDS: Record<RowInUse['table'], string> = {
  payments: 'payment',
  sms_messages: 'sms',
  mails: 'mail',
  inbox: 'rail_message',
};
/** Maximum number of rows in use that the answer lists. */
const MAX_LISTED = 100;

export function viewErasure({ id, status, progress, erased, createdAt, completedAt }: Erasure) {
  const { left } = progress;
  return {
    id,
    status,
    waitingFor: left.slice(0, MAX_LISTED).map(({ table, id }) => ({ kind: KINDS[table], id })),
    waitingCount: left.length,
    erased,
    createdAt,
    completedAt: completedAt ?? null,
  };
}

/** Answer of the API with the status of an erasure. */
export const erasureAnswer = z
  .object({
    id: z.uuid(),
    status: z
      .enum(ERASURE_STATUSES)
      .describe('Waiting: some rows are still in use and will be erased when they are finished'),
    waitingFor: z
      .array(z.object({ kind: z.enum(['payment', 'sms', 'mail', 'rail_message']), id: z.uuid() }))
      .describe(`Rows still in use, at most ${MAX_LISTED}`),
    waitingCount: z.int().describe('Number of rows still in use'),
    erased: z.record(z.string(), z.int()).describe('Number of changed rows by table'),
    createdAt: z.iso.datetime(),
    completedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Erasure' });
