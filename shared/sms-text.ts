// What of a text an SMS rail may not carry: one rule for the core, which refuses it before it is paid for, and for connectors.

/** As a rail's capabilities say it. */
export type TextLimits = { maxChars: number | null; links: boolean; emoji: boolean };

/**
 * What phones make a link of: a scheme, `www.`, a name with a path, or a name that ends as most in Angola do. A capital after
 * a full stop is a new sentence ("hoje.Com desconto").
 */
const LINK =
  /:\/\/|\b[wW]{3}\.|[\p{L}\p{N}]\.\p{L}{2,}\/|[\p{L}\p{N}]\.(?:ao|com|net|org|info|app|io|pt|br|AO|COM|NET|ORG|INFO|APP|IO|PT|BR)(?![\p{L}\p{N}])/u;

/** Whatever phones draw as a picture; ©, ® and ™ are letters as good as any. */
const EMOJI = /[\p{Emoji_Presentation}\u20e3\ufe0f]|(?![©®™])\p{Extended_Pictographic}/u;

/** The first thing of a text that is not carried; null where all of it is. */
export function findUncarried(text: string, limits: TextLimits): 'too_long' | 'link' | 'emoji' | null {
  if (limits.maxChars !== null && text.length > limits.maxChars) return 'too_long';
  if (!limits.links && LINK.test(text)) return 'link';
  return !limits.emoji && EMOJI.test(text) ? 'emoji' : null;
}
