// The examples of the OpenAPI document: recorded answers (test/api/tour/examples.ts) and generated problems.
import { readFileSync } from 'node:fs';
import { isProblemCode, PROBLEMS, type ProblemCode } from '../../shared/errors.ts';
import { EXAMPLE_REQUEST } from '../http/openapi.ts';
import { describeProblem, Problem } from '../http/problem.ts';
import type { Route } from '../http/route.ts';
import { exampleOfMedia } from './media.ts';

/** Examples of the OpenAPI document, by operation and status. */
export type Examples = {
  answers: Record<string, Record<string, unknown>>;
  /** `refusals`: the codes of problems, by operation and status. */
  refusals: Record<string, Record<string, string[]>>;
  /** `events`: the bodies of webhooks by event type, and of the two callbacks. */
  events: Record<string, unknown>;
  /** `problems`: the additional members of problems, by code. */
  problems: Record<string, object>;
};

/** The gateway's URL in the recorded examples. */
export const TOUR_URL = 'http://gateway';

type Media = { schema?: object; example?: unknown; examples?: Record<string, object> };
type Answer = { description: string; content?: Record<string, Media> };
type Operation = {
  description: string;
  responses: Record<string, Answer>;
  requestBody?: { content: Record<string, Media> };
};
export type Described = {
  openapi: string;
  info: object;
  paths: Record<string, Record<string, Operation>>;
  webhooks?: Record<string, { post: Operation }>;
  components: object;
};

const JSON_TYPE = 'application/json';

/** Records with dozens of similar entries: the texts of a payment page, and the columns of personal data. */
const LONG_RECORDS = new Set(['texts', 'columns']);

/** Shortens a part of a recorded answer: a list to its first entry, and a long record to three. */
function shorten(key: string, value: unknown): unknown {
  if (key === 'data' && Array.isArray(value)) return value.slice(0, 1);
  return LONG_RECORDS.has(key) ? Object.fromEntries(Object.entries(value as object).slice(0, 3)) : value;
}

/** Reads the examples on the first request of the OpenAPI document, which keeps the start fast. */
function readExamples(publicUrl: string): Examples {
  const text = readFileSync(new URL('examples.json', import.meta.url), 'utf8');
  return JSON.parse(
    text.replaceAll(TOUR_URL, () => publicUrl),
    (key, value: unknown) => shorten(key, value),
  ) as Examples;
}

/** Adds an example to the schema of each answer, and of each call to merchants' servers. */
export function addExamples(document: Described, routes: Route[], publicUrl: string): void {
  const known = readExamples(publicUrl);
  known.answers['readInterface'] = { 200: { openapi: document.openapi, info: document.info } };
  const used = new Set<ProblemCode>();
  for (const declared of routes) {
    const operation = document.paths[declared.path]?.[declared.method.toLowerCase()];
    if (!operation) continue;
    for (const [status, answer] of Object.entries(operation.responses)) {
      addAnswer(answer, known.answers[declared.operationId]?.[status] ?? refuseAsItDoes(declared, status));
      for (const [type, media] of Object.entries(answer.content ?? {}))
        Object.assign(media, exampleOfMedia(type, declared, known));
      const media = answer.content?.['application/problem+json'];
      if (!media) continue;
      const codes = chooseCodes(declared, status, [
        ...(known.refusals[declared.operationId]?.[status] ?? []),
        ...(answer.description.match(/\w+/g) ?? []),
      ]);
      for (const code of codes) used.add(code);
      media.examples = Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]));
    }
  }
  for (const [name, { post }] of Object.entries(document.webhooks ?? {})) addEvents(name, post, known);
  const examples = [...used].toSorted().map((code) => [code, exampleOf(code, known, publicUrl)]);
  document.components = { ...document.components, examples: Object.fromEntries(examples) };
}

/** The events with a payment that are examples. All others would repeat the payment. */
const SHOWN_WITH_PAYMENT = [
  'payment.paid',
  'payment.failed',
  'refund.succeeded',
  'reference.paid',
  'callback.delivered',
];

type RecordedEvent = { data?: object | null; details?: object };

/** Adds the recorded events of a webhook's subject, and describes the fields of their `details`. */
function addEvents(name: string, post: Operation, known: Examples): void {
  const media = post.requestBody?.content[JSON_TYPE];
  if (!media) return;
  if (!name.endsWith('.*')) {
    media.example = known.events[name];
    return;
  }
  const events = Object.entries(known.events as Record<string, RecordedEvent>).filter(
    ([type, event]) => event.details && type.startsWith(name.slice(0, -1)),
  );
  const shown = events.filter(([type, { data }]) => !data || SHOWN_WITH_PAYMENT.includes(type));
  media.examples = Object.fromEntries(shown.map(([type, value]) => [type, { value }]));
  const fields = events
    .map(([type, { details }]) => [type, Object.keys(details ?? {}).map((field) => `\`${field}\``)] as const)
    .filter(([, names]) => names.length > 0)
    .map(([type, names]) => `\`${type}\`: ${names.join(', ')}`);
  if (fields.length > 0) post.description += `\n\nRecorded fields of \`details\`: ${fields.join('; ')}`;
}

function addAnswer({ content }: Answer, example: unknown): void {
  const media = content?.[JSON_TYPE];
  if (media?.schema && example !== undefined) media.example = example;
}

/** Returns the example of a refusal for an operation with its own error format. */
function refuseAsItDoes({ refuse }: Route, status: string): unknown {
  const code = USUAL[Number(status)];
  return code && refuse?.(new Problem(code)).body;
}

function exampleOf(code: ProblemCode, { problems }: Examples, publicUrl: string): object {
  const written = describeProblem(new Problem(code), { publicUrl, requestId: EXAMPLE_REQUEST, lang: 'en' });
  return { value: { ...written, ...problems[code] } };
}

/** The usual problem code of each HTTP status. */
const USUAL: Record<number, ProblemCode> = {
  400: 'validation_failed',
  401: 'invalid_token',
  403: 'insufficient_scope',
  404: 'not_found',
  405: 'method_not_allowed',
  409: 'idempotency_in_progress',
  413: 'body_too_large',
  415: 'unsupported_media_type',
  422: 'idempotency_key_reused',
  429: 'too_many_requests',
  503: 'service_unavailable',
};

/**
 * Returns the recorded problem codes and those in the description, or otherwise the usual one.
 * @param words words of the description, some of which are problem codes
 */
function chooseCodes({ access, body, query }: Route, status: string, words: string[]): ProblemCode[] {
  const codes = words.filter(isProblemCode).filter((code) => PROBLEMS[code].status === Number(status));
  if (codes.length > 0) return [...new Set(codes)];
  if (status === '403' && access.kind === 'user') return ['user_required'];
  if (status === '400' && !body && !query) return ['idempotency_key_invalid'];
  const usual = USUAL[Number(status)];
  return usual ? [usual] : [];
}
