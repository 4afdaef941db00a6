// Notifications to the gateway: queued with what they tell, sent until acknowledged, at times spoiled on purpose.
import { randomUUID } from 'node:crypto';
import type { PoolClient } from 'pg';
import { OutgoingError, sendRequest } from '../http/outgoing.ts';
import { signMessage } from '../http/signature.ts';
import { claimFault, GARBAGE, type Fault } from './faults.ts';
import { trackUntilDone } from './loop.ts';
import { findScript } from './magic.ts';
import type { RailEnd, Simulation } from './simulator.ts';

const TIMEOUT_MS = 10_000;
/** Longer than any attempt takes, so that a row is free again only when its sender is surely gone. */
const LEASE_MS = 2 * TIMEOUT_MS;
const MAX_AT_ONCE = 32;
const RETRY_S = [5, 15, 60, 300];
const LAST_RETRY_S = 1_800;
const GIVE_UP_S = 86_400;

/** The rails that the simulator is. */
export type RailName = 'gpo' | 'ppr' | 'sms';

type NotificationRow = {
  seq: string;
  id: string;
  rail: RailName;
  body: string;
  created_at: Date;
  attempts: number;
  due_at: Date;
};

export type Notifier = {
  /** Starts sending what is due; says when the next one will be. */
  sendDue(): Promise<Date | null>;
  /** Resolves when what is being sent has ended. */
  finish(): Promise<unknown>;
};

/** Sends notifications side by side: one that hangs delays no other. */
export function createNotifier(sim: Simulation): Notifier {
  const inFlight = new Set<Promise<unknown>>();
  const send = async (row: NotificationRow) => {
    const isAcknowledged = await sendNotification(sim, row);
    await recordAttempt(sim, row, isAcknowledged).catch((error: unknown) =>
      sim.log(`the outcome of notification ${row.id} was not recorded; it will be repeated`, error),
    );
  };
  return {
    async sendDue() {
      for (const row of await claimDue(sim, MAX_AT_ONCE - inFlight.size)) {
        void trackUntilDone(inFlight, send(row)).then(() => sim.poke('notifications'));
      }
      if (inFlight.size === MAX_AT_ONCE) return null;
      const { rows } = await sim.pool.query<{ next: Date | null }>(
        'select min(due_at) as next from simulator.notifications where due_at is not null and rail = any($1)',
        [Object.keys(sim.rails)],
      );
      return rows[0]?.next ?? null;
    },
    finish: () => Promise.all(inFlight),
  };
}

/** What is told: `thing` stands under `name`. */
export type News = {
  rail: RailName;
  type: string;
  name: string;
  thing: object;
  aboutId: string;
  /** Whose faults and script apply: a phone, or the digits of a reference. */
  whose: string | null;
  at: Date;
  /** False: it goes out whatever the phone's script says of notifications. */
  isScripted?: boolean;
  /** Default: a new one. The rail's repetitions have the same. */
  id?: string;
};

const FAULT_TARGETS = { gpo: 'notification', ppr: 'reference_notification', sms: 'sms_notification' } as const;

/** Queues a notification in the transaction of what it tells; what is to go wrong with it is settled here. */
export async function queueNotification(db: PoolClient, news: News): Promise<void> {
  const { rail, type, name, thing, aboutId, whose, at, isScripted = true, id = randomUUID() } = news;
  const scripted = isScripted ? findScript(whose ?? '').notificationFault : undefined;
  const fault: Fault | null =
    (await claimFault(db, FAULT_TARGETS[rail], whose)) ?? (scripted ? { kind: scripted, delayMs: 0 } : null);
  const kind = fault?.kind;
  const content = { id, type, createdAt: at.toISOString(), [name]: thing };
  const dueAt = new Date(at.getTime() + (kind === 'delay' ? (fault?.delayMs ?? 0) : 0));
  await db.query(
    `insert into simulator.notifications (id, purchase_id, body, created_at, due_at, is_held, rail)
     select $1, $2, $3, $4::timestamptz, $5::timestamptz, $6::boolean, $8 from generate_series(1, $7)`,
    [
      id,
      aboutId,
      kind === 'garbage' ? GARBAGE : JSON.stringify(content),
      at,
      kind === 'drop' || kind === 'reorder' ? null : dueAt,
      kind === 'reorder',
      kind === 'duplicate' ? 3 : 1,
      rail,
    ],
  );
}

async function claimDue(sim: Simulation, room: number): Promise<NotificationRow[]> {
  const now = sim.clock.now();
  const { rows } = await sim.pool.query<NotificationRow>(
    `update simulator.notifications set due_at = $2, attempts = attempts + 1
     where seq in (select seq from simulator.notifications where due_at <= $1 and rail = any($4)
       order by due_at, seq limit $3 for update skip locked)
     returning *`,
    [now, new Date(now.getTime() + LEASE_MS), room, Object.keys(sim.rails)],
  );
  return rows;
}

async function sendNotification(sim: Simulation, { rail, body }: NotificationRow): Promise<boolean> {
  const { clock, rails } = sim;
  const { key, notifyUrl } = rails[rail] as RailEnd;
  // The path that is signed, whatever stands before it in the address.
  const signature = signMessage(key, { method: 'POST', path: `/rails/${rail}/notifications`, body }, clock.now());
  const headers = { 'Content-Type': 'application/json', ...signature };
  const request = { url: notifyUrl(), method: 'POST', headers, body, timeoutMs: TIMEOUT_MS, maxBytes: 65_536 };
  try {
    const { status } = await sendRequest({ ...request, clock, signal: sim.stopping });
    return status >= 200 && status < 300;
  } catch (error) {
    if (!(error instanceof OutgoingError)) sim.log('notifications cannot be sent', error);
    return false;
  }
}

/** Ends an acknowledged notification and lets go of those held back behind it; puts any other off. */
async function recordAttempt(sim: Simulation, row: NotificationRow, isAcknowledged: boolean): Promise<void> {
  const now = sim.clock.now();
  const retryAt = new Date(now.getTime() + (RETRY_S[row.attempts - 1] ?? LAST_RETRY_S) * 1000);
  const isGivenUp = retryAt.getTime() > row.created_at.getTime() + GIVE_UP_S * 1000;
  await sim.pool.query(
    `update simulator.notifications set due_at = $3, delivered_at = $4 where seq = $1 and attempts = $2`,
    [row.seq, row.attempts, isAcknowledged || isGivenUp ? null : retryAt, isAcknowledged ? now : null],
  );
  if (!isAcknowledged) return;
  await sim.pool.query('update simulator.notifications set is_held = false, due_at = $1 where is_held and rail = $2', [
    now,
    row.rail,
  ]);
}
