// Statuses of an SMS: the table of transitions, and the only statements that change a status.
// A failed message refunds its units in the same statement. Messages cause no events.
import { sql, type Expression } from 'kysely';
import type { Core } from '../core.ts';
import { prepared, type Db } from '../database/db.ts';
import type { Transition } from '../events/states.ts';
import type { MessageStatus } from './entities.ts';
import { DAY_MS, MINUTE_MS } from '../../shared/durations.ts';

/** Transitions of an SMS by event. Delivered and Failed are final: later reports of the rail change nothing. */
const MESSAGE_TRANSITIONS = {
  send: { from: ['Pending'], to: 'Sent', about: 'the rail has it' },
  deliver: { from: ['Pending', 'Sent'], to: 'Delivered', about: 'the phone has received it' },
  fail: { from: ['Pending', 'Sent'], to: 'Failed', about: 'it is not delivered, and its units are refunded' },
} as const satisfies Record<string, Transition<MessageStatus>>;

const { send, deliver, fail } = MESSAGE_TRANSITIONS;

/** Delays after sending at which the node queries the rail about a message without a delivery report. */
const FOLLOW_UPS_MS = [2, 15, 60, 6 * 60, 24 * 60, 72 * 60].map((minutes) => minutes * MINUTE_MS);

/** If the last query gets no answer, the node repeats it daily until this age of the message. */
const GIVE_UP_MS = 10 * DAY_MS;

/**
 * Returns the time of the next status query of an SMS, or null if polling ends.
 * @param isUnanswered true if the current query got no answer
 */
export function nextFollowUp(sentAt: Date, now: Date, isUnanswered = false): Date | null {
  const ms = FOLLOW_UPS_MS.find((delayMs) => sentAt.getTime() + delayMs > now.getTime());
  if (ms !== undefined) return new Date(sentAt.getTime() + ms);
  const isOpen = isUnanswered && now.getTime() < sentAt.getTime() + GIVE_UP_MS;
  return isOpen ? new Date(now.getTime() + DAY_MS) : null;
}

/** Records that the rail has accepted the message. */
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

/**
 * Records that the message has arrived on the phone.
 * @param at time by the rail's clock, which may be ahead of the node's clock
 */
export async function noteDelivered(core: Core, id: string, at: Date | null): Promise<void> {
  const now = core.clock.now();
  await markDelivered.run(core, { id, now, at: at && at < now ? at : now });
}

const markDelivered = prepared((tables, { id, now, at }: { id: string; now: Date; at: Date }) =>
  tables
    .updateTable('sms_messages')
    .set((eb) => {
      const sentAt = eb.fn.coalesce('sentAt', eb.val(now));
      // The rail's clock may be behind the node's, so that the delivery would precede the sending.
      const deliveredAt = eb.fn<Date>('greatest', [eb.val(at), sentAt]);
      return { status: deliver.to, dueAt: null, sentAt, listedAt: sentAt, deliveredAt };
    })
    .where('id', '=', id)
    .where('status', 'in', deliver.from),
);

/** Ledger texts for messages that were not sent, by failure reason. */
const REFUND_TEXTS: Partial<Record<string, string>> = {
  opted_out: 'SMS não enviado, por recusa, a ',
  erased: 'SMS não enviado, por apagamento dos dados, a ',
};

/** Records that the message will never arrive. The same statement refunds its units. */
export async function noteFailed(core: Db & Pick<Core, 'clock'>, id: string, reason: string): Promise<void> {
  const text = REFUND_TEXTS[reason] ?? 'SMS não entregue a ';
  await refundFailed.run(core, { id, reason, text, now: core.clock.now() });
}

/** SQL: formats a phone such as `+244923456789` as `923 456 789`. */
const formatNational = (phone: Expression<string>) =>
  sql<string>`regexp_replace(regexp_replace(${phone}, '^\\+244', ''), '(\\d{3})(?=\\d)', '\\1 ', 'g')`;

/** A failed message. `text`: the ledger text, to which the statement appends the phone in national format. */
type Failure = { id: string; reason: string; text: string; now: Date };

const refundFailed = prepared((tables, { id, reason, text, now }: Failure) =>
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
          sql<string>`${text}::text || ${formatNational(from.ref('phone'))}`.as('description'),
          'batchId',
          from.val(now).as('createdAt'),
        ]),
    ),
);
