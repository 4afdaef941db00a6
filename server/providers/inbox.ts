// Where rails notify us: authenticated, stored word for word, answered; applied after (decisions §10; §14, law 7).
import { createHash } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import type { Core } from '../core.ts';
import { prepared } from '../database/db.ts';
import { readBytes } from '../http/body.ts';
import { Problem } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { verifySignature } from '../http/signature.ts';
import { dueQueue, reschedule, type Claim, type DueQueue } from '../jobs/due.ts';
import type { InboxMessage } from './entities.ts';
import { readNotification } from './gpo/client.ts';
import { readReferenceNotification } from './ppr/client.ts';
import type { QrScan, RailOutcome, ReferencePayment, SmsOutcome, SmsReply, TerminalOutcome } from './provider.ts';
import { readSmsNotification } from './sms/client.ts';

/** Far above any notification of docs/rail.md. */
const MAX_NOTIFICATION_BYTES = 65_536;

type RailName = 'gpo' | 'ppr' | 'sms';

const OPERATIONS: Record<RailName, string> = {
  gpo: 'receiveGpoNotification',
  ppr: 'receivePprNotification',
  sms: 'receiveSmsNotification',
};

const pathOf = (rail: RailName) => `/rails/${rail}/notifications`;

/** Where what rails tell of enters, one door for each thing; each answers what came of it. */
export type Doors = {
  attempt(attemptId: string, outcome: RailOutcome): Promise<Outcome>;
  scan(attemptId: string, scan: QrScan): Promise<Outcome>;
  terminal(posId: string, outcome: TerminalOutcome): Promise<Outcome>;
  reference(money: ReferencePayment): Promise<Outcome>;
  message(messageId: string, outcome: SmsOutcome): Promise<Outcome>;
  reply(reply: SmsReply): Promise<Outcome>;
};

/** A message that was read: the rail's own id of it, and the way to its door. */
type RailNews = { notificationId: string; enter(doors: Doors): Promise<Outcome> };

/** How each rail's messages are read; null for what cannot be. */
const READ: Record<RailName, (body: string) => RailNews | null> = {
  gpo(body) {
    const news = readNotification(body);
    if (!news) return null;
    const { notificationId } = news;
    if (news.about === 'terminal')
      return { notificationId, enter: ({ terminal }) => terminal(news.posId, news.outcome) };
    if (news.about === 'scan') return { notificationId, enter: ({ scan }) => scan(news.attemptId, news.scan) };
    return { notificationId, enter: ({ attempt }) => attempt(news.attemptId, news.outcome) };
  },
  ppr(body) {
    const news = readReferenceNotification(body);
    return news && { notificationId: news.notificationId, enter: ({ reference }) => reference(news.payment) };
  },
  sms(body) {
    const news = readSmsNotification(body);
    if (!news) return null;
    const { notificationId } = news;
    if (news.about === 'message')
      return { notificationId, enter: ({ message }) => message(news.messageId, news.outcome) };
    return { notificationId, enter: ({ reply }) => reply(news.reply) };
  },
};

/** How a stored message of each rail is applied. */
export function createApply(doors: Doors): Apply {
  return async (rail, body) => READ[rail as RailName](body)?.enter(doors) ?? 'unreadable';
}

/** @param keys what each rail signs with */
export function providerRoutes(core: Core, keys: Record<RailName, string>, apply: Apply): Route[] {
  return (['gpo', 'ppr', 'sms'] as const).map((rail) =>
    route({
      method: 'POST',
      path: pathOf(rail),
      operationId: OPERATIONS[rail],
      tag: 'Rails',
      summary: `Notification of the ${rail.toUpperCase()} rail (docs/rail.md)`,
      access: { kind: 'public' },
      // A rail is one address with every merchant's news: no limit may ever refuse money.
      bucket: null,
      readsRawBody: true,
      isHidden: true,
      answers: { 200: { description: 'Stored' } },
      async run({ ctx }) {
        const bytes = await readBytes(ctx, MAX_NOTIFICATION_BYTES);
        const message = { method: 'POST', path: pathOf(rail), body: bytes };
        if (!verifySignature(keys[rail], message, ctx.req.headers, core.clock.now()))
          throw new Problem('invalid_token');
        const body = bytes.toString('utf8').replaceAll('\0', '');
        const id = READ[rail](body)?.notificationId ?? createHash('sha256').update(bytes).digest('hex');
        const stored = await storeMessage(core, rail, id, body);
        if (stored) {
          // Not awaited: the rail gets its answer; a crash from here on is made good by the due inbox.
          const applied = applyMessage(core, apply, stored);
          core.inBackground(applied.catch((error: unknown) => core.log.error({ err: error }, 'could not apply')));
        }
        return { status: 200, body: { received: true } };
      },
    }),
  );
}

/** What came of a message; thrown errors leave it to be applied again. */
type Outcome = 'applied' | 'unmatched' | 'unknown_reference' | 'unreadable';

/** Applies one stored message of a rail. */
export type Apply = (rail: string, body: string) => Promise<Outcome>;

/** How long a message may be under way before another run applies it (again). */
const LEASE_MS = 10_000;
/** A notification may overtake the commit of what it speaks of; after these tries it is left to a person. */
const UNMATCHED_RETRIES = 5;

/**
 * Stores a message; null when the rail had sent it before. The caller answers the rail, then applies.
 * `notificationId` is the rail's own, or a digest of the body where it has none.
 */
async function storeMessage(core: Core, rail: string, notificationId: string, body: string): Promise<Claim | null> {
  const now = core.clock.now();
  const dueAt = new Date(now.getTime() + LEASE_MS);
  const stored = await insertMessage.first(core, { id: uuid(), rail, notificationId, body, receivedAt: now, dueAt });
  return stored && { id: stored.id, dueCount: 0 };
}

type NewMessage = Pick<InboxMessage, 'id' | 'rail' | 'notificationId' | 'body' | 'receivedAt'> & { dueAt: Date };

const insertMessage = prepared((tables, { id, rail, notificationId, body, receivedAt, dueAt }: NewMessage) =>
  tables
    .insertInto('inbox')
    .values({ id, rail, notificationId, body, receivedAt, dueAt })
    .onConflict((on) => on.columns(['rail', 'notificationId']).doNothing())
    .returning('id'),
);

/** Keeps what a rail's list holds and nobody can read, once: it may be money, and a person must look. */
export async function keepUnreadable(core: Core, rail: string, body: string): Promise<void> {
  const notificationId = createHash('sha256').update(body).digest('hex');
  const claim = await storeMessage(core, rail, notificationId, body);
  if (!claim) return;
  await finishMessage(core, { id: claim.id, rail }, 'unreadable');
}

/** Applies a stored message and notes what came of it. */
async function applyMessage(core: Core, apply: Apply, claim: Claim): Promise<void> {
  const message = await findMessage.first(core, { id: claim.id });
  if (!message || message.appliedAt) return reschedule(core, 'inbox', claim, null);
  const outcome = await apply(message.rail, message.body);
  const now = core.clock.now();
  if (outcome === 'unmatched' && claim.dueCount < UNMATCHED_RETRIES) {
    return reschedule(core, 'inbox', claim, new Date(now.getTime() + LEASE_MS));
  }
  await finishMessage(core, message, outcome);
}

const findMessage = prepared((tables, { id }: { id: string }) =>
  tables.selectFrom('inbox').select(['id', 'rail', 'body', 'appliedAt']).where('id', '=', id),
);

async function finishMessage(
  core: Core,
  { id, rail }: Pick<InboxMessage, 'id' | 'rail'>,
  outcome: Outcome,
): Promise<void> {
  await markApplied.run(core, { id, outcome, appliedAt: core.clock.now() });
  if (outcome !== 'applied') core.log.warn({ inboxId: id, rail, outcome }, 'a rail’s message could not be applied');
}

const markApplied = prepared((tables, { id, outcome, appliedAt }: { id: string; outcome: Outcome; appliedAt: Date }) =>
  tables.updateTable('inbox').set({ appliedAt, outcome, dueAt: null }).where('id', '=', id),
);

/** Messages stored by a node that died before applying them. */
export function inboxQueue(core: Core, apply: Apply): DueQueue {
  return dueQueue(core, { table: 'inbox', leaseMs: LEASE_MS, run: (claim) => applyMessage(core, apply, claim) });
}
