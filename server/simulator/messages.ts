// Messages at the rail: taken on once, put into the inbox, and delivered or not when their time has come.
import type { Pool, PoolClient } from 'pg';
import { insertLetter, trimLetters } from './letters.ts';
import { planMessage, type MessagePlan } from './magic.ts';
import { queueNotification } from './notifications.ts';
import type { Simulation } from './simulator.ts';
import { inTransaction } from './tables.ts';

/** What a sending asks for, by its names on the wire. */
export type MessageRequest = { id: string; sender: string; to: string; text: string };

export type MessageRow = {
  id: string;
  sender: string;
  phone: string;
  text: string;
  status: 'QUEUED' | 'SENT' | MessagePlan['status'];
  reason: string | null;
  calls: number;
  created_at: Date;
  decided_at: Date | null;
};

/** Messages decided at a time: in one transaction with their notifications. */
const MAX_AT_ONCE = 100;

/** Takes a message on, or counts one more call for the one with this id. */
export async function recordMessage(
  sim: Simulation,
  request: MessageRequest,
): Promise<{ row: MessageRow; isNew: boolean; isSame: boolean }> {
  const recorded = await inTransaction(sim.pool, (db) => insertMessage(db, request, sim.clock.now()));
  if (recorded.isNew) {
    await trimLetters(sim.pool, 'sms');
    sim.poke('deliveries');
  }
  return recorded;
}

async function insertMessage(db: PoolClient, { id, sender, to, text }: MessageRequest, now: Date) {
  const plan = planMessage(to);
  const isAtOnce = plan?.afterMs === 0;
  const status = isAtOnce ? plan.status : plan ? 'QUEUED' : 'SENT';
  const decideAt = plan && !isAtOnce ? new Date(now.getTime() + plan.afterMs) : null;
  // Whoever comes second waits here for the first, and then finds its row.
  const { rows } = await db.query<MessageRow & { is_new: boolean }>(
    `insert into simulator.messages
       (id, sender, phone, text, status, reason, calls, created_at, decided_at, verdict, verdict_reason, decide_at)
     values ($1, $2, $3, $4, $5, $6, 1, $7, $8, $9, $10, $11)
     on conflict (id) do update set calls = messages.calls + 1
     returning *, calls = 1 as is_new`,
    [
      id,
      sender,
      to,
      text,
      status,
      isAtOnce ? plan.reason : null,
      now,
      isAtOnce ? now : null,
      plan?.status,
      plan?.reason,
      decideAt,
    ],
  );
  const row = rows[0] as MessageRow & { is_new: boolean };
  if (row.is_new && row.status !== 'REJECTED') {
    await insertLetter(db, 'sms', { id, to, subject: sender, text, html: null }, now);
  }
  const isSame = row.sender === sender && row.phone === to && row.text === text;
  return { row, isNew: row.is_new, isSame };
}

/** A message as it stands now: what is due is decided first, should the loop be a moment late. */
export async function findMessage(sim: Simulation, id: string): Promise<MessageRow | null> {
  await deliverDue(sim);
  const { rows } = await sim.pool.query<MessageRow>('select * from simulator.messages where id = $1', [id]);
  return rows[0] ?? null;
}

/** Delivers, or does not, every message whose time has come, and tells of it; says when the next one's will. */
export async function deliverDue(sim: Simulation): Promise<Date | null> {
  for (;;) {
    const next = await findNext(sim.pool);
    if (!next || next > sim.clock.now()) return next;
    await inTransaction(sim.pool, (db) => deliverWithin(db, sim.clock.now()));
    sim.poke('notifications');
  }
}

async function findNext(pool: Pool): Promise<Date | null> {
  const { rows } = await pool.query<{ next: Date | null }>(
    'select min(decide_at) as next from simulator.messages where decide_at is not null',
  );
  return rows[0]?.next ?? null;
}

async function deliverWithin(db: PoolClient, now: Date): Promise<void> {
  // The time it was due, also when the rail was down then. Whoever asks waits for who delivers just now.
  const { rows } = await db.query<MessageRow>(
    `update simulator.messages set status = verdict, reason = verdict_reason, decided_at = decide_at, decide_at = null
     where id in (select id from simulator.messages where decide_at <= $1
       order by decide_at, seq limit $2 for update)
     returning *`,
    [now, MAX_AT_ONCE],
  );
  for (const row of rows) {
    const about = { rail: 'sms', aboutId: row.id, whose: row.phone, at: row.decided_at as Date } as const;
    await queueNotification(db, { ...about, type: 'message_status', name: 'message', thing: viewMessage(row) });
  }
}

/** A message as the rail writes it (docs/rail.md). */
export function viewMessage(row: MessageRow) {
  const { id, status, reason, sender, phone: to, created_at: createdAt, decided_at: decidedAt } = row;
  const times = { createdAt: createdAt.toISOString(), decidedAt: decidedAt?.toISOString() ?? null };
  return { id, status, reason, sender, to, ...times };
}
