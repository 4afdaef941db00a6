// The endpoints for rail notifications. The connector verifies the sender (`Connector.verify`):
//
// - `proven`: the rail sent the message. The node stores it unchanged, answers, and applies it afterwards.
// - `hint`: anyone could have sent the message. The node stores only its ids, and queries the rail about them.
// - `refused`: the sender is not the rail. The node answers 401.
//
// The trade-off: a provider that does not sign its notifications costs one query more for each.
// In return, a forged notification never changes a payment.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Core } from '../core.ts';
import { counts } from '../metrics/counts.ts';
import { readBytes } from '../http/body.ts';
import { readIdToken } from '../http/id-token.ts';
import { consumeLimit, type Limits } from '../http/limits.ts';
import { Problem } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { RAIL_KINDS } from '../providers/connector.ts';
import { ACCOUNT_ADDRESS, ATTEMPT_ADDRESS } from './notification-url.ts';
import type { Rail } from './rail.ts';
import { receiveMessage, type Apply } from './inbox.ts';

/** Size limits of rail notifications, far above usual ones. Some providers send a receipt with each notification. */
const MAX_BYTES = { own: 65_536, account: 262_144 };

type NotificationDeps = { core: Core; apply: Apply; limits: Limits };

/** Declares the notification endpoints: for each of the node's own rails, for rail accounts, and for attempts. */
export function notificationRoutes(deps: NotificationDeps): Route[] {
  const { core } = deps;
  const own = RAIL_KINDS.map((kind) =>
    declareNotification(deps, {
      path: `/rails/${kind}/notifications`,
      operationId: `receive${kind[0]?.toUpperCase()}${kind.slice(1)}Notification`,
      sender: async () => ({ rail: await core.rails.find(kind), attemptId: null }),
    }),
  );
  const account = declareNotification(deps, {
    path: '/rails/{connector}/{account}/notifications',
    operationId: 'receiveAccountNotification',
    params: byAccountAddress,
    sender: (params) => findSender(core, params),
  });
  const attempt = declareNotification(deps, {
    path: '/rails/{connector}/{account}/{attempt}/notifications',
    operationId: 'receiveAttemptNotification',
    params: byAccountAddress.extend({ attempt: z.string() }),
    sender: (params) => findSender(core, params),
  });
  return [...own, account, attempt];
}

/** The rail account of a notification URL, and the attempt if the URL belongs to one. */
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

function declareNotification(deps: NotificationDeps, { path, operationId, params, sender }: Address): Route {
  return route({
    method: 'POST',
    path,
    operationId,
    tag: 'Rails',
    summary: 'Notification of a rail',
    access: { kind: 'public' },
    // No rate limit may refuse a proven message. Unproven messages count against their account's limit in `run`.
    bucket: null,
    isUrgent: true,
    readsRawBody: true,
    isHidden: true,
    ...(params && { params }),
    answers: { 200: { description: 'Stored' } },
    async run({ ctx, params: named }) {
      const bytes = await readBytes(ctx, params ? MAX_BYTES.account : MAX_BYTES.own);
      const { rail, attemptId } = await sender((named ?? {}) as AddressParams);
      // Without the rail's connector and key the node cannot verify any sender.
      if (!rail) throw new Problem(params ? 'not_found' : 'invalid_token');
      const trust = rail.connector.verify({ headers: ctx.req.headers, body: bytes, attemptId }, rail.account);
      if (trust === 'proven') await keepProven(deps, rail, bytes, attemptId);
      // A removed rail account accepts proven late payments, but no hints.
      else if (rail.isRemoved) throw new Problem('not_found');
      else if (trust === 'refused') throw new Problem('invalid_token');
      else {
        await consumeLimit(deps.limits, 'hint', rail.id, ctx);
        await keepHints(deps, rail, bytes, attemptId);
      }
      return rail.connector.reply ?? { status: 200, body: { received: true } };
    },
  });
}

/** Stores a proven message before any parser runs, so that an unreadable message is stored too. */
async function keepProven(deps: NotificationDeps, rail: Rail, bytes: Buffer, attemptId: string | null): Promise<void> {
  await receiveMessage(deps, {
    rail: rail.id,
    // Equal bytes are one message. A repeat with other bytes is applied again, which has no effect.
    notificationId: createHash('sha256').update(bytes).digest('hex'),
    body: textOf(bytes),
    isProven: true,
    attemptId,
    receivedAt: deps.core.clock.now(),
  });
}

const MAX_HINT_CHARS = 500;

/** Stores the ids in an unproven message. A message without ids only increments a counter. */
async function keepHints(deps: NotificationDeps, rail: Rail, bytes: Buffer, attemptId: string | null): Promise<void> {
  const { connector, kind, id } = rail;
  const receivedAt = deps.core.clock.now();
  const hints = connector
    .read(textOf(bytes), { kind, trust: 'hint', attemptId })
    .filter(({ about }) => about === 'hint')
    .map(({ notificationId, ...hint }) => ({ notificationId: `hint ${notificationId}`, body: JSON.stringify(hint) }))
    .filter(({ notificationId, body }) => notificationId.length + body.length <= MAX_HINT_CHARS);
  if (hints.length === 0) counts.unreadableNotifications.inc({ connector: connector.name });
  for (const hint of hints) await receiveMessage(deps, { rail: id, ...hint, isProven: false, attemptId, receivedAt });
}

/** Decodes a message. NUL is removed, since PostgreSQL's text type does not accept it. */
const textOf = (bytes: Buffer) => bytes.toString('utf8').replaceAll('\0', '');
