// Which tests prove which source files: the fewest and cheapest that do, the cheapest first.
export type Group = { sources: string[]; tests: string[] };

export const groups: Record<string, Group> = {
  money: { sources: ['shared/money.ts'], tests: ['unit/money', 'unit/invoice'] },
  addresses: {
    sources: ['server/http/client/public-address.ts', 'server/http/client/guard.ts'],
    tests: ['unit/public-address', 'unit/guard', 'unit/guarded-connections'],
  },
  signatures: {
    sources: ['server/http/signature.ts', 'server/webhooks/schedule.ts'],
    tests: ['unit/signature', 'unit/callback-schedule'],
  },
  jobs: { sources: ['server/jobs/engine.ts'], tests: ['unit/jobs'] },
  gpo: {
    sources: ['server/providers/gpo/*.ts', 'server/providers/balcao-refund.ts'],
    tests: [
      'unit/provider-gpo-terminal',
      'unit/provider-gpo-orders',
      'unit/provider-gpo-qrcode',
      'unit/provider-gpo',
      'unit/provider-balcao-refund',
    ],
  },
  ppr: { sources: ['server/providers/ppr/*.ts'], tests: ['unit/provider-ppr-client', 'unit/provider-ppr'] },
  sms: { sources: ['server/providers/sms/*.ts'], tests: ['unit/provider-sms-client', 'unit/provider-sms'] },
  terminals: { sources: ['server/terminals/states.ts'], tests: ['unit/terminal-states', 'api/terminals-states'] },
  'payment-rules': {
    sources: ['server/payments/{core/schedule,core/token,qr/image}.ts'],
    tests: ['unit/poll-schedule', 'unit/order-look', 'unit/client-token', 'unit/qrcode-image'],
  },
  'payment-states': { sources: ['server/payments/core/states.ts'], tests: ['api/states'] },
  idempotency: { sources: ['server/http/idempotency.ts'], tests: ['unit/idempotency', 'api/idempotency'] },
  'payment-outcomes': {
    sources: ['server/payments/core/{apply-outcome,record-transaction,submit}.ts'],
    tests: [
      'api/sureness',
      'api/checkout-pay',
      'api/payments-money',
      'api/notifications',
      'api/qrcodes-money',
      'api/payments-outcomes',
      'api/captures',
      'api/checkout-fallback-after',
    ],
  },
  'payment-questions': {
    sources: ['server/payments/core/polling.ts'],
    tests: ['api/sureness', 'api/payments-outcomes'],
  },
  holds: {
    sources: ['server/payments/{hold/authorization,cancel}.ts'],
    tests: [
      'api/captures-refuse',
      'api/captures',
      'api/captures-idempotency',
      'api/cancel-idempotency',
      'api/cancel-replaced',
      'api/unique-references-captures',
      'api/authorizations',
      'api/cancel',
    ],
  },
  codes: {
    sources: ['server/payments/qr/qrcode.ts', 'server/payments/qr/scan.ts'],
    tests: ['api/qrcodes', 'api/qrcodes-refuse', 'api/qrcodes-money', 'api/qrcodes-idempotency', 'api/qrcodes-paid'],
  },
  creation: {
    sources: ['server/payments/{create,schemas,core/insert,core/fields}.ts'],
    tests: [
      'unit/insert-errors',
      'unit/refused-payments',
      'api/payments-create',
      'api/payments-refuse',
      'api/reference-in-flight',
      'api/unique-references',
      'api/references-bulk',
      'api/qrcodes',
      'api/captures',
      'api/checkout-fallback',
    ],
  },
  'payment-answers': {
    sources: ['server/payments/{read,routes,methods,core/view,core/event-snapshot,core/method}.ts'],
    tests: ['unit/readme', 'unit/status', 'api/payments-read', 'api/events-feed'],
  },
  'reference-money': {
    sources: ['server/payments/reference/{receive,find,states}.ts'],
    tests: ['api/references-money', 'api/references-late', 'api/notifications-ppr', 'api/references-sync'],
  },
  'reference-creation': {
    sources: ['server/payments/reference/{create,number}.ts'],
    tests: [
      'unit/refused-references',
      'api/references-dates',
      'api/references-in-use',
      'api/references-exhausted',
      'api/references-idempotency',
      'api/references-metadata',
      'api/references-bulk',
      'api/references-create',
    ],
  },
  'reference-rail': {
    sources: ['server/payments/reference/{registration,due}.ts'],
    tests: [
      'api/references-sync',
      'api/references-expiry',
      'api/references-cancel',
      'api/references-rail-away',
      'api/references-late',
    ],
  },
  replacement: {
    sources: ['server/payments/reference/paid-twice.ts', 'server/checkout/replace-by-reference.ts'],
    tests: ['unit/fallback-offer', 'api/checkout-fallback', 'api/checkout-fallback-after', 'api/cancel-replaced'],
  },
  'reference-answers': {
    sources: ['server/payments/reference/{read,schemas,routes}.ts'],
    tests: ['unit/readme', 'api/references-list', 'api/references-history', 'api/references-refuse'],
  },
  deliveries: {
    sources: ['server/webhooks/{record,claim}.ts'],
    tests: ['api/callbacks-circuit', 'api/callbacks-claim', 'api/callbacks'],
  },
  people: {
    sources: ['server/{oauth/tokens,oauth/token-endpoint,people/sessions,people/memberships}.ts'],
    tests: ['api/tokens', 'api/tokens-people', 'api/profile-sessions'],
  },
  'sms-states': {
    sources: ['server/sms/states.ts'],
    tests: ['unit/sms-follow-up', 'api/notifications-sms', 'api/sms-sending'],
  },
};
