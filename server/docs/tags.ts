// The tags of operations with their descriptions, in the order in which a reader needs them.

const TAGS: Record<string, string> = {
  Tokens: 'OAuth 2.0: issue and revoke tokens, and read the keys that verify them',
  Payments: 'Multicaixa Express payments by push, QR code and web frame: create, follow, cancel',
  Refunds: 'Refunds by the rail, and records of refunds by hand',
  References: 'Payment references: entity and digits that a payer types at an ATM or in a bank’s app',
  Checkout: 'The requests of a payer’s page, authorized by the payment’s `clientToken`',
  Links: 'Payment links, and the payments made through them',
  Articles: 'Things with a price that the till adds up to an amount',
  Terminals: 'Points of sale: read their status, open and close them',
  Shifts: 'The shifts of cashiers, with their sums and the cash beside the gateway',
  Books: 'Received money, and the bank’s payouts of it',
  Callbacks: 'Calls to a merchant’s server in the rail’s format, with an access key',
  Events: 'All changes of a merchant’s objects, as pages or as a stream',
  Webhooks: 'Events signed by Standard Webhooks, and the endpoints that receive them',
  Merchants: 'A merchant, its settings and the history of changes',
  Clients: 'The API clients of a merchant’s systems',
  People: 'The people with access to a merchant, and their roles',
  Accounts: 'A person’s account: registration, confirmation, forgotten password',
  Profile: 'A person’s own settings: name, password, two-step sign-in, sessions',
  Rails: 'A merchant’s accounts at providers of payments and SMS',
  SMS: 'SMS to customers: contacts, lists, templates, sending',
  Privacy: 'The stored data of one payer or contact, and its erasure',
  Notifications: 'A merchant’s notifications in the portal',
  Billing: 'The costs of the gateway itself: plans, usage, invoices',
  Status: 'The status of the gateway, and the meanings of its errors',
};

/** Returns the tags as the OpenAPI document declares them. */
export function listTags(): { name: string; description: string }[] {
  return Object.entries(TAGS).map(([name, description]) => ({ name, description }));
}
