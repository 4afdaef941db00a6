// What each group of operations is about, in the order in which a reader needs them.

const TAGS: Record<string, string> = {
  Tokens: 'Sign-in by OAuth 2.0: tokens, their end, and the keys that they are checked by',
  Payments: 'Multicaixa Express by push, QR code and web frame: asked for, followed, canceled',
  Refunds: 'Money that goes back: by the rail, or given back by hand and written down',
  References: 'Payment by reference: entity and digits that are paid at an ATM or in a bank’s app',
  Checkout: 'What a payer’s page asks; whoever holds the payment’s `clientToken` may',
  Links: 'Payment links that anybody can be sent, and who paid by them',
  Terminals: 'Points of sale: whether one is open, and how it is opened and closed',
  Books: 'Money received and what the bank paid out of it',
  Callbacks: 'Calls to a merchant’s server in the rail’s own form, with an access key',
  Events: 'What has happened to everything of a merchant, page by page or as a stream',
  Webhooks: 'Events, signed by Standard Webhooks, and the addresses that they are sent to',
  Merchants: 'A merchant, its settings and the history of who changed what',
  Clients: 'The clients that a merchant’s systems sign in as',
  People: 'Who works for a merchant, and as what',
  Accounts: 'A person’s way in: registration, confirmation, a forgotten password',
  Profile: 'What people change about themselves: name, password, second step, sessions',
  Rails: 'The accounts at providers that a merchant’s payments and messages go by',
  SMS: 'Messages to customers: contacts, lists, templates, sending',
  Privacy: 'What is held of one payer or contact, and its erasure',
  Notifications: 'What a merchant is told in the portal',
  Billing: 'What the gateway itself costs: plans, usage, invoices',
  Status: 'Whether the gateway works, and what its answers mean',
};

/** The tags as the document declares them. */
export function listTags(): { name: string; description: string }[] {
  return Object.entries(TAGS).map(([name, description]) => ({ name, description }));
}
