// The cases of the plug-in's proof: how a payment ends, by which method, and how the shop learns of it.
import type { Delivery } from './wire.ts';

export type Method = 'express' | 'qrcode' | 'reference';

export const ENDINGS = {
  paid: 'is paid',
  refused: 'is refused on the phone and expires',
  expired: 'expires',
  late: 'expires and is paid late',
  overpaid: 'is overpaid',
  short: 'is paid in part',
  replaced: 'is refused, then paid by the reference that replaces it',
  refundedInConsole: 'is paid, then refunded in part in the console',
  returnedInConsole: 'is paid, then refunded whole in the console',
  provedInConsole: 'is paid, then refunded another way in the console',
  refundedInShop: 'is paid, then refunded in part from the order',
  returnedInShop: 'is paid, then refunded whole from the order',
  provedInShop: 'is paid, then refunded another way from the order',
  canceledInShop: 'is canceled with its order',
  canceledInConsole: 'is canceled in the console',
  revived: 'is canceled with its order and paid late',
} as const;
export type Ending = keyof typeof ENDINGS;

/** By which way the shop learns of a change. */
export const WAYS = {
  webhook: { delivery: 'pass', text: 'by webhook' },
  doubled: { delivery: 'double', text: 'by webhooks that arrive three times, two of them at the same moment' },
  reordered: { delivery: 'reorder', text: 'by webhooks in the reverse order' },
  forged: { delivery: 'forge', text: 'by webhooks between forged ones' },
  dies: { delivery: 'pass', text: 'by a webhook that ends WordPress halfway, and its repeat' },
  feed: { delivery: 'drop', text: 'by the feed alone' },
  delayed: { delivery: 'delay', text: 'by the feed, and webhooks after it' },
  both: { delivery: 'pass', text: 'by webhooks, feed and return page in several workers' },
  returned: { delivery: 'drop', text: 'by the return page' },
  halfway: { delivery: 'drop', text: 'by the return page, after a process that ended before it completed the order' },
} as const satisfies Record<string, { delivery: Delivery; text: string }>;
export type Way = keyof typeof WAYS;

export type Case = { method: Method; ending: Ending; way: Way };

const EACH: Way[] = ['webhook', 'doubled', 'reordered', 'forged', 'dies', 'feed', 'delayed', 'both', 'returned'];
const TABLE: [Method, Ending, Way[]][] = [
  ['express', 'paid', [...EACH, 'halfway']],
  ['qrcode', 'paid', ['webhook', 'doubled', 'dies', 'feed', 'both', 'returned']],
  ['reference', 'paid', EACH],
  ['express', 'refused', ['webhook', 'feed']],
  ['express', 'expired', ['webhook', 'feed', 'both']],
  ['qrcode', 'expired', ['doubled', 'feed']],
  ['reference', 'expired', ['webhook', 'feed', 'dies']],
  ['reference', 'late', ['webhook', 'feed', 'doubled']],
  ['reference', 'overpaid', ['webhook', 'feed', 'doubled']],
  ['reference', 'short', ['webhook', 'feed', 'doubled']],
  ['express', 'replaced', ['webhook', 'feed', 'reordered', 'returned']],
  ['express', 'refundedInConsole', ['webhook', 'feed', 'dies']],
  ['qrcode', 'returnedInConsole', ['webhook', 'feed']],
  ['reference', 'provedInConsole', ['webhook', 'doubled']],
  ['express', 'refundedInShop', ['webhook', 'feed']],
  ['qrcode', 'returnedInShop', ['doubled', 'feed']],
  ['reference', 'provedInShop', ['webhook', 'feed']],
  ['express', 'canceledInShop', ['webhook', 'feed']],
  ['reference', 'canceledInShop', ['doubled']],
  ['reference', 'canceledInConsole', ['webhook', 'feed', 'dies']],
  ['reference', 'revived', ['webhook', 'feed']],
];

export const CASES: Case[] = TABLE.flatMap(([method, ending, ways]) => ways.map((way) => ({ method, ending, way })));
