// Messages at the rail: taken on once, put into the inbox, and delivered or not when their time has come.
import type { PoolClient } from 'pg';
import { insertLetter, trimLetters } from './inbox.ts';
import { planMessage } from './test-numbers.ts';
import { queueNotification } from './notifications.ts';
import { prepared, type Row } from './schema.ts';
import type { Simulation } from './simulation.ts';
import { inTransaction } from './tables.ts';

/** What a sending asks for, by its names on the wire. */
export type MessageRequest = { id: string; sender: string; to: string; text: string };

export type MessageRow = Row<'messages'>;

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
  const row = await addMessage.one(db, {
    row: {
      id,
      sender,
      phone: to,
      text,
      status,
      reason: isAtOnce ? plan.reason : null,
      createdAt: now,
      decidedAt: isAtOnce ? now : null,
      verdict: plan?.status ?? null,
      verdictReason: plan?.reason ?? null,
      decideAt,
    },
  });
  const isNew = row.calls === 1;
  if (isNew && row.status !== 'REJECTED') {
    await insertLetter(db, 'sms', { id, to, subject: sender, text, html: null }, now);
  }
  const isSame = row.sender === sender && row.phone === to && row.text === text;
  return { row, isNew, isSame };
}

/** Whoever comes second waits here for the first, and then finds its row. */
const addMessage = prepared((tables, { row }: { row: Omit<MessageRow, 'seq' | 'calls'> }) =>
  tables
    .insertInto('messages')
    .values({ ...row, calls: 1 })
    .onConflict((on) => on.column('id').doUpdateSet((eb) => ({ calls: eb('messages.calls', '+', eb.lit(1)) })))
    .returningAll(),
);

/** A message as it stands now: what is due is decided first, should the loop be a moment late. */
export async function findMessage(sim: Simulation, id: string): Promise<MessageRow | null> {
  await deliverDue(sim);
  return findById.first(sim.pool, { id });
}

const findById = prepared((tables, { id }: { id: string }) =>
  tables.selectFrom('messages').selectAll().where('id', '=', id),
);

/** Delivers, or does not, every message whose time has come, and tells of it; says when the next one's will. */
export async function deliverDue(sim: Simulation): Promise<Date | null> {
  for (;;) {
    const { next } = await findNext.one(sim.pool, {});
    if (!next || next > sim.clock.now()) return next;
    await inTransaction(sim.pool, (db) => deliverWithin(db, sim.clock.now()));
    sim.poke('notifications');
  }
}

const findNext = prepared((tables) =>
  tables
    .selectFrom('messages')
    .select((eb) => eb.fn.min('decideAt').as('next'))
    .where('decideAt', 'is not', null),
);

async function deliverWithin(db: PoolClient, now: Date): Promise<void> {
  for (const row of await decideMessages.all(db, { now })) {
    const about = { rail: 'sms', aboutId: row.id, whose: row.phone, at: row.decidedAt as Date } as const;
    await queueNotification(db, { ...about, type: 'message_status', name: 'message', thing: viewMessage(row) });
  }
}

/** At the time it was due, also when the rail was down then. Whoever asks waits for who delivers just now. */
const decideMessages = prepared((tables, { now }: { now: Date }) =>
  tables
    .updateTable('messages')
    .set((eb) => ({
      status: eb.ref('verdict').$notNull(),
      reason: eb.ref('verdictReason'),
      decidedAt: eb.ref('decideAt'),
      decideAt: null,
    }))
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('messages')
        .select('id')
        .where('decideAt', '<=', now)
        .orderBy('decideAt')
        .orderBy('seq')
        .limit(MAX_AT_ONCE)
        .forUpdate(),
    )
    .returningAll(),
);

/** A message as the rail writes it (docs/rail.md). */
export function viewMessage(row: MessageRow) {
  const { id, status, reason, sender, phone: to, createdAt, decidedAt } = row;
  const times = { createdAt: createdAt.toISOString(), decidedAt: decidedAt?.toISOString() ?? null };
  return { id, status, reason, sender, to, ...times };
}
