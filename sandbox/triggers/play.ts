// Plays one trigger at a gateway, and returns the resulting payments and events.
import { z } from 'zod';
import type { Clock } from '../../server/clock.ts';
import {
  eventPage,
  createdSchema,
  type FeedEvent,
  type CreatedPayment,
  type TriggerContext,
  type TriggerGateway,
} from './trigger-context.ts';
import { undoAll } from './trigger-steps.ts';
import { TRIGGERS, type Trigger } from './triggers.ts';

export { TRIGGERS };

export type TriggerResult = { payments: CreatedPayment[]; events: Omit<FeedEvent, 'cursor'>[] };

export type TriggerRun = {
  gateway: TriggerGateway;
  clock: Clock;
  /** The amount of each payment of the trigger, in kwanzas. */
  amount: number;
  posId: string;
  /** Called with each event that the trigger causes. */
  onEvent(event: FeedEvent): void;
};

/** Plays every step, and then restores the sandbox. @throws Error if an event does not arrive */
export async function playTrigger({ steps }: Trigger, playing: TriggerRun): Promise<TriggerResult> {
  const { gateway } = playing;
  await requireSandbox(gateway);
  const { next: cursor } = await gateway.request(eventPage, 'GET', '/api/events?after=now&limit=1');
  const scene: TriggerContext = { ...playing, created: [], subjects: new Set(), events: [], cursor, undo: [] };
  try {
    for (const step of steps) await step(scene);
  } finally {
    await undoAll(scene);
  }
  const payments: CreatedPayment[] = [];
  for (const { internalId } of scene.created)
    payments.push(await gateway.request(createdSchema, 'GET', `/api/payments/${internalId}`));
  const events = scene.events.map(({ cursor: _cursor, ...event }) => event);
  return { payments, events };
}

/** Requires a sandbox, because outside of it the test phones belong to real people. @throws Error */
async function requireSandbox({ url, requestSandbox }: TriggerGateway): Promise<void> {
  try {
    await requestSandbox(z.looseObject({ mode: z.string() }), 'GET', '/sandbox/callbacks');
  } catch (error) {
    if ((error as { status?: unknown }).status !== 404) throw error;
    throw new Error(`${url} is not a sandbox. A trigger needs its simulated rails.`);
  }
}

/** Describes a payment in two lines: its status and ids, and its checkout page. */
export function describePayment({
  internalId,
  entity,
  reference,
  amount,
  currency,
  status,
  checkoutUrl,
}: CreatedPayment): string {
  const digits = [...(entity ? [`entity ${entity}`] : []), `reference ${reference}`].join(', ');
  return `${status}: payment ${internalId}, ${digits}, ${amount} ${currency}\n  ${checkoutUrl}`;
}
