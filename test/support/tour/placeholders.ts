// What differs from run to run in an answer, replaced by placeholders that stay the same wherever the same value stands.

import { MARK_MS } from './rest.ts';

export type Placeholders = {
  /** Text with every such value replaced; the same value always by the same placeholder. */
  text(value: string): string;
  /** The same of every text inside of a JSON value. */
  json(value: unknown): unknown;
  /** The same without numbers, so that it does not depend on what came before: to sort by. */
  shape(value: string): string;
  /** Digits that the tour itself has chosen, and that stay as they are. */
  keep(...digits: string[]): void;
};

/** Fields whose values are never the same: how long something took, where a cursor stands. */
const FIELDS: Record<string, string> = {
  durationMs: '<ms>',
  cursor: '<cursor>',
  next: '<cursor>',
  slug: 'slug',
};

/** Kinds of values, in the order in which they are looked for: the longer ones first. Those of `any …` stand nowhere twice. */
const KINDS: [kind: string, pattern: RegExp][] = [
  ['jwt', /\beyJ[\w-]+\.[\w-]+\.[\w-]+/g],
  ['webhook secret', /\bwhsec_[A-Za-z0-9+/]{43}=/g],
  ['any signature', /\bv1,[A-Za-z0-9+/]{43}=/g],
  ['any request', /\burn:request:[0-9a-f-]{36}/g],
  ['sealed', /\bv1\.test\.[\w-]+\.[\w-]+/g],
  ['uuid', /(?<![0-9a-f])(?!00000000-0000-)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-f])/g],
  ['uuid', /\b[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}\b/g],
  ['hash', /\bsha256-[A-Za-z0-9+/]{43}=/g],
  ['long secret', /(?<![\w-])[\w-]{86}(?![\w-])/g],
  ['secret', /(?<![\w-])(?=[\w-]*[A-Z])(?=[\w-]*[a-z])[\w-]{43}(?![\w-])/g],
  ['authenticator secret', /\b[A-Z2-7]{32}\b/g],
  ['simulated id', /\bsandbox-(?:pos-)?[0-9a-f]{12}\b/g],
  ['client', /\bbc_[\w-]{8,}/g],
  ['built file', /(?<=\/assets\/[\w.-]*-)[\w-]{8}(?=\.\w+)/g],
  ['link', /(?<=\/l\/)[2-9a-hjkmnp-z]{10}\b/g],
  ['payment of a link', /\b[2-9A-HJKMNP-Z]{4}-[2-9A-HJKMNP-Z]{10}\b/g],
  ['transaction', /(?<!\d)\d{18}(?!\d)/g],
  ['digits', /(?<![\d+])(?:\d{9}|\d{3} \d{3} \d{3})(?![\d ])/g],
];

/** @param origins what addresses of this run are called @param start the first mark of the tour */
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
    let text = coverPictures(value);
    for (const [origin, called] of Object.entries(origins)) text = text.replaceAll(origin, called);
    for (const [kind, pattern] of KINDS)
      text = text.replace(pattern, (found) => (kept.has(found.replaceAll(' ', '')) ? found : name(kind, found)));
    return coverTimes(text, start);
  };
  const text = (value: string) => replace(value, nameOf);
  const json = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value);
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
    text,
    json,
    shape: (value) => replace(value, (kind) => `<${kind}>`),
    keep: (...digits) => digits.forEach((each) => kept.add(each)),
  };
}

/** Styles are the browser tests' affair, and a code's picture follows from what it says. */
function coverPictures(text: string): string {
  return text
    .replace(/<style>.*?<\/style>/gs, '<style>…</style>')
    .replace(/<svg[^>]*crispEdges.*?<\/svg>/gs, '<svg>a code</svg>')
    .replace(/data:image\/svg\+xml;base64,[\w+/=]+/g, 'data:image/svg+xml;base64,…');
}

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

/** Times of full seconds are those of calls, and what follows from them: they stand. Any other is told by the mark before it. */
function coverTimes(text: string, start: Date): string {
  return text.replace(TIME, (time) => {
    const sinceMs = Date.parse(time) - start.getTime();
    if (sinceMs % 1_000 === 0) return time;
    return new Date(start.getTime() + Math.floor(sinceMs / MARK_MS) * MARK_MS).toISOString().replace('.000Z', '~');
  });
}
