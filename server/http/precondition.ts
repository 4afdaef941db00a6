// Entity tags (RFC 9110 §8.8.3, §13.1.1): a change may name the state that its caller has read, so that no unseen change is lost.
import { createHash } from 'node:crypto';
import { Problem } from './problem.ts';

/** The tag of a resource's view. Any difference gives another tag. */
export function etagOf(view: object): string {
  return `"${createHash('sha256').update(JSON.stringify(view)).digest('base64url').slice(0, TAG_LENGTH)}"`;
}

/** 132 bits. */
const TAG_LENGTH = 22;

/**
 * Compares the caller's tags with the current state, while the row is locked.
 * @param ifMatch the header, a list of strong tags or `*`; null accepts any state
 * @throws Problem precondition_failed
 */
export function requireMatch(ifMatch: string | null, view: object): void {
  if (ifMatch === null || ifMatch.trim() === '*') return;
  const tags = ifMatch.split(',').map((tag) => tag.trim());
  if (!tags.includes(etagOf(view))) throw new Problem('precondition_failed');
}
