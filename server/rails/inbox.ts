// Where rails notify us: authenticated by their connector, stored word for word, answered; applied after (decisions §10, §15; law 7).
import { createHash } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import { z } from 'zod';
import type { Core } from '../core.ts';
import { createPoolWriter, prepared, runStatement } from '../database/db.ts';
import { readBytes } from '../http/body.ts';
import { readIdToken } from '../http/id-token.ts';
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

/** How a stored message is applied: by the connector of the account that it came by. */
export function createApply({ rails }: Pick<Core, 'rails'>, doors: Doors): Apply {
  return async ({ rail: id, body, isProven, attemptId, receivedAt }) => {
    const rail = await rails.find(id);
    // Its key, or its settings, are missing here: when they are back it can be read.
    if (!rail) throw new Error(`the rail account ${id} is not open here`);
    const trust = isProven ? 'proven' : 'hint';
    const news = rail.connector.read(body, { kind: rail.kind, trust, attemptId: attemptId ?? null, receivedAt });
    const came: Outcome[] = [];
    for (const one of news) came.push(await enter(doors, id, one));
    // What is least settled decides whether the message is looked at again.
    return ORDER.find((outcome) => came.includes(outcome)) ?? 'unreadable';
  };
}

const ORDER: Outcome[] = ['unmatched', 'unknown_reference', 'unreadable', 'applied'];

/** Three addresses of the node's own rails; one for each account, and below it one for each attempt. */
export function notificationRoutes(core: Core, apply: Apply): Route[] {
  const own = RAIL_KINDS.map((kind) =>
    declareNotification(core, apply, {
      path: `/rails/${kind}/notifications`,
      operationId: `receive${kind[0]?.toUpperCase()}${kind.slice(1)}Notification`,
      sender: async () => ({ rail: await core.rails.find(kind), attemptId: null }),
    }),
  );
  const account = declareNotification(core, apply, {
    path: '/rails/{connector}/{account}/notifications',
    operationId: 'receiveAccountNotification',
    params: byAccountAddress,
    sender: (params) => findSender(core, params),
  });
  const attempt = declareNotification(core, apply, {
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

function declareNotification(core: Core, apply: Apply, { path, operationId, params, sender }: Address): Route {
  return route({
    method: 'POST',
    path,
    operationId,
    tag: 'Rails',
    summary: 'Notification of a rail',
    access: { kind: 'public' },
    // A rail is one address with every merchant's news: no limit may ever refuse money.
    bucket: null,
    isUrgent: true,
    readsRawBody: true,
    isHidden: true,
    ...(params && { params }),
    answers: { 200: { description: 'Stored' } },
    async run({ ctx, params: named }) {
      const bytes = await readBytes(ctx, params ? MAX_BYTES.account : MAX_BYTES.own);
      const { rail, attemptId } = await sender((named ?? {}) as AddressParams);
      // Of a rail that this node has none of, nobody can show to be it.
      if (!rail) throw new Problem(params ? 'not_found' : 'invalid_token');
      const { connector, account } = rail;
      const trust = connector.verify({ headers: ctx.req.headers, body: bytes, attemptId }, account);
      if (trust === 'refused') throw new Problem('invalid_token');
      const body = bytes.toString('utf8').replaceAll('\0', '');
      const [first] = connector.read(body, { kind: rail.kind, trust, attemptId });
      const notificationId = first?.notificationId ?? createHash('sha256').update(bytes).digest('hex');
      const receivedAt = core.clock.now();
      const isProven = trust === 'proven';
      const message = { rail: rail.id, notificationId, body, isProven, attemptId, receivedAt };
      const stored = await storeMessage(core, message);
      if (stored) {
        // Not awaited: the rail gets its answer; a crash from here on is made good by the due inbox.
        const applied = applyMessage(core, apply, stored, message);
        core.inBackground(applied.catch((error: unknown) => core.log.error({ err: error }, 'could not apply')));
      }
      return connector.reply ?? { status: 200, body: { received: true } };
    },
  });
}

/** What came of a message; thrown errors leave it to be applied again. */
type Outcome = 'applied' | 'unmatched' | 'unknown_reference' | 'unreadable';

/** A message as it is kept: whose it is, and whether it was proven to be. */
type KeptMessage = Pick<InboxMessage, 'rail' | 'body' | 'isProven' | 'receivedAt'> & {
  attemptId?: string | null | undefined;
};

/** Applies one stored message of a rail. */
export type Apply = (message: KeptMessage) => Promise<Outcome>;

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
  } catch {
    // A statement fails as a whole: one that cannot be kept must keep out none of the others.
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
  await finishMessage(core, { id: claim.id, rail }, 'unreadable');
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
  const outcome = await apply(message).catch((error: unknown) => {
    // Tried for three days, then a person's: nothing is repeated without end.
    const againAt = nextAskAt(message.receivedAt, now);
    core.log.error({ err: error, inboxId: claim.id, againAt }, 'a rail’s message could not be applied');
    return againAt ?? ('unmatched' as const);
  });
  if (outcome instanceof Date) return reschedule(core, 'inbox', claim, outcome);
  if (outcome === 'unmatched' && claim.dueCount < UNMATCHED_RETRIES) {
    return reschedule(core, 'inbox', claim, new Date(now.getTime() + LEASE_MS));
  }
  await finishMessage(core, { id: claim.id, rail: message.rail }, outcome);
}

const findMessage = prepared((tables, { id }: { id: string }) =>
  tables
    .selectFrom('inbox')
    .select(['id', 'rail', 'body', 'isProven', 'attemptId', 'receivedAt', 'appliedAt'])
    .where('id', '=', id),
);

async function finishMessage(
  core: Core,
  { id, rail }: Pick<InboxMessage, 'id' | 'rail'>,
  outcome: Outcome,
): Promise<void> {
  await markOf(core)({ id, outcome, appliedAt: core.clock.now() });
  if (outcome !== 'applied') core.log.warn({ inboxId: id, rail, outcome }, 'a rail’s message could not be applied');
}

type Mark = { id: string; outcome: Outcome; appliedAt: Date };

const markOf = createPoolWriter<Core, Mark, void>(
  async (core, marks) => {
    const given = marks.map(({ id, outcome, appliedAt }) => ({ id, outcome, applied_at: appliedAt }));
    await runStatement(core, MARK_APPLIED, [JSON.stringify(given)]);
    return [];
  },
  { statements: 1, rows: 64 },
);

/** Messages stored by a node that died before applying them. */
export function inboxQueue(core: Core, apply: Apply): DueQueue {
  return dueQueue(core, { table: 'inbox', leaseMs: LEASE_MS, run: (claim) => applyClaimed(core, apply, claim) });
}
