// Rail notifications to the gateway: queued, sent until the gateway acknowledges them, and faulty on demand.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { PoolClient } from 'pg';
import { OutgoingError, sendRequest } from '../../server/http/client/outgoing.ts';
import { signMessage } from '../../server/http/signature.ts';
import { claimFault, GARBAGE, type Fault } from './faults.ts';
import { trackUntilDone } from './loop.ts';
import type { FaultTarget } from './fault-kinds.ts';
import { findScript, type Script } from './test-numbers.ts';
import { prepared, type Row } from './schema.ts';
import type { RailConnection, RailName, Simulation } from './simulation.ts';

const TIMEOUT_MS = 10_000;
/** The lease of a notification. It exceeds any attempt, so a row becomes free only after its sender has stopped. */
const LEASE_MS = 2 * TIMEOUT_MS;
const MAX_PARALLEL = 32;
const RETRY_S = [5, 15, 60, 300];
const LAST_RETRY_S = 1_800;
const GIVE_UP_S = 86_400;

type NotificationRow = Row<'notifications'>;

export type Notifier = {
  /** Starts to send the due notifications and returns the time at which the next one is due. */
  sendDue(): Promise<Date | null>;
  /** Resolves when the running attempts to notify the gateway have ended. */
  finish(): Promise<unknown>;
};

/** Creates the sender of notifications. It sends in parallel, so that a hanging one does not delay the others. */
export function createNotifier(sim: Simulation): Notifier {
  const inFlight = new Set<Promise<unknown>>();
  const send = async (row: NotificationRow) => {
    const isAcknowledged = await sendNotification(sim, row);
    await recordAttempt(sim, row, isAcknowledged).catch((error: unknown) =>
      sim.log(`could not record outcome of notification ${row.id}; will repeat it`, error),
    );
  };
  return {
    async sendDue() {
      for (const row of await claimDue(sim, MAX_PARALLEL - inFlight.size)) {
        void trackUntilDone(inFlight, send(row)).then(() => sim.poke('notifications'));
      }
      if (inFlight.size === MAX_PARALLEL) return null;
      return (await findNext.one(sim.pool, { rails: railsOf(sim) })).next;
    },
    finish: () => Promise.all(inFlight),
  };
}

const railsOf = (sim: Simulation) => Object.keys(sim.rails) as RailName[];

const findNext = prepared((tables, { rails }: { rails: RailName[] }) =>
  tables
    .selectFrom('notifications')
    .select((eb) => eb.fn.min('dueAt').as('next'))
    .where('dueAt', 'is not', null)
    .where('rail', '=', sql<RailName>`any(${rails})`),
);

/** A notification to queue. Its body contains `thing` in the member `name`. */
export type QueuedNotification = {
  rail: RailName;
  type: string;
  name: string;
  thing: object;
  aboutId: string;
  /** The key that selects the notification's faults and script: a phone number, or the digits of a reference. */
  faultKey: string | null;
  at: Date;
  /** The script of the notification's faults. Default: the script of the phone. */
  script?: Script;
  /** The target of the notification's faults. Default: the target of the rail's other notifications. */
  faultTarget?: FaultTarget;
  /** The id of the notification. Default: a new id. A repeated notification keeps its id. */
  id?: string;
};

const FAULT_TARGETS = { gpo: 'notification', ppr: 'reference_notification', sms: 'sms_notification' } as const;

/** Queues a notification in the transaction of its event, and chooses its fault. */
export async function queueNotification(db: PoolClient, notification: QueuedNotification): Promise<void> {
  const { rail, type, name, thing, aboutId, faultKey, at, id = randomUUID() } = notification;
  const { script = findScript(faultKey ?? ''), faultTarget = FAULT_TARGETS[rail] } = notification;
  const scripted = script.notificationFault;
  const fault: Fault | null =
    (await claimFault(db, faultTarget, faultKey)) ?? (scripted ? { kind: scripted, delayMs: 0 } : null);
  const kind = fault?.kind;
  const content = { id, type, createdAt: at.toISOString(), [name]: thing };
  const dueAt = new Date(at.getTime() + (kind === 'delay' ? (fault?.delayMs ?? 0) : 0));
  await queueCopies.run(db, {
    id,
    rail,
    aboutId,
    body: kind === 'garbage' ? GARBAGE : JSON.stringify(content),
    at,
    dueAt: kind === 'drop' || kind === 'reorder' ? null : dueAt,
    isHeld: kind === 'reorder',
    copies: kind === 'duplicate' ? 3 : 1,
  });
}

type Copies = Pick<NotificationRow, 'id' | 'rail' | 'body' | 'dueAt' | 'isHeld'> & {
  aboutId: string;
  at: Date;
  copies: number;
};

const queueCopies = prepared((tables, { id, rail, aboutId, body, at, dueAt, isHeld, copies }: Copies) =>
  tables
    .insertInto('notifications')
    .columns(['id', 'rail', 'purchaseId', 'body', 'createdAt', 'dueAt', 'isHeld'])
    .expression((eb) =>
      eb
        .selectFrom(sql<object>`generate_series(1, ${copies})`.as('copy'))
        .select([
          eb.val(id).as('id'),
          eb.val(rail).as('rail'),
          eb.val(aboutId).as('purchaseId'),
          eb.val(body).as('body'),
          eb.cast<Date>(eb.val(at), 'timestamptz').as('createdAt'),
          eb.cast<Date | null>(eb.val(dueAt), 'timestamptz').as('dueAt'),
          eb.cast<boolean>(eb.val(isHeld), 'boolean').as('isHeld'),
        ]),
    ),
);

function claimDue(sim: Simulation, room: number): Promise<NotificationRow[]> {
  const now = sim.clock.now();
  return lease.all(sim.pool, { now, until: new Date(now.getTime() + LEASE_MS), room, rails: railsOf(sim) });
}

type Lease = { now: Date; until: Date; room: number; rails: RailName[] };

const lease = prepared((tables, { now, until, room, rails }: Lease) =>
  tables
    .updateTable('notifications')
    .set((eb) => ({ dueAt: until, attempts: eb('attempts', '+', eb.lit(1)) }))
    .where('seq', 'in', (eb) =>
      eb
        .selectFrom('notifications')
        .select('seq')
        .where('dueAt', '<=', now)
        .where('rail', '=', sql<RailName>`any(${rails})`)
        .orderBy('dueAt')
        .orderBy('seq')
        .limit(room)
        .forUpdate()
        .skipLocked(),
    )
    .returningAll(),
);

async function sendNotification(sim: Simulation, { rail, body }: NotificationRow): Promise<boolean> {
  const { clock, rails } = sim;
  const { key, notifyUrl } = rails[rail] as RailConnection;
  // The signature covers only this path, without a prefix in the public URL.
  const signature = signMessage(key, { method: 'POST', path: `/rails/${rail}/notifications`, body }, clock.outside());
  const headers = { 'Content-Type': 'application/json', ...signature };
  const request = { url: notifyUrl(), method: 'POST', headers, body, timeoutMs: TIMEOUT_MS, maxBytes: 65_536 };
  try {
    const { status } = await sendRequest({ ...request, clock, signal: sim.stopping });
    return status >= 200 && status < 300;
  } catch (error) {
    if (!(error instanceof OutgoingError)) sim.log('could not send notification', error);
    return false;
  }
}

/** Ends an acknowledged notification and releases the ones held after it. Schedules a retry after any other answer. */
async function recordAttempt(sim: Simulation, row: NotificationRow, isAcknowledged: boolean): Promise<void> {
  const now = sim.clock.now();
  const retryAt = new Date(now.getTime() + (RETRY_S[row.attempts - 1] ?? LAST_RETRY_S) * 1000);
  const isGivenUp = retryAt.getTime() > row.createdAt.getTime() + GIVE_UP_S * 1000;
  const { seq, attempts, rail } = row;
  const dueAt = isAcknowledged || isGivenUp ? null : retryAt;
  await markAttempt.run(sim.pool, { seq, attempts, dueAt, deliveredAt: isAcknowledged ? now : null });
  if (isAcknowledged) await releaseHeld.run(sim.pool, { rail, now });
}

type Attempt = Pick<NotificationRow, 'seq' | 'attempts' | 'dueAt' | 'deliveredAt'>;

const markAttempt = prepared((tables, { seq, attempts, dueAt, deliveredAt }: Attempt) =>
  tables
    .updateTable('notifications')
    .set({ dueAt, deliveredAt })
    .where('seq', '=', seq)
    .where('attempts', '=', attempts),
);

const releaseHeld = prepared((tables, { rail, now }: { rail: RailName; now: Date }) =>
  tables
    .updateTable('notifications')
    .set({ isHeld: false, dueAt: now })
    .where('isHeld', '=', (eb) => eb.lit(true))
    .where('rail', '=', rail),
);
