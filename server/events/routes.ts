// The routes of the event feed: pages at GET /api/events, and a stream of server-sent events.
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

/** A cursor: the position of an event in the merchant's feed, or `now` for the end of the feed. */
const cursor = z
  .string()
  .refine((text) => /^(now|\d{1,15})$/.test(text), fault('cursor_invalid'))
  .transform((text): number | 'now' => (text === 'now' ? 'now' : Number(text)));

const AFTER =
  'Only events after this cursor (`next`, or an event’s `cursor`). `now`: only new events. Absent: all events';

const feedQuery = z.object({
  after: cursor.default(0).describe(AFTER),
  limit: wholeNumber(500, 100, 'The most events of a page'),
});

const listed = eventSchema
  .extend({ cursor: z.string().describe('The cursor to continue after this event') })
  .meta({ id: 'FeedEvent' });

const about =
  'Every change of a payment, reference, terminal or callback is an event. Events are ordered by their cursors. ' +
  'No event appears before a cursor that was already returned. ' +
  'A client that keeps `next` and continues from it therefore misses no event. ' +
  'The events of one payment are in the order of its changes.';

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
      summary: 'List events, oldest first',
      description:
        `${about} If \`data\` is empty, you have all events. ` +
        'Repeat the request with the same `next` later, or use the stream.',
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
        const payments = await describe(events);
        const data = events.map((event, nth) => ({
          ...viewEvent(event, payments[nth] ?? null),
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
      summary: 'Stream events as server-sent events',
      description:
        `${about} The \`id\` of each message is its cursor, and its data is the event. ` +
        'A client that reconnects with `Last-Event-ID` continues after that event. ' +
        'The stream ends when the token expires.',
      query: z.object({ after: cursor.optional().describe(`${AFTER}. Last-Event-ID takes precedence`) }),
      answers: { 200: { description: 'A stream of events', contentType: 'text/event-stream' } },
      async run({ caller, query, ctx, recheck }) {
        const cursorOrNow = readLastEventId(ctx) ?? query.after ?? 0;
        const after = cursorOrNow === 'now' ? await findEnd(core, caller.merchantId) : cursorOrNow;
        await refuseBeyondEnd(core, caller.merchantId, after);
        const stream = streams.open(ctx, streamLimits(caller, core.config.STREAMS_PER_PAYMENT));
        const mayRead = async () => (await recheck()).scopes.has('payments:read');
        void streamFeed({ core, describe, stream, merchantId: caller.merchantId, after, mayRead });
        return { status: 0 };
      },
    }),
  ];
}

/**
 * Returns the limits of a merchant's open event streams.
 * People and API clients have separate limits, so that open pages do not block the shop.
 * One person or API client cannot use up the limit of all people or all clients.
 */
function streamLimits({ merchantId, userId, clientId }: Caller, most: number): Share[] {
  const [kind, holder, part] = userId ? ['people', userId, 10] : ['systems', clientId, 2];
  return [
    { of: `events of ${merchantId} to ${kind}`, most },
    { of: `events of ${merchantId} to ${holder}`, most: Math.ceil(most / Number(part)) },
  ];
}

/**
 * Refuses a cursor beyond the end of the feed. A client may have one after the database was restored from a backup.
 * Without the refusal, the client would miss all events until the feed reaches the cursor again.
 * @throws Problem cursor_invalid
 */
async function refuseBeyondEnd(core: Core, merchantId: string, after: number): Promise<void> {
  if (after > 0 && (await isBeyondEnd(core, merchantId, after))) throw new Problem('cursor_invalid');
}

/**
 * Reads the header `Last-Event-ID` as a cursor.
 * @throws Problem cursor_invalid, because a start from the first event would repeat all events
 */
function readLastEventId(ctx: Context): number | 'now' | null {
  const header = ctx.get('last-event-id');
  if (!header) return null;
  const parsed = cursor.safeParse(header);
  if (!parsed.success) throw new Problem('cursor_invalid');
  return parsed.data;
}
