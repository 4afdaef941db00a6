// The event types that webhooks may choose are exactly the types that the code writes.
import { describe, expect, test } from 'vitest';
import { EVENT_TYPES, isEventChoice } from '../../../server/webhooks/schemas.ts';
import { eventTypeOf, TRANSITIONS } from '../../../server/payments/core/states.ts';
import { REFERENCE_TRANSITIONS } from '../../../server/payments/reference/states.ts';
import { REFUND_TRANSITIONS } from '../../../server/payments/refund/states.ts';
import { TRANSITIONS as TERMINAL_TRANSITIONS } from '../../../server/terminals/states.ts';
import { listFiles, readText } from '../../support/source.ts';

/** These delivery types are not event types. */
const DELIVERY_TYPES = ['callback.ppr', 'callback.qrcode', 'webhook.test'];

/** These texts look like event types. They name a notification, audit entries and a request to another program. */
const NO_EVENTS = [
  'access.clients_left',
  'invoice.to_certify',
  'refund.requested',
  'settlement.credited',
  'settlement.fee_entered',
];

/** The code composes these event types from parts, or the trigger `count_link` writes them. */
const COMPOSED = [
  ...['sold_out', 'oversold'].map((happening) => `link.${happening}`),
  ...['overpaid', 'amount_mismatch'].map((flag) => `payment.${flag}`),
  ...['callback', 'webhook'].flatMap((kind) => [`${kind}.endpoint_failing`, `${kind}.endpoint_recovered`]),
  ...['created', 'rotated', 'revoked'].map((happening) => `client.${happening}`),
];

const goalsOf = (transitions: Record<string, { to: string }>) => Object.values(transitions).map(({ to }) => to);

test('the catalog has every event of the state tables and of the code, and no other', () => {
  const files = listFiles(
    'server/{payments,references,terminals,webhooks,events,access,oauth,people,billing,sms,books,links}/**/*.ts',
  );
  const named = files
    .filter((path) => path !== 'server/webhooks/schemas.ts')
    .flatMap((path) => [
      ...readText(path).matchAll(
        new RegExp(
          "(?<!action: )'((?:payment|refund|reference|terminal|callback|webhook|access|client|invoice|" +
            String.raw`sms|settlement|link)\.[a-z_]+)'`,
          'g',
        ),
      ),
    ])
    .map(([, type]) => String(type));
  expect(named).toEqual(expect.arrayContaining(['payment.created', 'reference.withdrawn', 'callback.abandoned']));
  const moves = Object.entries(TRANSITIONS).filter(([event]) => event !== 'reopen');
  const written = new Set([
    ...named.filter((type) => ![...DELIVERY_TYPES, ...NO_EVENTS].includes(type)),
    ...moves.map(([, { to }]) => eventTypeOf(to)),
    ...goalsOf(REFERENCE_TRANSITIONS).map((status) => `reference.${status.toLowerCase()}`),
    ...goalsOf(REFUND_TRANSITIONS).map((status) => `refund.${status.toLowerCase()}`),
    ...goalsOf(TERMINAL_TRANSITIONS).map((status) => `terminal.${status.toLowerCase()}`),
    ...COMPOSED,
  ]);
  expect([...EVENT_TYPES].toSorted()).toEqual([...written].toSorted());
});

describe('a text in the event types of a webhook', () => {
  test.each([
    ...EVENT_TYPES,
    'payment.*',
    'refund.*',
    'reference.*',
    'terminal.*',
    'callback.*',
    'webhook.*',
    'access.*',
    'sms.*',
  ])('may be “%s”', (choice) => {
    expect(isEventChoice(choice)).toBe(true);
  });

  test.each([
    '',
    '*',
    '.*',
    'payment',
    'payment.',
    'payment.pending',
    'Payment.paid',
    'payment.paid ',
    '__proto__',
    'constructor.*',
    ...DELIVERY_TYPES,
  ])('may not be “%s”', (choice) => {
    expect(isEventChoice(choice)).toBe(false);
  });
});
