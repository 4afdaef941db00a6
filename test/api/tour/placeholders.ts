// Replaces random values by numbered placeholders. Equal values get the same placeholder.

import { MARK_MS } from './rest.ts';

/** The image contains the secret, so it differs in each run too. */
const PICTURE = 'data:image/svg+xml;base64,…';

export type Placeholders = {
  /** Replaces the random values in every text of a JSON value. */
  json(value: unknown): unknown;
  /** Replaces random values by placeholders without numbers. The result is a stable sort key. */
  shape(value: string): string;
  /** The tour chose these digits, so they are not replaced. */
  keep(...digits: string[]): void;
};

/** Fields whose value differs in each run. */
const FIELDS: Record<string, string> = {
  durationMs: '<ms>',
  cursor: '<cursor>',
  next: '<cursor>',
  slug: 'slug',
};

/** Kinds of values, in the order of replacement. Values of a kind `any …` never repeat and have no number. */
const KINDS: [kind: string, pattern: RegExp][] = [
  ['jwt', /\beyJ[\w-]+\.[\w-]+\.[\w-]+/g],
  ['webhook secret', /\bwhsec_[A-Za-z0-9+/]{43}=/g],
  ['any signature', /\bv1,[A-Za-z0-9+/]{43}=/g],
  ['any request', /\burn:request:[0-9a-f-]{36}/g],
  ['sealed', /\bv1\.test\.[\w-]+\.[\w-]+/g],
  ['uuid', /(?<![0-9a-f])(?!00000000-0000-)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-f])/g],
  ['uuid', /\b[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}\b/g],
  ['long secret', /(?<![\w-])[\w-]{86}(?![\w-])/g],
  ['secret', /(?<![\w-])(?=[\w-]*[A-Z])(?=[\w-]*[a-z])[\w-]{43}(?![\w-])/g],
  ['authenticator secret', /\b[A-Z2-7]{32}\b/g],
  ['simulated id', /\bsandbox-(?:pos-)?[0-9a-f]{12}\b/g],
  ['client', /\bbc_[\w-]{8,}/g],
  ['link', /(?<=\/l\/)[2-9a-hjkmnp-z]{10}\b/g],
  ['payment of a link', /\b[2-9A-HJKMNP-Z]{4}-[2-9A-HJKMNP-Z]{10}\b/g],
  ['transaction', /(?<!\d)\d{18}(?!\d)/g],
  ['digits', /(?<![\d+])(?:\d{9}|\d{3} \d{3} \d{3})(?![\d ])/g],
];

/** @param origins names of the URLs in this run @param start the first mark of the tour */
export function createPlaceholders(origins: Record<string, string>, start: Date): Placeholders {
  const known = new Map<string, string>();
  const counts = new Map<string, number>();
  const kept = new Set<string>();
  const nameOf = (kind: string, found: string) => {
    const value = kind === 'uuid' ? found.toLowerCase() : found;
    if (kind.startsWith('any ')) return `<${kind}>`;
    let name = known.get(value);
    if (!name) {
      const count = (counts.get(kind) ?? 0) + 1;
      counts.set(kind, count);
      known.set(value, (name = `<${kind} ${count}>`));
    }
    return name;
  };
  const replace = (value: string, name: (kind: string, found: string) => string) => {
    let text = value;
    for (const [origin, called] of Object.entries(origins)) text = text.replaceAll(origin, called);
    for (const [kind, pattern] of KINDS)
      text = text.replace(pattern, (found) => (kept.has(found.replaceAll(' ', '')) ? found : name(kind, found)));
    return coverTimes(text, start);
  };
  const text = (value: string) => replace(value, nameOf);
  const json = (value: unknown): unknown => {
    if (typeof value === 'string') return value.startsWith('data:image/svg') ? PICTURE : text(value);
    if (Array.isArray(value)) return value.map(json);
    if (typeof value !== 'object' || value === null) return value;
    const fields = Object.entries(value).map(([name, inside]) => [text(name), readField(name, inside)]);
    return Object.fromEntries(fields);
  };
  const readField = (name: string, value: unknown) => {
    if (name === 'recoveryCodes' && Array.isArray(value)) return `<${value.length} recovery codes>`;
    const covered = FIELDS[name];
    if (!covered || value === null || typeof value === 'object') return json(value);
    return covered.startsWith('<') ? covered : nameOf(covered, `${covered} ${value}`);
  };
  return {
    json,
    shape: (value) => replace(value, (kind) => `<${kind}>`),
    keep: (...digits) => digits.forEach((each) => kept.add(each)),
  };
}

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

/** Times with full seconds are times of calls and stay. Any other time becomes the mark before it. */
function coverTimes(text: string, start: Date): string {
  return text.replace(TIME, (time) => {
    const sinceMs = Date.parse(time) - start.getTime();
    if (sinceMs % 1_000 === 0) return time;
    return new Date(start.getTime() + Math.floor(sinceMs / MARK_MS) * MARK_MS).toISOString().replace('.000Z', '~');
  });
}
