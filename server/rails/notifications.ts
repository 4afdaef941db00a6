// Addresses at which rails notify the node. It stores a proven message word for word, answers, and applies it afterwards. Of an unproven
// message it keeps the hint alone (decisions §10, §15).
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Core } from '../core.ts';
import { counts } from '../metrics/counts.ts';
import { readBytes } from '../http/body.ts';
import { readIdToken } from '../http/id-token.ts';
import { takeFrom, type Limits } from '../http/limits.ts';
import { Problem } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { RAIL_KINDS } from '../providers/connector.ts';
import { ACCOUNT_ADDRESS, ATTEMPT_ADDRESS } from './notification-url.ts';
import type { Rail } from './rail.ts';
import { receiveMessage, type Apply } from './inbox.ts';

/** Far above any notification of docs/rail.md; and of providers, some of which send receipts along. */
const MAX_BYTES = { own: 65_536, account: 262_144 };

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

/** The account of the address, and the attempt if the address belongs to one. */
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

/** Stores the message, readable or not, before any parser sees it. */
async function keepProven(receiving: Receiving, rail: Rail, bytes: Buffer, attemptId: string | null): Promise<void> {
  await receiveMessage(receiving, {
    rail: rail.id,
    // The same bytes are the same message. A repeat in other bytes is applied twice, which changes nothing.
    notificationId: createHash('sha256').update(bytes).digest('hex'),
    body: textOf(bytes),
    isProven: true,
    attemptId,
    receivedAt: receiving.core.clock.now(),
  });
}

const MAX_HINT_CHARS = 500;

/** Stores the ids in an unproven message. Counts a message without ids. */
async function keepHints(receiving: Receiving, rail: Rail, bytes: Buffer, attemptId: string | null): Promise<void> {
  const { connector, kind, id } = rail;
  const receivedAt = receiving.core.clock.now();
  const hints = connector
    .read(textOf(bytes), { kind, trust: 'hint', attemptId })
    .filter(({ about }) => about === 'hint')
    .map(({ notificationId, ...hint }) => ({ notificationId: `hint ${notificationId}`, body: JSON.stringify(hint) }))
    .filter(({ notificationId, body }) => notificationId.length + body.length <= MAX_HINT_CHARS);
  if (hints.length === 0) counts.unreadableHints.inc({ connector: connector.name });
  for (const hint of hints)
    await receiveMessage(receiving, { rail: id, ...hint, isProven: false, attemptId, receivedAt });
}

/** The database takes no NUL. */
const textOf = (bytes: Buffer) => bytes.toString('utf8').replaceAll('\0', '');
