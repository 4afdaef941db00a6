// Entity tags (RFC 9110 §8.8.3, §13.1.1): whoever changes a thing may say which state of it they have read, and nothing is overwritten unseen.
import { createHash } from 'node:crypto';
import { Problem } from '../problem.ts';

/** The tag of a thing as it is answered: another where anything in it is another. */
export function etagOf(view: object): string {
  return `"${createHash('sha256').update(JSON.stringify(view)).digest('base64url').slice(0, TAG_LENGTH)}"`;
}

/** 132 bits. */
const TAG_LENGTH = 22;

/**
 * Holds what was read against what is, while the row is locked.
 * @param ifMatch the header, a list of strong tags or `*`; null: any state will do
 * @throws Problem precondition_failed
 */
export function requireMatch(ifMatch: string | null, view: object): void {
  if (ifMatch === null || ifMatch.trim() === '*') return;
  const tags = ifMatch.split(',').map((tag) => tag.trim());
  if (!tags.includes(etagOf(view))) throw new Problem('precondition_failed');
}
