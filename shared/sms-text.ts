// Finds content that an SMS rail cannot send. The core checks before it debits the merchant. Connectors check too.

/** Limits of an SMS rail, from its capabilities. */
export type TextLimits = { maxChars: number | null; links: boolean; emoji: boolean };

/** Domains that phones turn into links. A capital after a full stop starts a new sentence: "hoje.Com desconto". */
const DOMAINS = 'ao|com|net|org|info|app|io|pt|br|AO|COM|NET|ORG|INFO|APP|IO|PT|BR';

/** Text that phones turn into a link: a scheme, `www.`, a name with a path, or a name with a domain of `DOMAINS`. */
const LINK = new RegExp(
  `://|\\b[wW]{3}\\.|[\\p{L}\\p{N}]\\.\\p{L}{2,}/|[\\p{L}\\p{N}]\\.(?:${DOMAINS})(?![\\p{L}\\p{N}])`,
  'u',
);

/** Characters that phones show as emoji. ©, ® and ™ count as letters. */
const EMOJI = /[\p{Emoji_Presentation}\u20e3\ufe0f]|(?![©®™])\p{Extended_Pictographic}/u;

/** The first reason why the SMS rail cannot send the text. Null if the rail can send it. */
export function findUnsupported(text: string, limits: TextLimits): 'too_long' | 'link' | 'emoji' | null {
  if (limits.maxChars !== null && text.length > limits.maxChars) return 'too_long';
  if (!limits.links && LINK.test(text)) return 'link';
  return !limits.emoji && EMOJI.test(text) ? 'emoji' : null;
}
