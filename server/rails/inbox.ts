// Notifications of rails. The node stores a proven message word for word, answers, and applies it afterwards. Of an unproven message it
// keeps the hint alone (decisions §10, §15).
import { createHash } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import { z } from 'zod';
import type { Core } from '../core.ts';
import { counts } from '../counts.ts';
import { createPoolWriter, prepared, runStatement } from '../database/db.ts';
import { readBytes } from '../http/body.ts';
import { readIdToken } from '../http/id-token.ts';
import { takeFrom, type Limits } from '../http/limits.ts';
import { Problem } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { dueQueue, reschedule, type Claim, type DueQueue } from '../jobs/due.ts';
import { nextAskAt } from '../jobs/schedule.ts';
import { RAIL_KINDS, type AttemptName, type RailNews } from '../providers/connector.ts';
import type { SmsOutcome, SmsReply } from '../providers/message.ts';
import type { OrderKind, QrScan, RailOutcome, ReferencePayment, TerminalOutcome } from '../providers/provider.ts';
import { ACCOUNT_ADDRESS, ATTEMPT_ADDRESS } from './address.ts';
import type { Rail } from './book.ts';
import type { InboxMessage } from './entities.ts';
import { MARK_APPLIED, STORE_MESSAGES } from './inbox.sql.ts';

/** Far above any notification of docs/rail.md; and of providers, some of which send receipts along. */
const MAX_BYTES = { own: 65_536, account: 262_144 };

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

type Receiving = { core: Core; apply: Apply; limits: Limits };

/** Three addresses of the node's own rails; one for each account, and below it one for each attempt. */
export function notificationRoutes(receiving: Receiving): Route[] {
  const { core } = receiving;
  const own = RAIL_KINDS.map((kind) =>
    declareNotification(receiving, {
      path: `/rails/${kind}/notifications`,
      operationId: `receive${kind[0]?.toUpperCase()}${kind.slice(1)}Notification`,
      sender: async () => ({ rail: await core.rails.find(kind), attemptId: null }),
    }),
  );
  const account = declareNotification(receiving, {
    path: '/rails/{connector}/{account}/notifications',
    operationId: 'receiveAccountNotification',
    params: byAccountAddress,
    sender: (params) => findSender(core, params),
  });
  const attempt = declareNotification(receiving, {
    path: '/rails/{connector}/{account}/{attempt}/notifications',
    operationId: 'receiveAttemptNotification',
    params: byAccountAddress.extend({ attempt: z.string() }),
    sender: (params) => findSender(core, params),
  });
  return [...own, account, attempt];
}

/** Whose address it is: the account's, and the attempt's where it is one. */
type Sender = { rail: Rail | null; attemptId: string | null };
type AddressParams = { connector?: string | undefined; account?: string | undefined; attempt?: string | undefined };

async function findSender({ rails, keyring }: Core, params: AddressParams): Promise<Sender> {
  const id = readIdToken(keyring, params.account ?? '', ACCOUNT_ADDRESS);
  const attemptId = params.attempt === undefined ? null : readIdToken(keyring, params.attempt, ATTEMPT_ADDRESS);
  const rail = id && (attemptId || params.attempt === undefined) ? await rails.find(id) : null;
  return { rail: rail?.connector.name === params.connector ? rail : null, attemptId };
}

type Address = {
  path: string;
  operationId: string;
  params?: z.ZodType;
  sender(params: AddressParams): Promise<Sender>;
};

const byAccountAddress = z.object({ connector: z.string(), account: z.string() });

function declareNotification(receiving: Receiving, { path, operationId, params, sender }: Address): Route {
  return route({
    method: 'POST',
    path,
    operationId,
    tag: 'Rails',
    summary: 'Notification of a rail',
    access: { kind: 'public' },
    // No limit may refuse a proven message about money. Unproven messages take from their account's quota in `run`.
    bucket: null,
    isUrgent: true,
    readsRawBody: true,
    isHidden: true,
    ...(params && { params }),
    answers: { 200: { description: 'Stored' } },
    async run({ ctx, params: named }) {
      const bytes = await readBytes(ctx, params ? MAX_BYTES.account : MAX_BYTES.own);
      const { rail, attemptId } = await sender((named ?? {}) as AddressParams);
      // Nothing can be proven where this node has no such rail.
      if (!rail) throw new Problem(params ? 'not_found' : 'invalid_token');
      const trust = rail.connector.verify({ headers: ctx.req.headers, body: bytes, attemptId }, rail.account);
      if (trust === 'proven') await keepProven(receiving, rail, bytes, attemptId);
      // A removed account gets late money, but no more hints.
      else if (rail.isRemoved) throw new Problem('not_found');
      else if (trust === 'refused') throw new Problem('invalid_token');
      else {
        await takeFrom(receiving.limits, 'hint', rail.id, ctx);
        await keepHints(receiving, rail, bytes, attemptId);
      }
      return rail.connector.reply ?? { status: 200, body: { received: true } };
    },
  });
}

/** Stores the message word for word before any parser sees it, whatever it holds. */
async function keepProven(receiving: Receiving, rail: Rail, bytes: Buffer, attemptId: string | null): Promise<void> {
  await keep(receiving, {
    rail: rail.id,
    // The same bytes are the same message. A repeat in other bytes is applied twice, which changes nothing.
    notificationId: createHash('sha256').update(bytes).digest('hex'),
    body: textOf(bytes),
    isProven: true,
    attemptId,
    receivedAt: receiving.core.clock.now(),
  });
}

/** Far above any rail's ids. */
const MAX_HINT_CHARS = 500;

/** Stores the ids that an unproven message names, and counts a message that names none. */
async function keepHints(receiving: Receiving, rail: Rail, bytes: Buffer, attemptId: string | null): Promise<void> {
  const { connector, kind, id } = rail;
  const receivedAt = receiving.core.clock.now();
  const hints = connector
    .read(textOf(bytes), { kind, trust: 'hint', attemptId })
    .filter(({ about }) => about === 'hint')
    .map(({ notificationId, ...hint }) => ({ notificationId: `hint ${notificationId}`, body: JSON.stringify(hint) }))
    .filter(({ notificationId, body }) => notificationId.length + body.length <= MAX_HINT_CHARS);
  if (hints.length === 0) counts.unreadableHints.inc({ connector: connector.name });
  for (const hint of hints) await keep(receiving, { rail: id, ...hint, isProven: false, attemptId, receivedAt });
}

/** A hint as `keepHints` stores it. Older nodes stored the whole message, of which nothing is read. */
function readHint(body: string): RailNews[] {
  try {
    const hint = JSON.parse(body) as RailNews;
    return hint.about === 'hint' ? [hint] : [];
  } catch {
    return [];
  }
}

/** The database takes no NUL. */
const textOf = (bytes: Buffer) => bytes.toString('utf8').replaceAll('\0', '');

async function keep({ core, apply }: Receiving, message: NewMessage): Promise<void> {
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

/** Keeps what a rail's list holds and nobody can read, once: it may be money, and a person must look. */
export async function keepUnreadable(core: Core, rail: string, body: string): Promise<void> {
  const notificationId = createHash('sha256').update(body).digest('hex');
  const receivedAt = core.clock.now();
  const claim = await storeMessage(core, { rail, notificationId, body, isProven: true, receivedAt });
  if (!claim) return;
  await finishMessage(core, { id: claim.id, rail, isProven: true }, { outcome: 'unreadable', about: null });
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
  return dueQueue(core, { table: 'inbox', leaseMs: LEASE_MS, run: (claim) => applyClaimed(core, apply, claim) });
}
