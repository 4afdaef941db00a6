// The event feed: GET /api/events page by page, and the same as a stream (decisions §9).
import type { Context } from 'koa';
import { z } from 'zod';
import type { Core } from '../core.ts';
import { wholeNumber } from '../http/fields.ts';
import { route, type Caller, type Route } from '../http/route.ts';
import { Problem } from '../http/problem.ts';
import type { Share, Streams } from '../http/sse.ts';
import { fault } from '../http/validate.ts';
import { findEnd, isBeyondEnd, readFeed } from './feed.ts';
import { streamFeed } from './stream.ts';
import { eventSchema, viewEvent, type DescribeEvents } from './view.ts';

export type EventDeps = { core: Core; streams: Streams; describe: DescribeEvents };

/** The place of an event in its merchant's feed. */
const cursor = z
  .string()
  .refine((text) => /^(now|\d{1,15})$/.test(text), fault('cursor_invalid'))
  .transform((text): number | 'now' => (text === 'now' ? 'now' : Number(text)));

const AFTER =
  'Go on after this cursor (`next`, or an event’s `cursor`); `now`: only what is new; absent: from the first';

const feedQuery = z.object({
  after: cursor.default(0).describe(AFTER),
  limit: wholeNumber(500, 100, 'Events at most'),
});

const listed = eventSchema.extend({ cursor: z.string().describe('To go on after this event') }).meta({ id: 'FeedEvent' });

const about =
  `Every change of a payment, reference, terminal or callback is an event, in the order of its cursors: an event that
commits later never appears behind a cursor that was handed out, so whoever keeps \`next\` and goes on from it misses nothing.
A payment's events come in the order they happened.`.replaceAll('\n', ' ');

export function eventRoutes({ core, streams, describe }: EventDeps): Route[] {
  const open = {
    method: 'GET',
    tag: 'Events',
    access: { kind: 'bearer', scope: 'payments:read' },
    bucket: 'read',
  } as const;
  return [
    route({
      ...open,
      path: '/api/events',
      operationId: 'listEvents',
      summary: 'The event feed, oldest first',
      description: `${about} An empty \`data\` says that you have caught up: ask again from the same \`next\`, or use the stream.`,
      query: feedQuery,
      answers: {
        200: { description: 'The next events', schema: z.object({ data: z.array(listed), next: z.string() }) },
      },
      async run({ caller, query }) {
        const { after } = query;
        if (after === 'now') {
          return { status: 200, body: { data: [], next: String(await findEnd(core, caller.merchantId)) } };
        }
        const events = await readFeed(core, caller.merchantId, after, query.limit);
        if (events.length === 0) await refuseBeyondEnd(core, caller.merchantId, after);
        const told = await describe(events);
        const data = events.map((event, nth) => ({
          ...viewEvent(event, told[nth] ?? null),
          cursor: String(event.position),
        }));
        return { status: 200, body: { data, next: data.at(-1)?.cursor ?? String(after) } };
      },
    }),
    route({
      ...open,
      isStream: true,
      path: '/api/events/stream',
      operationId: 'streamEvents',
      summary: 'The event feed as server-sent events',
      description: `${about} Each message's \`id\` is its cursor and its data the event; a reader that reconnects with \`Last-Event-ID\` goes on where it was. The stream ends when the token does.`,
      query: z.object({ after: cursor.optional().describe(`${AFTER}. Last-Event-ID comes before it`) }),
      answers: { 200: { description: 'A stream of events', contentType: 'text/event-stream' } },
      async run({ caller, query, ctx, recheck }) {
        const asked = readLastEventId(ctx) ?? query.after ?? 0;
        const after = asked === 'now' ? await findEnd(core, caller.merchantId) : asked;
        await refuseBeyondEnd(core, caller.merchantId, after);
        const stream = streams.open(ctx, sharesOf(caller, core.config.STREAMS_PER_PAYMENT));
        const mayRead = async () => (await recheck()).scopes.has('payments:read');
        void streamFeed({ core, describe, stream, merchantId: caller.merchantId, after, mayRead });
        return { status: 0 };
      },
    }),
  ];
}

/** People and systems hold streams apart, so that open pages leave room for the shop. One caller never holds all of them. */
function sharesOf({ merchantId, userId, clientId }: Caller, most: number): Share[] {
  const [kind, holder, part] = userId ? ['people', userId, 10] : ['systems', clientId, 2];
  return [
    { of: `events of ${merchantId} to ${kind}`, most },
    { of: `events of ${merchantId} to ${holder}`, most: Math.ceil(most / Number(part)) },
  ];
}

/**
 * A cursor that was never handed out: after a database was restored from a backup, its reader would silently miss everything
 * until the feed had come so far again.
 * @throws Problem cursor_invalid
 */
async function refuseBeyondEnd(core: Core, merchantId: string, after: number): Promise<void> {
  if (after > 0 && (await isBeyondEnd(core, merchantId, after))) throw new Problem('cursor_invalid');
}

/** @throws Problem cursor_invalid: starting anew would repeat everything */
function readLastEventId(ctx: Context): number | 'now' | null {
  const header = ctx.get('last-event-id');
  if (!header) return null;
  const parsed = cursor.safeParse(header);
  if (!parsed.success) throw new Problem('cursor_invalid');
  return parsed.data;
}
