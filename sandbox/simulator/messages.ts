// SMS at the simulated rail: each is accepted once, stored in the inbox, and decided at its due time.
import type { PoolClient } from 'pg';
import { insertLetter, trimLetters } from './inbox.ts';
import { planMessage } from './test-numbers.ts';
import { queueNotification } from './notifications.ts';
import { prepared, type Row } from './schema.ts';
import type { Simulation } from './simulation.ts';
import { inTransaction } from './tables.ts';

/** A request to send an SMS, with the field names of docs/rail.md. */
export type MessageRequest = { id: string; sender: string; to: string; text: string };

export type MessageRow = Row<'messages'>;

/** Maximum number of SMS that one transaction decides, together with their notifications. */
const BATCH_SIZE = 100;

/** Accepts an SMS. A repeated id only increases its call count. */
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

/** Inserts an SMS. A concurrent repeat waits for the first insert and then finds its row. */
const addMessage = prepared((tables, { row }: { row: Omit<MessageRow, 'seq' | 'calls'> }) =>
  tables
    .insertInto('messages')
    .values({ ...row, calls: 1 })
    .onConflict((on) => on.column('id').doUpdateSet((eb) => ({ calls: eb('messages.calls', '+', eb.lit(1)) })))
    .returningAll(),
);

/** Finds an SMS with its current state. Due messages are decided first, because the loop may be late. */
export async function findMessage(sim: Simulation, id: string): Promise<MessageRow | null> {
  await deliverDue(sim);
  return findById.first(sim.pool, { id });
}

const findById = prepared((tables, { id }: { id: string }) =>
  tables.selectFrom('messages').selectAll().where('id', '=', id),
);

/** Decides every due SMS and queues its notification. Returns the time at which the next SMS is due. */
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
    const about = { rail: 'sms', aboutId: row.id, faultKey: row.phone, at: row.decidedAt as Date } as const;
    await queueNotification(db, { ...about, type: 'message_status', name: 'message', thing: viewMessage(row) });
  }
}

/** Decides due SMS. The decision gets its due time, even if the rail was down then. Concurrent runs happen in turn. */
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
        .limit(BATCH_SIZE)
        .forUpdate(),
    )
    .returningAll(),
);

/** Formats an SMS as in docs/rail.md. */
export function viewMessage(row: MessageRow) {
  const { id, status, reason, sender, phone: to, createdAt, decidedAt } = row;
  const times = { createdAt: createdAt.toISOString(), decidedAt: decidedAt?.toISOString() ?? null };
  return { id, status, reason, sender, to, ...times };
}
