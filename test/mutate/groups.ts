// Which tests prove which source files: the fewest and cheapest that do, the cheapest first.
export type Group = { sources: string[]; tests: string[] };

export const groups: Record<string, Group> = {
  money: { sources: ['shared/money.ts'], tests: ['unit/shared/money', 'unit/billing/invoice'] },
  addresses: {
    sources: ['server/http/client/public-address.ts', 'server/http/client/guard.ts'],
    tests: ['unit/http/public-address', 'unit/http/guard', 'unit/http/guarded-connections'],
  },
  signatures: {
    sources: ['server/http/signature.ts', 'server/webhooks/schedule.ts'],
    tests: ['unit/webhooks/signature', 'unit/webhooks/callback-schedule'],
  },
  jobs: { sources: ['server/jobs/engine.ts'], tests: ['unit/jobs/jobs'] },
  gpo: {
    sources: ['server/providers/gpo/*.ts', 'server/providers/balcao-refund.ts'],
    tests: [
      'unit/providers/gpo-terminal',
      'unit/providers/gpo-orders',
      'unit/providers/gpo-qrcode',
      'unit/providers/gpo',
      'unit/providers/balcao-refund',
    ],
  },
  ppr: { sources: ['server/providers/ppr/*.ts'], tests: ['unit/providers/ppr-client', 'unit/providers/ppr'] },
  sms: { sources: ['server/providers/sms/*.ts'], tests: ['unit/providers/sms-client', 'unit/providers/sms'] },
  terminals: { sources: ['server/terminals/states.ts'], tests: ['unit/terminals/states', 'api/terminals/states'] },
  'payment-rules': {
    sources: ['server/payments/{core/schedule,core/token,qr/image}.ts'],
    tests: [
      'unit/payments/poll-schedule',
      'unit/payments/qr/order-look',
      'unit/payments/client-token',
      'unit/payments/qr/qrcode-image',
    ],
  },
  'payment-states': { sources: ['server/payments/core/states.ts'], tests: ['api/payments/states'] },
  idempotency: { sources: ['server/http/idempotency.ts'], tests: ['unit/http/idempotency', 'api/http/idempotency'] },
  'payment-outcomes': {
    sources: ['server/payments/core/{apply-outcome,record-transaction,submit}.ts'],
    tests: [
      'api/payments/sureness',
      'api/checkout/pay',
      'api/payments/money',
      'api/rails/notifications',
      'api/payments/qr/money',
      'api/payments/outcomes',
      'api/payments/hold/captures',
      'api/checkout/fallback-after',
    ],
  },
  'payment-questions': {
    sources: ['server/payments/core/polling.ts'],
    tests: ['api/payments/sureness', 'api/payments/outcomes'],
  },
  holds: {
    sources: ['server/payments/{hold/authorization,cancel}.ts'],
    tests: [
      'api/payments/hold/captures-refuse',
      'api/payments/hold/captures',
      'api/payments/hold/captures-idempotency',
      'api/payments/cancel-idempotency',
      'api/payments/cancel-replaced',
      'api/payments/reference/unique-references-captures',
      'api/payments/hold/authorizations',
      'api/payments/cancel',
    ],
  },
  codes: {
    sources: ['server/payments/qr/qrcode.ts', 'server/payments/qr/scan.ts'],
    tests: [
      'api/payments/qr/qrcodes',
      'api/payments/qr/refuse',
      'api/payments/qr/money',
      'api/payments/qr/idempotency',
      'api/payments/qr/paid',
    ],
  },
  creation: {
    sources: ['server/payments/{create,schemas,core/insert,core/fields}.ts'],
    tests: [
      'unit/payments/insert-errors',
      'unit/payments/refused-payments',
      'api/payments/create',
      'api/payments/refuse',
      'api/payments/reference/reference-in-flight',
      'api/payments/reference/unique-references',
      'api/payments/reference/bulk',
      'api/payments/qr/qrcodes',
      'api/payments/hold/captures',
      'api/checkout/fallback',
    ],
  },
  'payment-answers': {
    sources: ['server/payments/{read,routes,methods,core/view,core/event-snapshot,core/method}.ts'],
    tests: ['unit/project/readme', 'unit/checkout/status', 'api/payments/read', 'api/events/feed'],
  },
  'reference-money': {
    sources: ['server/payments/reference/{receive,find,states}.ts'],
    tests: [
      'api/payments/reference/money',
      'api/payments/reference/late',
      'api/rails/notifications-ppr',
      'api/payments/reference/sync',
    ],
  },
  'reference-creation': {
    sources: ['server/payments/reference/{create,number}.ts'],
    tests: [
      'unit/payments/reference/refused-references',
      'api/payments/reference/dates',
      'api/payments/reference/in-use',
      'api/payments/reference/exhausted',
      'api/payments/reference/idempotency',
      'api/payments/reference/metadata',
      'api/payments/reference/bulk',
      'api/payments/reference/create',
    ],
  },
  'reference-rail': {
    sources: ['server/payments/reference/{registration,due}.ts'],
    tests: [
      'api/payments/reference/sync',
      'api/payments/reference/expiry',
      'api/payments/reference/cancel',
      'api/payments/reference/rail-away',
      'api/payments/reference/late',
    ],
  },
  replacement: {
    sources: ['server/payments/reference/paid-twice.ts', 'server/checkout/replace-by-reference.ts'],
    tests: [
      'unit/checkout/fallback-offer',
      'api/checkout/fallback',
      'api/checkout/fallback-after',
      'api/payments/cancel-replaced',
    ],
  },
  'reference-answers': {
    sources: ['server/payments/reference/{read,schemas,routes}.ts'],
    tests: [
      'unit/project/readme',
      'api/payments/reference/list',
      'api/payments/reference/history',
      'api/payments/reference/refuse',
    ],
  },
  deliveries: {
    sources: ['server/webhooks/{record,claim}.ts'],
    tests: ['api/webhooks/callbacks-circuit', 'api/webhooks/callbacks-claim', 'api/webhooks/callbacks'],
  },
  people: {
    sources: ['server/{oauth/tokens,oauth/token-endpoint,people/sessions,people/memberships}.ts'],
    tests: ['api/oauth/tokens', 'api/oauth/tokens-people', 'api/people/profile'],
  },
  'sms-states': {
    sources: ['server/sms/states.ts'],
    tests: ['unit/sms/follow-up', 'api/rails/notifications-sms', 'api/sms/sending'],
  },
};
