// Examples of events that need a fault. Each one is an event of the tour with the details that the code writes.

type Event = Record<string, any>;

const uuid = (number: number) => `019cad00-0000-7000-8000-${String(number).padStart(12, '0')}`;

const since = '2026-03-02T09:00:00.000Z';
const attempt = { attemptId: uuid(3), via: 'poll' };
const refund = { refundId: uuid(3), amount: '400.00', currency: 'AOA', method: 'rail' };
const silent = { reason: 'rail_error', httpStatus: '503' };
const delivery = { deliveryId: uuid(3), transactionId: uuid(4), attempts: 14, outcome: 'status', httpStatus: 500 };
const failing = { endpointId: uuid(2), failures: 5, failingSince: since };
const mended = { ...failing, failures: 0 };
const refused = { ...attempt, failureCode: 'acquirer_setup', account: 'Principal' };
const differences = { missing_here: 1, missing_there: 0, amount: 0, unreadable: 0 };
const period = { settlementId: uuid(2), account: 'Principal', clearingPeriod: '20514', day: '2026-03-02' };

const oversold = { linkId: uuid(2), slug: '7q4mzt2kxc', title: 'Bilhete', stock: 50, paid: 51, paymentId: uuid(4) };

/** For each rare event type: the event on which it is based, its status, its details, and changed fields. */
const RARE: Record<string, [like: string, status: string | null, details: object, data?: object]> = {
  'payment.failed_over': [
    'payment.attempt_failed',
    'Processing',
    { ...refused, nextAttemptId: uuid(4), from: 'Principal', to: 'Reserva' },
  ],
  'payment.stuck': ['payment.attempt_failed', 'Processing', attempt],
  'refund.failed': ['refund.processing', 'Failed', { ...refund, ...attempt, failureCode: 'issuer_refused' }],
  'refund.stuck': ['refund.processing', 'Paid', { ...refund, ...attempt }],
  'refund.excess': [
    'refund.succeeded',
    'Succeeded',
    { ...refund, amount: '1600.00', via: 'poll' },
    { amountRefunded: 1600, refundStatus: 'full' },
  ],
  'reference.registration_failed': ['reference.registered', 'Pending', silent, { registeredAt: null }],
  'reference.withdrawal_failed': ['reference.canceled', 'Canceled', silent],
  'link.oversold': ['link.sold_out', null, oversold],
  'terminal.stuck': ['terminal.opening', 'Opening', { posId: 'demo-pos', operationId: uuid(2), since }],
  'callback.abandoned': ['callback.failed', 'Abandoned', delivery],
  'callback.endpoint_failing': ['webhook.test', null, failing],
  'callback.endpoint_recovered': ['webhook.test', null, mended],
  'webhook.endpoint_failing': ['webhook.test', null, failing],
  'webhook.endpoint_recovered': ['webhook.test', null, mended],
  'sms.balance_low': ['webhook.test', null, { balance: 99, threshold: 100 }],
  'settlement.difference': ['webhook.test', null, { ...period, currency: 'AOA', count: 1, counts: differences }],
};

/** If the tour has an event of this type, the example is that event. */
export function addRareEvents(events: Record<string, unknown>): void {
  for (const [type, [like, status, details, changed]] of Object.entries(RARE)) {
    const { data, ...event } = events[like] as Event;
    events[type] ??= { ...event, type, status, details, data: data && { ...data, ...changed } };
  }
}
