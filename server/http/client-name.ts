// What an operation is called in `@balcao/client`: the document says it, so that the client, the reference's samples and a reader agree.

/** What only a payer's browser, a person or a monitor calls: client credentials cannot, or need not. */
const NOT_OURS = new Set(['Tokens', 'Checkout', 'Profile', 'Accounts', 'Status']);

/** Nouns that have a group of their own; every other operation stands under its tag. */
const NOUNS =
  /(RailAccount|Reference|Link|Payment|Refund|Transaction|Settlement|Terminal|Callback|Webhook|Merchant|Client|Notification|Event|Sms)/;

/** Where the rule would give two operations one name, or one a poor one. */
const NAMED: Record<string, string> = {
  createReferences: 'references.createBulk',
  replayCallbacks: 'callbacks.replayAll',
  enterCredits: 'settlements.enterCredits',
};

/** `createPayment` is `payments.create`, `readWebhook` `webhooks.get`, `listSentSms` `sms.listSent`; null: the client has it not. */
export function nameClientMethod(operationId: string, tag: string): string | null {
  if (NOT_OURS.has(tag)) return null;
  const [, verb = '', rest = ''] = /^([a-z]+)(.*)$/.exec(operationId) ?? [];
  const noun = NOUNS.exec(rest)?.[0];
  const plural = noun === 'Sms' ? 'sms' : `${noun}s`;
  const left = noun ? rest.replace(new RegExp(`${noun}(s(?![a-z]))?`), '') : rest;
  const own = noun ? plural[0]!.toLowerCase() + plural.slice(1) : tag.toLowerCase().replaceAll(' ', '');
  return NAMED[operationId] ?? `${own}.${verb === 'read' ? 'get' : verb}${left}`;
}
