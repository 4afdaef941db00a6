// Converts the OpenAPI document to the view of the /docs pages: tags, operations, fields and sample commands.
import type { DocsAnswer, DocsField, DocsName, DocsOperation, DocsTag, DocsView } from '../../shared/docs.ts';
import { nameVariable, writeCurl, type CurlRequest } from './curl.ts';
import { writeSamples } from './samples.ts';
import { describeShape, type Schema, type Schemas } from './shape.ts';

type Content = Record<string, { schema?: Schema; example?: object }>;
type Parameter = { name: string; in: string; required?: boolean; description?: string; schema: Schema };

type Operation = {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  security: object[];
  'x-rate-limit'?: string;
  'x-client'?: string;
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { description: string; content?: Content }>;
};

/** The parts of the OpenAPI document that the /docs pages use. */
export type ApiDocument = {
  info: { version: string; description: string };
  servers: { url: string }[];
  components: { schemas: Schemas };
  paths: Record<string, Record<string, Operation>>;
};

/** Rate limits: requests a minute by bucket. 0: no limit. */
export type Quotas = Record<string, number>;

/** Returns the view of the OpenAPI document, with tags and operations in the document's order. */
export function describeDocs(document: ApiDocument, quotas: Quotas): Pick<DocsView, 'version' | 'about' | 'tags'> {
  const tags = new Map<string, DocsTag>();
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const name = operation.tags[0] ?? '';
      const tag = tags.get(name) ?? { slug: slugOf(name), name, names: [], operations: [] };
      tags.set(name, tag);
      tag.names = mergeNames(tag.names, listNames(operation));
      tag.operations.push(describeOperation(document, { path, method: method.toUpperCase(), operation, quotas }));
    }
  }
  return { version: document.info.version, about: document.info.description, tags: [...tags.values()] };
}

/** Returns the last part of the URL of a tag's page. */
export function slugOf(tag: string): string {
  return tag.toLowerCase().replace(/\W+/g, '-');
}

/** Lists the shell variables that an operation's sample command uses. */
function listNames({ parameters = [], security }: Operation): DocsName[] {
  const token = security.length > 0 ? [{ name: 'TOKEN', about: 'An access token, valid for one hour' }] : [];
  const given = parameters
    .filter((each) => each.in === 'path' || (each.in === 'query' && each.required))
    .map(({ name, description, schema }) => ({
      name: nameVariable(name),
      about: description ?? schema.description ?? '',
    }));
  return [...token, ...given];
}

/** Adds names that the list does not have yet. */
function mergeNames(known: DocsName[], more: DocsName[]): DocsName[] {
  return [...known, ...more.filter(({ name }) => known.every((each) => each.name !== name))];
}

type Declared = { path: string; method: string; operation: Operation; quotas: Quotas };

function describeOperation(document: ApiDocument, declared: Declared): DocsOperation {
  const { path, method, operation, quotas } = declared;
  const { schemas } = document.components;
  const responses = Object.entries(operation.responses);
  const answers = responses.filter(([status]) => Number(status) < 400);
  const refusals = responses.filter(([status]) => Number(status) >= 400);
  const paragraphs = operation.description.split('\n\n').filter((paragraph) => paragraph !== operation.summary);
  const content = operation.requestBody?.content;
  const [about] = Object.values(content ?? {});
  const request = readRequest(document, declared);
  return {
    id: operation.operationId,
    method,
    path,
    summary: operation.summary,
    description: paragraphs.join('\n\n'),
    access: nameAccess(operation, path),
    limit: nameLimit(operation, quotas),
    parameters: listParameters(operation.parameters ?? [], schemas),
    body:
      content && about?.schema ? { types: Object.keys(content), shape: describeShape(about.schema, schemas) } : null,
    curl: writeCurl(request),
    samples: writeSamples(request),
    trial: describeTrial(request, declared),
    answers: answers.map(([status, answer]) => describeAnswer(status, answer, schemas)),
    refusals: refusals.map(([status, { description }]) => ({ status, about: description })),
  };
}

function readRequest(document: ApiDocument, { path, method, operation }: Declared): CurlRequest {
  const { parameters = [], requestBody, responses } = operation;
  const content = requestBody?.content ?? {};
  const example = Object.values(content)[0]?.example;
  const query = parameters.filter((each) => each.in === 'query' && each.required).map(({ name }) => name);
  const successes = Object.entries(responses).filter(([status, { content }]) => Number(status) < 300 && content);
  const [[, answer] = []] = successes;
  const hasOneAnswer = successes.length === 1;
  return {
    method,
    called: operation['x-client'] ?? null,
    url: `${document.servers[0]?.url ?? ''}${path}`,
    query,
    needsToken: operation.security.length > 0,
    isKeyed: parameters.some(({ name }) => name === 'Idempotency-Key'),
    // The OAuth token endpoints take forms (RFC 6749).
    body: example ? { example, isForm: path.startsWith('/oauth/') } : null,
    answers: hasOneAnswer ? Object.keys(answer?.content ?? {}) : [],
  };
}

/** Describes the form that tries an operation. Null for an event stream, which has no end. */
function describeTrial({ body, needsToken, isKeyed, answers }: CurlRequest, { operation }: Declared) {
  if (answers.includes('text/event-stream')) return null;
  const fields = (operation.parameters ?? [])
    .filter((each) => each.in !== 'header')
    .map((each) => ({ name: each.name, place: each.in as 'path' | 'query', isRequired: each.required === true }));
  const text = body ? JSON.stringify(body.example, null, 2) : operation.requestBody ? '{}' : null;
  return { fields, body: text, needsToken, isKeyed };
}

function nameAccess({ security }: Operation, path: string): string {
  if (security.length > 0) return '';
  return path.includes('{clientToken}') ? 'No token: the `clientToken` in the path gives access.' : 'Public.';
}

function nameLimit(operation: Operation, quotas: Quotas): string | null {
  const bucket = operation['x-rate-limit'];
  const quota = quotas[bucket ?? ''] ?? 0;
  if (!bucket || quota === 0) return null;
  return `\`${bucket}\`: ${quota} a minute for each ${operation.security.length > 0 ? 'merchant' : 'address'}`;
}

const PLACES = { path: 'In the path', query: 'In the query', header: 'Headers' };

function listParameters(parameters: Parameter[], schemas: Schemas): DocsOperation['parameters'] {
  return Object.entries(PLACES)
    .map(([where, place]) => ({
      place,
      fields: parameters.filter((each) => each.in === where).map((each) => describeParameter(each, schemas)),
    }))
    .filter(({ fields }) => fields.length > 0);
}

function describeParameter({ name, required, description, schema }: Parameter, schemas: Schemas): DocsField {
  const shape = describeShape(schema, schemas);
  return { ...shape, name, isRequired: required === true, about: description ?? shape.about };
}

function describeAnswer(
  status: string,
  { description, content = {} }: Operation['responses'][string],
  schemas: Schemas,
): DocsAnswer {
  const [first] = Object.values(content);
  const types = Object.keys(content);
  const isJson = types[0]?.includes('json') === true;
  return {
    status,
    about: description,
    types,
    shape: isJson && first?.schema ? describeShape(first.schema, schemas) : null,
    example: isJson && first?.example ? JSON.stringify(first.example, null, 2) : null,
  };
}
