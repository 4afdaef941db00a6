// What a trigger has made so far, and the events that came of it.
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Clock } from '../../server/clock.ts';

type Request = { headers?: Record<string, string>; body?: unknown };

/** Calls a path and reads its answer. @throws Error, with `status` if the gateway refuses */
type Call = <S extends z.ZodType>(schema: S, method: string, path: string, request?: Request) => Promise<z.output<S>>;

/** The gateway that a trigger acts on: its public API and its sandbox. */
export type TriggerGateway = { url: string; request: Call; requestSandbox: Call };

const event = z.object({
  id: z.string(),
  type: z.string(),
  paymentId: z.string().nullable(),
  status: z.string().nullable(),
  details: z.looseObject({ posId: z.string().nullish() }),
  cursor: z.string(),
});

/** An event of the feed, as far as triggers read it. */
export type FeedEvent = z.output<typeof event>;

export const eventPage = z.object({ data: z.array(event), next: z.string() });

/** What is read of a payment or a reference. */
export const madeSchema = z.looseObject({
  internalId: z.string(),
  reference: z.string(),
  amount: z.number(),
  currency: z.string(),
  status: z.string(),
  entity: z.string().nullish(),
  checkoutUrl: z.string().nullish(),
  clientToken: z.string().nullish(),
  qrCode: z.object({ content: z.string() }).optional(),
});

export type Made = z.output<typeof madeSchema>;

export type Scene = {
  gateway: TriggerGateway;
  clock: Clock;
  /** Of each payment, in kwanzas. */
  amount: number;
  posId: string;
  /** The newest last. */
  made: Made[];
  /** What its events are about: ids of payments, and terminals. */
  subjects: Set<string>;
  /** The oldest first. */
  events: FeedEvent[];
  cursor: string;
  onEvent(event: FeedEvent): void;
  /** To be done at the end, whatever happens. */
  undo: (() => Promise<unknown>)[];
};

export type Step = (scene: Scene) => Promise<unknown>;

/** Sometimes the rail is asked again first. */
const WITHIN_S = 20;
const LOOK_MS = 250;

/** Waits until so many events of this type have come of what was made. */
export function hear(type: string, { times = 1, withinS = WITHIN_S } = {}): Step {
  return async (scene) => {
    const end = performance.now() + withinS * 1_000;
    for (;;) {
      await readNews(scene);
      if (scene.events.filter((event) => event.type === type).length >= times) return;
      if (performance.now() > end) throw new Error(`${type} did not come within ${withinS} s.`);
      await sleep(LOOK_MS);
    }
  };
}

/** Reads on in the feed; events of others are left alone. */
async function readNews(scene: Scene): Promise<void> {
  for (;;) {
    const { data, next } = await scene.gateway.request(eventPage, 'GET', `/api/events?after=${scene.cursor}&limit=100`);
    scene.cursor = next;
    for (const event of data) {
      if (!scene.subjects.has(event.paymentId ?? event.details.posId ?? '')) continue;
      scene.events.push(event);
      scene.onEvent(event);
    }
    if (data.length === 0) return;
  }
}

/** The payment that was made last. */
export function lastMade({ made }: Scene): Made {
  const last = made.at(-1);
  if (!last) throw new Error('a trigger begins with a payment');
  return last;
}

export function keepMade(scene: Scene, made: Made): void {
  scene.made.push(made);
  scene.subjects.add(made.internalId);
}
