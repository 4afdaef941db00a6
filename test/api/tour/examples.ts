// The examples of the interface document: the first response of each operation and status, with placeholders.
import type { Examples } from '../../../server/docs/examples.ts';
import { addRareEvents } from './rare-events.ts';
import type { Operations } from './operations.ts';
import type { Answered, Step } from './recorder.ts';

const MAX_ITEMS = 2;

export function makeExamples({ find }: Operations, steps: Step[]): Examples {
  const examples: Examples = { answers: {}, refusals: {}, events: {}, problems: {} };
  for (const step of steps)
    if ('requests' in step) for (const { body } of step.requests) keepEvent(examples, body);
    else keepAnswer(examples, find(step.method, step.path).operation?.operationId, step);
  addRareEvents(examples.events);
  const plain = (value: object) => Object.keys(value).length === 0;
  const problems = Object.entries(examples.problems).filter(([, more]) => !plain(more));
  return sortKeys({ ...examples, problems: Object.fromEntries(problems) });
}

/** Returns the text of the file, with one operation on each line, so that diffs are short. */
export function writeExamples(examples: Examples): string {
  const parts = Object.entries(examples).map(([part, entries]) => {
    const lines = Object.entries(entries).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
    return `${JSON.stringify(part)}:{\n${lines.join(',\n')}\n}`;
  });
  return `{\n${parts.join(',\n')}\n}\n`;
}

function keepAnswer(examples: Examples, id: string | undefined, { status, headers, body }: Answered): void {
  if (!id || typeof body !== 'object' || body === null) return;
  const type = headers['content-type'] ?? '';
  if (type.startsWith('application/problem+json')) {
    const codes = ((examples.refusals[id] ??= {})[status] ??= []);
    if (!codes.includes(body.code)) codes.push(body.code);
    const { type: _, title: _title, status: _status, detail: _detail, instance: _instance, code, ...more } = body;
    if (headers['content-language'] === 'en') examples.problems[code] ??= fill(more) as object;
  } else if (type.startsWith('application/json')) {
    for (const one of [body.data ?? []].flat()) if (one.occurredAt) keepEvent(examples, one);
    const answers = (examples.answers[id] ??= {});
    if (answers[status] === undefined || isEmpty(answers[status])) answers[status] = fill(shorten(body));
  }
}

const isEmpty = (body: any) => Array.isArray(body.data ?? body) && (body.data ?? body).length === 0;

/** Stores an event in the form of webhooks, without the cursor of the event feed. */
function keepEvent({ events }: Examples, body: any): void {
  if (typeof body !== 'object' || body === null) return;
  if ('idTransacao' in body) events['callback.ppr'] ??= fill(body);
  if ('merchantReferenceNumber' in body && 'updatedDate' in body) events['callback.qrcode'] ??= fill(body);
  // Audit entries and movements of money have the field `occurredAt` too.
  if (!body.occurredAt || !body.type?.includes('.')) return;
  const { cursor: _, ...event } = body;
  events[body.type] ??= fill(shorten(event));
}

/** A page from which the example omits items counts only the remaining items. */
function shorten(value: any): any {
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map(shorten);
  if (typeof value !== 'object' || value === null) return value;
  const short = Object.fromEntries(Object.entries(value).map(([name, inside]) => [name, shorten(inside)]));
  const isCut = Array.isArray(value.data) && value.data.length > MAX_ITEMS && 'totalItems' in value;
  return isCut ? { ...short, totalItems: MAX_ITEMS, totalPages: 1 } : short;
}

/** Values for placeholders. Secret scanners do not report them as secrets. */
const VALUES: Record<string, (number: number) => string> = {
  uuid: (number) => `019cad00-0000-7000-8000-${String(number).padStart(12, '0')}`,
  digits: (number) => String(900_000_000 + number),
  transaction: (number) => String(100_000_000_000_000_000n + BigInt(number)),
  client: (number) => `bc_example-${number}`,
  'webhook secret': (number) => `whsec_example-${number}`,
};

/** Values of the placeholder `<as of now>`, by field. */
const NOW: Record<string, unknown> = { isRegistered: true, revision: 1, registeredAt: '2026-03-02T09:00:00.000Z' };

/** Placeholders are numbered per example, so that a new step of the tour changes no other example. */
function fill(example: unknown): unknown {
  const numbers = new Map<string, number>();
  const replace = (placeholder: string, kind: string) => {
    const known = [...numbers.keys()].filter((each) => each.startsWith(`<${kind} `));
    const number = numbers.get(placeholder) ?? known.length + 1;
    numbers.set(placeholder, number);
    return VALUES[kind]?.(number) ?? `example-${kind.replaceAll(' ', '-')}-${number}`;
  };
  const visit = (value: unknown, name = ''): unknown => {
    if (Array.isArray(value)) return value.map((each) => visit(each));
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, inside]) => [key, visit(inside, key)]));
    if (typeof value !== 'string') return value;
    if (value === '<as of now>') return NOW[name];
    if (value === '<ms>') return 120;
    if (value === '<cursor>') return 'example-cursor';
    const codes = Number(/^<(\d+) recovery codes>$/.exec(value)?.[1]);
    if (codes) return Array.from({ length: codes }, (_, nth) => `example-${nth + 1}`);
    return value
      .replaceAll('http://merchant', 'https://shop.example')
      .replaceAll(/<([a-z ]+) \d+>/g, replace)
      .replaceAll(/(T\d\d:\d\d:\d\d)~/g, '$1.000Z');
  };
  return visit(example);
}

function sortKeys(examples: Examples): Examples {
  const sort = (entries: object) =>
    Object.fromEntries(Object.entries(entries).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  const sorted = Object.entries(examples).map(([part, entries]) => [part, sort(entries)]);
  return Object.fromEntries(sorted) as Examples;
}
