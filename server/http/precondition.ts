// Entity tags (RFC 9110 §8.8.3, §13.1.1): a change names the version that its caller read, so no update is lost.
import { createHash } from 'node:crypto';
import { Problem } from './problem.ts';

/** Returns the entity tag of a resource's view or of a file. Different content has a different tag. */
export function etagOf(content: object): string {
  const bytes = Buffer.isBuffer(content) ? content : JSON.stringify(content);
  // The first 132 bits of the hash are enough.
  return `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
}

/**
 * Compares the caller's entity tags with the current state, while the row is locked.
 * @param ifMatch the header, a list of strong tags or `*`; null accepts any state
 * @throws Problem precondition_failed
 */
export function requireMatch(ifMatch: string | null, view: object): void {
  if (ifMatch === null || ifMatch.trim() === '*') return;
  const tags = ifMatch.split(',').map((tag) => tag.trim());
  if (!tags.includes(etagOf(view))) throw new Problem('precondition_failed');
}
