// Messages of rails, stored first and applied second (decisions §10, §15).
import { v7 as uuid } from 'uuid';
import type { Core } from '../core.ts';
import { createPoolWriter, prepared, runStatement } from '../database/db.ts';
import { dueQueue, reschedule, type Claim, type DueQueue } from '../jobs/due.ts';
import { nextAskAt } from '../jobs/schedule.ts';
import type { AttemptName, RailNews } from '../providers/connector.ts';
import type { SmsOutcome, SmsReply } from '../providers/message.ts';
import type { OrderKind, QrScan, RailOutcome, ReferencePayment, TerminalOutcome } from '../providers/provider.ts';
import type { InboxMessage } from './entities.ts';
import { MARK_APPLIED, STORE_MESSAGES } from './inbox.sql.ts';

/** Where what a rail tells of enters, one door for each thing; each answers what came of it. What another rail made is not its to tell of. */
export type Doors = {
  attempt(
    rail: string,
    about: { attemptId: string; kind: OrderKind | 'refund' },
    outcome: RailOutcome,
  ): Promise<Outcome>;
  scan(rail: string, attemptId: string, scan: QrScan): Promise<Outcome>;
  terminal(posId: string, outcome: TerminalOutcome): Promise<Outcome>;
  reference(rail: string, money: ReferencePayment): Promise<Outcome>;
  message(rail: string, messageId: string, outcome: SmsOutcome): Promise<Outcome>;
  reply(reply: SmsReply): Promise<Outcome>;
  /** Somebody says that there is news of this attempt: its rail is asked. */
  hint(rail: string, attempt: AttemptName): Promise<Outcome>;
  /** The same of a payment reference, by its digits. */
  referenceHint(rail: string, digits: string): Promise<Outcome>;
};

function enter(doors: Doors, rail: string, news: RailNews): Promise<Outcome> {
  switch (news.about) {
    case 'order':
      return doors.attempt(rail, news, news.outcome);
    case 'scan':
      return doors.scan(rail, news.attemptId, news.scan);
    case 'terminal':
      return doors.terminal(news.posId, news.outcome);
    case 'reference':
      return doors.reference(rail, news.payment);
    case 'message':
      return doors.message(rail, news.messageId, news.outcome);
    case 'reply':
      return doors.reply(news.reply);
    case 'hint':
      return 'attempt' in news ? doors.hint(rail, news.attempt) : doors.referenceHint(rail, news.reference);
  }
}

/** Applies a stored message through the connector of the account that received it. */
export function createApply({ rails }: Pick<Core, 'rails'>, doors: Doors): Apply {
  return async ({ rail: id, body, isProven, attemptId, receivedAt }) => {
    const rail = await rails.find(id);
    // Its key, or its settings, are missing here: when they are back it can be read.
    if (!rail) throw new Error(`the rail account ${id} is not open here`);
    const about = { kind: rail.kind, trust: 'proven' as const, attemptId: attemptId ?? null, receivedAt };
    const items = isProven ? rail.connector.read(body, about) : readHint(body);
    const results = await applyEach(items, (item) => enter(doors, id, item));
    // The least settled item decides whether the message is applied again.
    const outcome = ORDER.find((one) => results.includes(one)) ?? 'unreadable';
    return { outcome, about: items.length === 1 ? subjectOf(items[0] as RailNews) : null };
  };
}

/**
 * Applies every item of a message, so that the failure of one does not hold up the others.
 * @throws the first failure, after all items were tried
 */
export async function applyEach<Item>(
  items: readonly Item[],
  apply: (item: Item) => Promise<Outcome>,
): Promise<Outcome[]> {
  const results: Outcome[] = [];
  const failures: unknown[] = [];
  for (const item of items) {
    await apply(item).then(
      (outcome) => results.push(outcome),
      (error: unknown) => failures.push(error),
    );
  }
  if (failures.length > 0) throw failures[0];
  return results;
}

/** The id by which an erasure finds the message: of an attempt, a transaction, a terminal or an SMS. A reply has only a phone. */
function subjectOf(news: RailNews): string | null {
  switch (news.about) {
    case 'order':
    case 'scan':
      return news.attemptId;
    case 'terminal':
      return news.posId;
    case 'reference':
      return news.payment.providerRef;
    case 'message':
      return news.messageId;
    default:
      return null;
  }
}

const ORDER: Outcome[] = ['unmatched', 'unknown_reference', 'unreadable', 'applied'];

/** A hint as `keepHints` stores it. Older nodes stored the whole message, of which nothing is read. */
function readHint(body: string): RailNews[] {
  try {
    const hint = JSON.parse(body) as RailNews;
    return hint.about === 'hint' ? [hint] : [];
  } catch {
    return [];
  }
}

/** Stores a message, and applies it in the background. */
export async function receiveMessage(
  { core, apply }: { core: Core; apply: Apply },
  message: NewMessage,
): Promise<void> {
  const stored = await storeMessage(core, message);
  if (!stored) return;
  // Not awaited: the rail gets its answer. After a crash the inbox queue applies the message.
  const applied = applyMessage(core, apply, stored, message);
  core.inBackground(applied.catch((error: unknown) => core.log.error({ err: error }, 'could not apply')));
}

/** What came of a message; thrown errors leave it to be applied again. */
type Outcome = 'applied' | 'unmatched' | 'unknown_reference' | 'unreadable';

/** A message as it is kept: whose it is, and whether it was proven to be. */
type KeptMessage = Pick<InboxMessage, 'rail' | 'body' | 'isProven' | 'receivedAt'> & {
  attemptId?: string | null | undefined;
};

/** The outcome of a stored message, and the id of its one subject (`inbox.about`). */
type Applied = { outcome: Outcome; about: string | null };

/** Applies one stored message of a rail. */
export type Apply = (message: KeptMessage) => Promise<Applied>;

/** How long a message may be under way before another run applies it (again). */
const LEASE_MS = 10_000;
/** A notification may overtake the commit of what it speaks of; after these tries it is left to a person. */
const UNMATCHED_RETRIES = 5;

/**
 * Stores a message; null when the rail had sent it before. The caller answers the rail, then applies.
 * `notificationId` is the rail's own, or a digest of the body where it has none.
 */
async function storeMessage(core: Core, message: NewMessage): Promise<Claim | null> {
  const dueAt = new Date(core.clock.now().getTime() + LEASE_MS);
  const row = { id: uuid(), message, dueAt };
  try {
    return await storeOf(core)(row);
  } catch (error) {
    // A statement fails as a whole. One message that cannot be stored must not keep out the others.
    core.log.warn({ err: error, rail: message.rail }, 'a batch of notifications was not stored; each is stored alone');
    return (await storeAll(core, [row]))[0] as Claim | null;
  }
}

type NewMessage = KeptMessage & { notificationId: string };
type NewRow = { id: string; message: NewMessage; dueAt: Date };

/** Whatever comes at the same moment is one statement and reaches the disk with one commit. */
const storeOf = createPoolWriter<Core, NewRow, Claim | null>(storeAll, { statements: 2, rows: 64 });

async function storeAll(core: Core, rows: NewRow[]): Promise<(Claim | null)[]> {
  const given = rows.map(({ id, message, dueAt }) => ({
    id,
    rail: message.rail,
    notification_id: message.notificationId,
    body: message.body,
    is_proven: message.isProven,
    attempt_id: message.attemptId ?? null,
    received_at: message.receivedAt,
    due_at: dueAt,
  }));
  const stored = await runStatement<{ id: string }>(core, STORE_MESSAGES, [JSON.stringify(given)]);
  const isStored = new Set(stored.map(({ id }) => id));
  return rows.map(({ id }) => (isStored.has(id) ? { id, dueCount: 0 } : null));
}

/** Applies a message that was claimed. */
async function applyClaimed(core: Core, apply: Apply, claim: Claim): Promise<void> {
  const message = await findMessage.first(core, { id: claim.id });
  if (!message || message.appliedAt) return reschedule(core, 'inbox', claim, null);
  return applyMessage(core, apply, claim, message);
}

/** Applies a stored message and notes what came of it. */
async function applyMessage(core: Core, apply: Apply, claim: Claim, message: KeptMessage): Promise<void> {
  const now = core.clock.now();
  const applied = await apply(message).catch((error: unknown) => {
    // Tried for three days, then left to a person.
    const againAt = nextAskAt(message.receivedAt, now);
    core.log.error({ err: error, inboxId: claim.id, againAt }, 'applying a rail’s message failed');
    return againAt ?? { outcome: 'unmatched' as const, about: null };
  });
  if (applied instanceof Date) return reschedule(core, 'inbox', claim, applied);
  if (applied.outcome === 'unmatched' && claim.dueCount < UNMATCHED_RETRIES) {
    return reschedule(core, 'inbox', claim, new Date(now.getTime() + LEASE_MS));
  }
  await finishMessage(core, { ...message, id: claim.id }, applied);
}

const findMessage = prepared((tables, { id }: { id: string }) =>
  tables
    .selectFrom('inbox')
    .select(['id', 'rail', 'body', 'isProven', 'attemptId', 'receivedAt', 'appliedAt'])
    .where('id', '=', id),
);

async function finishMessage(
  core: Core,
  { id, rail, isProven }: Pick<InboxMessage, 'id' | 'rail' | 'isProven'>,
  { outcome, about }: Applied,
): Promise<void> {
  // An erasure looks for a subject only where money or a message was recorded.
  await markOf(core)({ id, outcome, about: outcome === 'applied' ? about : null, appliedAt: core.clock.now() });
  // Strangers can send hints that match nothing: those are no line of the log.
  if (outcome !== 'applied' && isProven)
    core.log.warn({ inboxId: id, rail, outcome }, 'a rail’s message was left to a person');
}

type Mark = Applied & { id: string; appliedAt: Date };

const markOf = createPoolWriter<Core, Mark, void>(
  async (core, marks) => {
    const given = marks.map(({ id, outcome, about, appliedAt }) => ({ id, outcome, about, applied_at: appliedAt }));
    await runStatement(core, MARK_APPLIED, [JSON.stringify(given)]);
    return [];
  },
  { statements: 1, rows: 64 },
);

/** Messages stored by a node that died before applying them. */
export function inboxQueue(core: Core, apply: Apply): DueQueue {
  const run = (claim: Claim) => applyClaimed(core, apply, claim);
  return dueQueue(core, { table: 'inbox', ...core.rails.watches.turns, leaseMs: LEASE_MS, run });
}
