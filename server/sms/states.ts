// The one table of a message's transitions, and the only statements that move one through it: many at once as the rail takes them,
// and what surely is not delivered gives its units back. No event tells of them.
import { sql } from 'kysely';
import type { Core } from '../core.ts';
import { prepared, type Db } from '../database/db.ts';
import type { Transition } from '../events/states.ts';
import type { MessageStatus } from './entities.ts';
import { DAY_MS } from '../../shared/durations.ts';

/** Status × event → status (decisions §8). Delivered and failed are for good, whatever is told later. */
const MESSAGE_TRANSITIONS = {
  send: { from: ['Pending'], to: 'Sent', about: 'the rail has it' },
  deliver: { from: ['Pending', 'Sent'], to: 'Delivered', about: 'it is on the phone' },
  fail: { from: ['Pending', 'Sent'], to: 'Failed', about: 'it never arrives, and its units are given back' },
} as const satisfies Record<string, Transition<MessageStatus>>;

const { send, deliver, fail } = MESSAGE_TRANSITIONS;

/** When the rail is asked about a message that it took and of which it tells nothing, after it was sent; then no more. */
const FOLLOW_UPS_MS = [2, 15, 60, 6 * 60, 24 * 60, 72 * 60].map((minutes) => minutes * 60_000);

/** While the last question has no answer, it is asked again each day; a rail that never answers any is left alone then. */
const GIVE_UP_MS = 10 * DAY_MS;

/** The next time to ask; null when nothing more is to be expected. @param isUnanswered the rail said nothing just now */
export function nextFollowUp(sentAt: Date, now: Date, isUnanswered = false): Date | null {
  const ms = FOLLOW_UPS_MS.find((delayMs) => sentAt.getTime() + delayMs > now.getTime());
  if (ms !== undefined) return new Date(sentAt.getTime() + ms);
  const isOpen = isUnanswered && now.getTime() < sentAt.getTime() + GIVE_UP_MS;
  return isOpen ? new Date(now.getTime() + DAY_MS) : null;
}

/** The rail has it. */
export async function noteSent(core: Core, id: string): Promise<void> {
  const now = core.clock.now();
  await markSent.run(core, { id, now, followAt: nextFollowUp(now, now) });
}

const markSent = prepared((tables, { id, now, followAt }: { id: string; now: Date; followAt: Date | null }) =>
  tables
    .updateTable('sms_messages')
    .set({ status: send.to, sentAt: now, listedAt: now, dueAt: followAt })
    .where('id', '=', id)
    .where('status', 'in', send.from),
);

/** It is on the phone. @param at by the rail's clock, which may be ahead of ours */
export async function noteDelivered(core: Core, id: string, at: Date | null): Promise<void> {
  const now = core.clock.now();
  await markDelivered.run(core, { id, now, at: at && at < now ? at : now });
}

const markDelivered = prepared((tables, { id, now, at }: { id: string; now: Date; at: Date }) =>
  tables
    .updateTable('sms_messages')
    .set((eb) => {
      const sentAt = eb.fn.coalesce('sentAt', eb.val(now));
      // By the rail's clock it may have arrived before it was sent by ours.
      const deliveredAt = eb.fn<Date>('greatest', [eb.val(at), sentAt]);
      return { status: deliver.to, dueAt: null, sentAt, listedAt: sentAt, deliveredAt };
    })
    .where('id', '=', id)
    .where('status', 'in', deliver.from),
);

/** What the ledger says of those that were not sent. */
const TOLD: Partial<Record<string, string>> = {
  opted_out: 'SMS não enviado, por recusa, a ',
  erased: 'SMS não enviado, por apagamento dos dados, a ',
};

/** It never arrives: its units are the merchant's again, by the same statement. */
export async function noteFailed(core: Db & Pick<Core, 'clock'>, id: string, reason: string): Promise<void> {
  const told = TOLD[reason] ?? 'SMS não entregue a ';
  await refundFailed.run(core, { id, reason, told, now: core.clock.now() });
}

type Failure = { id: string; reason: string; told: string; now: Date };

const refundFailed = prepared((tables, { id, reason, told, now }: Failure) =>
  tables
    .with('failed', (on) =>
      on
        .updateTable('sms_messages')
        .set({ status: fail.to, failure: reason, dueAt: null })
        .where('id', '=', id)
        .where('status', 'in', fail.from)
        .returning(['merchantId', 'batchId', 'parts', 'phone']),
    )
    .with('account', (on) =>
      on
        .updateTable('sms_accounts as a')
        .from('failed as f')
        .set((eb) => ({ balance: eb('a.balance', '+', eb.ref('f.parts')), updatedAt: now }))
        .whereRef('a.merchantId', '=', 'f.merchantId')
        .returning(['a.balance', 'f.merchantId', 'f.batchId', 'f.parts', 'f.phone']),
    )
    .insertInto('sms_ledger')
    .columns(['id', 'merchantId', 'kind', 'quantity', 'balanceAfter', 'description', 'batchId', 'createdAt'])
    .expression((eb) =>
      eb
        .selectFrom('account')
        .select((from) => [
          from.fn<string>('gen_random_uuid').as('id'),
          'merchantId',
          from.val('refund' as const).as('kind'),
          'parts',
          'balance',
          sql<string>`${told}::text || regexp_replace(regexp_replace(${from.ref('phone')}, '^\\+244', ''), '(\\d{3})(?=\\d)', '\\1 ', 'g')`.as(
            'description',
          ),
          'batchId',
          from.val(now).as('createdAt'),
        ]),
    ),
);
