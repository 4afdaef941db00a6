// The shapes of all responses: status, media type, headers, and keys with the types of their values.
// Responses of one operation, status and media type are merged. So are objects that share a schema.
import type { Operations } from './operations.ts';
import type { Headers, Step } from './recorder.ts';

type Schema = Record<string, any>;
type Shape = { kinds: Set<string>; objects: number; keys: Map<string, Field>; items?: Shape };
type Field = Shape & { seen: number };
type Answer = { answers: number; headers: Map<string, number>; codes: Set<string>; body: Shape };
type Answers = Map<string, Map<string, Answer>>;
type PageOf = { data: unknown[]; pageNumber: number };

const INDENT = '  ';
const MAX_LINE = 120;
/** A list of more constants than this counts as text. */
const MAX_CONSTANTS = 20;
const PROBLEM = 'application/problem+json';
/** Each media type has these headers with these values. `*` stands for any value. */
const IMPLIED: Record<string, Record<string, string | null>> = {
  [PROBLEM]: { 'cache-control': null, 'content-language': '*', vary: 'Accept-Language' },
  'text/html': {
    'content-encoding': 'gzip',
    'content-security-policy': '*',
    vary: 'Accept-Encoding, Accept-Language',
    'x-frame-options': null,
  },
};
/** Headers that another recorded header implies. */
const OMITTED = new Set(['content-type', 'ratelimit-policy']);
/** Headers whose names are recorded, but not their values. */
const UNSTABLE = new Set([
  'balcao-attempt',
  'content-disposition',
  'content-security-policy',
  'location',
  'www-authenticate',
]);

/** @returns the text of `shapes.txt` */
export function writeShapes({ document, find }: Operations, steps: Step[]): string {
  const components: Record<string, Schema> = document.components['schemas'];
  const types = new Map<string, Shape>();
  const events = new Map<string, Shape>();
  const answers: Answers = new Map();

  function add(shape: Shape, value: unknown, schema: Schema = {}): void {
    const chosen = choose(schema, value);
    if (Array.isArray(value)) {
      shape.kinds.add('[]');
      shape.items ??= newShape();
      for (const item of value) add(shape.items, item, chosen['items']);
    } else if (typeof value === 'object' && value !== null) addObject(shape, value, chosen);
    else shape.kinds.add(kindOf(value, chosen['enum'] ?? ('const' in chosen ? [chosen['const']] : [])));
  }

  function addObject(shape: Shape, value: object, schema: Schema): void {
    if ('occurredAt' in value && 'details' in value) return addEvent(shape, value);
    const name = schema['$ref']?.split('/').at(-1) as string | undefined;
    if ('pageNumber' in value) return addPage(shape, value as PageOf, components[name ?? ''] ?? schema);
    if (name) {
      shape.kinds.add(name);
      return addKeys(remember(types, name), value, components[name] ?? {});
    }
    shape.kinds.add('{}');
    addKeys(shape, value, schema);
  }

  function addPage(shape: Shape, { data, ...page }: PageOf, { properties = {} }: Schema): void {
    shape.kinds.add('Page');
    addKeys(remember(types, 'Page'), page, {});
    shape.items ??= newShape();
    for (const item of data) add(shape.items, item, properties.data?.items);
  }

  function addKeys(shape: Shape, value: object, { properties = {}, additionalProperties }: Schema): void {
    shape.objects++;
    // The merchant or the payer chose the keys of these objects.
    if (Object.keys(properties).length === 0 && additionalProperties) return;
    for (const [key, inside] of Object.entries(value))
      // A key with a dot is the name of a text.
      if (!key.includes('.')) add(openField(shape, key), inside, properties[key]);
  }

  /** Each event type has a shape of its own. */
  function addEvent(
    shape: Shape,
    event: { type?: unknown; status?: unknown; details?: unknown; data?: unknown },
  ): void {
    const { type, status, details, data, ...frame } = event;
    const name = 'cursor' in frame ? 'FeedEvent' : 'paymentId' in frame ? 'Event' : 'HistoryEvent';
    shape.kinds.add(name);
    addKeys(remember(types, name), frame, {});
    const own = remember(events, String(type));
    own.kinds.add('{}');
    own.objects++;
    add(openField(own, 'status'), status, { const: status });
    add(openField(own, 'details'), details);
    if (data !== undefined) add(openField(own, 'data'), data, { $ref: '/Payment' });
  }

  for (const step of steps) {
    if ('requests' in step) {
      for (const { method, path, headers, body } of step.requests) {
        const answer = open(answers, `${method} http://merchant${path}`, 'request');
        addHeaders(answer, headers);
        add(answer.body, body, { $ref: `/${nameOfCallback(body)}` });
      }
      continue;
    }
    const { operation, name } = find(step.method, step.path);
    const type = mediaType(step.headers);
    const answer = open(answers, name, `${step.status} ${type}`.trim());
    addHeaders(answer, step.headers);
    if (type === PROBLEM && step.body) answer.codes.add((step.body as { code: string }).code);
    if (type === 'text/event-stream') add(answer.body, step.body, { items: { $ref: '/CheckoutSession' } });
    else if (type.endsWith('json') && step.body !== undefined)
      add(answer.body, step.body, operation?.responses[String(step.status)]?.content?.[type]?.schema);
  }

  const sections = [
    ...[...answers].toSorted(byName).map(([name, all]) => [name, ...[...all].toSorted(byName).flatMap(writeAnswer)]),
    ['Events', ...[...events].toSorted(byName).flatMap(writeEvent)],
    ...[...types].toSorted(byName).map(([name, shape]) => [name, ...writeKeys(shape, INDENT)]),
  ];
  return `${sections.map((lines) => lines.join('\n')).join('\n')}\n`;
}

const newShape = (): Shape => ({ kinds: new Set(), objects: 0, keys: new Map() });

function remember(shapes: Map<string, Shape>, name: string): Shape {
  const shape = shapes.get(name) ?? newShape();
  shapes.set(name, shape);
  return shape;
}

function openField(shape: Shape, key: string): Shape {
  const field = shape.keys.get(key) ?? { ...newShape(), seen: 0 };
  shape.keys.set(key, field);
  field.seen++;
  return field;
}

/** @param operation method and path @param head status and media type */
function open(answers: Answers, operation: string, head: string): Answer {
  const [method, path] = operation.split(' ');
  const name = `${path} ${method}`;
  const all = answers.get(name) ?? new Map<string, Answer>();
  answers.set(name, all);
  const answer = all.get(head) ?? { answers: 0, headers: new Map(), codes: new Set<string>(), body: newShape() };
  all.set(head, answer);
  return answer;
}

const byName = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1);

const nameOfCallback = (body: any): string =>
  'idTransacao' in body ? 'ReferenceCallback' : 'merchantReferenceNumber' in body ? 'QrCallback' : '';

/** Returns the alternative of a schema that matches the value. */
function choose(schema: Schema, value: unknown): Schema {
  const all: Schema[] = schema['anyOf'] ?? schema['oneOf'] ?? [schema];
  const isObject = typeof value === 'object' && value !== null;
  return all.find((each) => isObject === ('$ref' in each || each['type'] === 'object')) ?? all[0] ?? {};
}

/** The name of a placeholder such as `<uuid 3>` is its kind. */
function kindOf(value: unknown, constants: unknown[]): string {
  if (constants.length <= MAX_CONSTANTS && constants.includes(value)) return JSON.stringify(value);
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  if (typeof value !== 'string') return value === null ? 'null' : typeof value;
  const placeholder = /^<([a-z ]+?)( \d+)?>$/.exec(value)?.[1];
  if (placeholder) return placeholder;
  if (/^\d{4}-\d\d-\d\dT[\d:.]+[Z~]$/.test(value)) return 'time';
  if (/^\d{4}-\d\d-\d\d$/.test(value)) return 'date';
  if (/^-?\d+\.\d\d$/.test(value)) return 'decimal';
  return /^https?:/.test(value) ? 'url' : 'string';
}

const mediaType = (headers: Headers) => (headers['content-type'] ?? '').split(';')[0] as string;

function addHeaders(answer: Answer, headers: Headers): void {
  answer.answers++;
  const implied = IMPLIED[mediaType(headers)] ?? {};
  const isImplied = (name: string, value: string | null) =>
    name in implied && (implied[name] === '*' ? value !== null : implied[name] === value);
  const shown = Object.entries(headers)
    .filter(([name, value]) => !OMITTED.has(name) && !isImplied(name, value))
    .map(([name, value]) => writeHeader(name, value));
  const missing = Object.keys(implied).filter((name) => !(name in headers));
  for (const text of [...shown, ...missing.map((name) => `not the usual ${name}`)])
    answer.headers.set(text, (answer.headers.get(text) ?? 0) + 1);
}

const writeHeader = (name: string, value: string | null) =>
  value === null ? `no ${name}` : isFixed(name, value) ? `${name}: ${value.replaceAll('"', '')}` : name;

const isFixed = (name: string, value: string) => !UNSTABLE.has(name) && !value.includes('<');

function writeAnswer([status, { answers, headers, codes, body }]: [string, Answer]): string[] {
  const shown = [...headers].toSorted(byName).map(([text, count]) => `; ${text}${count < answers ? ' (some)' : ''}`);
  const head = `${INDENT}${status.replace(PROBLEM, 'problem')}`;
  if (codes.size > 0) return [`${head} ${[...codes].toSorted().join(', ')}${shown.join('')}`];
  if (body.kinds.size === 0) return [`${head}${shown.join('')}`];
  const line = `${head} ${writeType(body)}${shown.join('')}`;
  if (line.length <= MAX_LINE) return [line];
  return [`${head}${shown.join('')}`, ...writeField('', body, INDENT.repeat(2))];
}

/** Returns an event type with its statuses, the type of its data, and its details. */
function writeEvent([type, { keys }]: [string, Shape]): string[] {
  const typeOf = (key: string) => writeType(keys.get(key) ?? newShape());
  return writeField(`${type}; ${typeOf('status')}; ${typeOf('data')}: `, keys.get('details') ?? newShape());
}

/** Returns a label and a type on one line if they fit. Otherwise each key of the type has its own line. */
function writeField(label: string, shape: Shape, indent = INDENT): string[] {
  const line = `${indent}${label}${writeType(shape)}`;
  if (line.length <= MAX_LINE || !line.includes('{ ')) return [line];
  let inner = shape;
  let brackets = '';
  while (inner.kinds.size === 1 && inner.kinds.has('[]') && inner.items)
    [inner, brackets] = [inner.items, `${brackets}[]`];
  const kinds = ['{}', ...kindsOf(inner).filter((kind) => kind !== '{}')];
  return [`${indent}${label}${kinds.join(' | ')}${brackets}`, ...writeKeys(inner, indent + INDENT)];
}

const writeKeys = ({ keys, objects }: Shape, indent: string): string[] =>
  [...keys].toSorted(byName).flatMap(([key, field]) => writeField(`${nameOf(key, field, objects)}: `, field, indent));

const nameOf = (key: string, { seen }: Field, objects: number) => (seen < objects ? `${key}?` : key);

function writeType(shape: Shape): string {
  return kindsOf(shape)
    .map((kind) => {
      if (kind === '[]') return `${wrap(writeType(shape.items ?? newShape()))}[]`;
      if (kind === 'Page') return `Page<${writeType(shape.items ?? newShape())}>`;
      if (kind !== '{}') return kind;
      const keys = [...shape.keys].toSorted(byName);
      const fields = keys.map(([key, field]) => `${nameOf(key, field, shape.objects)}: ${writeType(field)}`);
      return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
    })
    .join(' | ');
}

const wrap = (type: string) => (type.includes(' | ') ? `(${type})` : type);

/** `string` includes every kind of text, and `number` includes `integer`. */
function kindsOf({ kinds }: Shape): string[] {
  const isCovered = (kind: string) =>
    (kinds.has('string') && /^[a-z]/.test(kind) && kind !== 'string' && !NO_TEXT.has(kind)) ||
    (kinds.has('number') && kind === 'integer');
  return [...kinds].filter((kind) => !isCovered(kind)).toSorted();
}

const NO_TEXT = new Set(['null', 'boolean', 'true', 'false', 'integer', 'number']);
