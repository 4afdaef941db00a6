// State of a running trigger: its payments, and the events about these payments.
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Clock } from '../../server/clock.ts';

type Request = { headers?: Record<string, string>; body?: unknown };

/** Calls a path of the gateway and parses the answer. @throws Error, with `status` if the gateway refuses */
type Call = <S extends z.ZodType>(schema: S, method: string, path: string, request?: Request) => Promise<z.output<S>>;

/** The gateway on which a trigger acts: its public API and its sandbox. */
export type TriggerGateway = { url: string; request: Call; requestSandbox: Call };

const event = z.object({
  id: z.string(),
  type: z.string(),
  paymentId: z.string().nullable(),
  status: z.string().nullable(),
  details: z.looseObject({ posId: z.string().nullish() }),
  cursor: z.string(),
});

/** An event of the feed with the fields that triggers read. */
export type FeedEvent = z.output<typeof event>;

export const eventPage = z.object({ data: z.array(event), next: z.string() });

/** The fields of a created payment or reference that triggers read. */
export const createdSchema = z.looseObject({
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

export type CreatedPayment = z.output<typeof createdSchema>;

export type TriggerContext = {
  gateway: TriggerGateway;
  clock: Clock;
  /** The amount of each payment of the trigger, in kwanzas. */
  amount: number;
  posId: string;
  /** The payments that the trigger has created so far, oldest first. */
  created: CreatedPayment[];
  /** Ids of the trigger's payments and terminals. Events about other subjects are ignored. */
  subjects: Set<string>;
  /** The events about the trigger so far, oldest first. */
  events: FeedEvent[];
  cursor: string;
  onEvent(event: FeedEvent): void;
  /** Functions that restore the sandbox at the end of the trigger, also after an error. */
  undo: (() => Promise<unknown>)[];
};

export type Step = (scene: TriggerContext) => Promise<unknown>;

/** Maximum wait for an event in seconds. In this time the gateway can poll the rail. */
const TIMEOUT_S = 20;
const POLL_MS = 250;

/** Waits until this many events of the type have arrived about the trigger's subjects. */
export function waitForEvent(type: string, { times = 1, withinS = TIMEOUT_S } = {}): Step {
  return async (scene) => {
    const end = performance.now() + withinS * 1_000;
    for (;;) {
      await readEvents(scene);
      if (scene.events.filter((event) => event.type === type).length >= times) return;
      if (performance.now() > end) throw new Error(`no ${type} event arrived within ${withinS} s`);
      await sleep(POLL_MS);
    }
  };
}

/** Reads new events from the feed. Events about other subjects are ignored. */
async function readEvents(scene: TriggerContext): Promise<void> {
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

/** The newest payment of the trigger. */
export function lastCreated({ created }: TriggerContext): CreatedPayment {
  const last = created.at(-1);
  if (!last) throw new Error('a trigger must start with a payment');
  return last;
}

export function addCreated(scene: TriggerContext, created: CreatedPayment): void {
  scene.created.push(created);
  scene.subjects.add(created.internalId);
}
