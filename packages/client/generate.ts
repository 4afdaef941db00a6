// Generates the client's contract, `src/contract.ts`, from a gateway's `/openapi.json`.

export type Json = Record<string, any>;

/** A query parameter. `schema` is its JSON Schema. */
export type QueryField = { name: string; schema: Json; isRequired: boolean; description: string };

/** An operation of the API that clients have, independent of their programming language. */
export type ClientOperation = {
  /** The group and the name in the group: `payments` and `create`. */
  group: string;
  name: string;
  method: string;
  /** The path with the names of its parameters: `/api/payments/{id}`. */
  path: string;
  pathParameters: string[];
  /** Empty for operations with a body: the client sends no query with a body. */
  query: QueryField[];
  /** The JSON request body. */
  body: { schema: Json; isRequired: boolean } | null;
  /** The JSON Schema of the answer. Null if the answer is a file or has no content (`hasBytes`). */
  result: Json | null;
  /** True if the answer is a file. */
  hasBytes: boolean;
  /** The JSON Schema of a list's entries. Null for operations that are no list. */
  item: Json | null;
  /** The flags of `OPERATIONS` (see writeContract). */
  flags: string;
  summary: string;
};

/** A declaration of a named schema: the name, and its JSON Schema. */
export type NamedSchema = { name: string; schema: Json };

/** The one-letter flag of a list endpoint, by the query parameter that selects its next page. */
const PAGED: Record<string, string> = { page: 'l', pageNumber: 'n', after: 'f' };

/** HTTP methods as one letter each, because the operations table is part of every client's bundle. */
const LETTERS: Record<string, string> = { GET: 'G', POST: 'P', PUT: 'U', DELETE: 'D' };

/**
 * Returns the operations that clients have, by group, in the order of the document.
 * @throws if two operations have the same name
 */
export function listOperations(document: Json): Map<string, ClientOperation[]> {
  const operations = Object.entries<Json>(document['paths']).flatMap(([path, methods]) =>
    Object.entries<Json>(methods)
      .filter(([, operation]) => operation['x-client'])
      .map(([method, operation]) => describeOperation(document, path, method.toUpperCase(), operation)),
  );
  const groups = Map.groupBy(operations, ({ group }) => group);
  for (const [group, members] of groups) {
    const names = members.map(({ name }) => name);
    const twice = names.find((name, nth) => names.indexOf(name) !== nth);
    if (twice) throw new Error(`two operations are named ${group}.${twice}: rename one in server/http/openapi.ts`);
  }
  return groups;
}

/** Returns the named schemas of the document. Each `$ref` names one of them. */
export const listSchemas = (document: Json): NamedSchema[] =>
  Object.entries<Json>(document['components'].schemas).map(([name, schema]) => ({ name, schema }));

/** Returns the names of the schemas of webhooks' bodies. Each is the event of one subject, such as PaymentEvent. */
export function listEventSchemas(document: Json): string[] {
  const posts = Object.values<Json>(document['webhooks'] ?? {}).map(({ post }) => post);
  const bodies = posts.filter(({ tags }) => tags.includes('Webhooks')).map(({ requestBody }) => requestBody.content);
  return [...new Set(bodies.map((content) => nameOf(content['application/json'].schema)!))];
}

/** The name of the schema that a `$ref` refers to. Null for an inline schema. */
export const nameOf = (schema: Json | null): string | null => schema?.['$ref']?.split('/').at(-1) ?? null;

/** Lists the names of the schemas in these nodes, and of the schemas inside them. */
export function listReachable(nodes: unknown[], schemas: Json): Set<string> {
  const names = new Set<string>();
  const add = (node: unknown): void => {
    if (!node || typeof node !== 'object') return;
    const name = nameOf(node as Json);
    if (name && !names.has(name)) add(schemas[(names.add(name), name)]);
    Object.values(node).forEach(add);
  };
  nodes.forEach(add);
  return names;
}

/** The text of `src/contract.ts`. @throws if two operations have the same name */
export function writeContract(document: Json): string {
  const groups = listOperations(document);
  const each = (write: (group: string, members: ClientOperation[]) => string) =>
    [...groups].map(([group, members]) => write(group, members)).join('\n');
  return `// The API's types and operations. Generated from /openapi.json by \`npm run client\`: do not edit by hand.
import type { CallOptions, Listing } from './call.ts';

${listSchemas(document)
  .map((each) => (each.name === FEED_EVENT ? writeFeedEvent(each.schema, listEventSchemas(document)) : writeType(each)))
  .join('\n\n')}

/** All operations, by group and name. */
export interface Api {
${each((group, members) => `  ${group}: {\n${members.map(writeSignature).join('\n')}\n  };`)}
}

/**
 * The operations in a compact form. A group begins with the common prefix of its paths.
 * Each operation follows: its name, then the method's letter with the rest of its path, then its flags.
 * Flags: k accepts an Idempotency-Key, b has a body, q has a query, p returns the whole object for \`Prefer\`.
 * Flags of lists, by the parameter of the next page: l \`page\`, n \`pageNumber\`, f \`after\`.
 */
export const OPERATIONS: Record<string, string> = {
${each(writeGroup)}
};
`;
}

const writeType = ({ name, schema }: NamedSchema) =>
  `${remark(schema['description'])}export type ${name} = ${typeOf(schema)};`;

/** The schema of an event in the feed. It has one type for all events, which TypeScript can distinguish. */
const FEED_EVENT = 'FeedEvent';

/** Writes the types of events as a union, so that a comparison of `type` also determines the type of `data`. */
function writeFeedEvent({ properties: { cursor } }: Json, names: string[]): string {
  const own = typeOf({ type: 'object', properties: { cursor }, required: ['cursor'] });
  return `/** An event, as a webhook delivers it. \`type\` determines \`data\`. Ignore other types. */
export type WebhookEvent = ${names.join(' | ')};

/** An event of the feed. */
export type ${FEED_EVENT} = WebhookEvent & ${own};`;
}

function writeSignature({ name, summary, pathParameters, query, body, result, hasBytes, item }: ClientOperation) {
  const isQueryRequired = query.some(({ isRequired }) => isRequired);
  const parameters = [
    ...pathParameters.map((id) => `${id}: string`),
    body && `body${body.isRequired ? '' : '?'}: ${typeOf(body.schema)}`,
    query.length > 0 && `query${isQueryRequired ? '' : '?'}: ${queryType(query)}`,
    'options?: CallOptions',
  ];
  const content = result ? typeOf(result) : hasBytes ? 'Uint8Array' : 'void';
  const answer = item ? `Listing<${typeOf(item)}, ${content}>` : `Promise<${content}>`;
  return `    ${remark(summary)}    ${name}(${parameters.filter(Boolean).join(', ')}): ${answer};`;
}

function writeGroup(group: string, members: ClientOperation[]): string {
  const begin = members
    .map(({ path }) => shorten(path).split('/'))
    .reduce((one, other) => one.slice(0, firstOther(one, other)))
    .join('/');
  const lines = members.map(
    ({ name, method, path, flags }) =>
      ` ${name} ${LETTERS[method]}${shorten(path).slice(begin.length)}${flags && `:${flags}`}`,
  );
  return `  ${group}:\n    '${begin}' +\n${lines.map((line) => `    '${line}'`).join(' +\n')},`;
}

/** A path without the names of its parameters. */
const shorten = (path: string) => path.replace(/\{\w+\}/g, '{}');

const firstOther = (one: string[], other: string[]) => {
  const at = one.findIndex((part, nth) => part !== other[nth]);
  return at < 0 ? one.length : at;
};

function describeOperation(document: Json, path: string, method: string, operation: Json): ClientOperation {
  const { 'x-client': called, summary, requestBody } = operation;
  const [group, name] = called.split('.');
  const parameters: Json[] = (operation['parameters'] ?? []).map((each: Json) => follow(document, each));
  const responses = successes(document, operation['responses']);
  const of = (place: string) => parameters.filter((each) => each['in'] === place);
  const takes = (header: string) => of('header').some((each) => each['name'] === header);
  const schema = requestBody?.content['application/json']?.schema;
  const query = schema ? [] : of('query').map(queryField);
  const result = jsonOf(responses);
  const items = !schema && result && follow(document, result)['properties']?.data?.items;
  const list = items && query.map((each) => PAGED[each.name]).find(Boolean);
  const flags = [takes('Idempotency-Key') && 'k', schema && 'b', query.length > 0 && 'q', takes('Prefer') && 'p', list];
  return {
    group,
    name,
    method,
    path,
    pathParameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, id]) => id!),
    query,
    body: schema ? { schema, isRequired: requestBody.required === true } : null,
    result: result ?? null,
    hasBytes: !result && hasBytes(responses),
    item: list ? items : null,
    flags: flags.filter(Boolean).join(''),
    summary,
  };
}

const queryField = ({ name, schema, required, description }: Json): QueryField => ({
  name,
  schema,
  isRequired: required === true,
  description,
});

/** Resolves a `$ref` of the document. */
export function follow(document: Json, node: Json): Json {
  const { $ref } = node;
  if (!$ref) return node;
  const found = $ref
    .slice(2)
    .split('/')
    .reduce((value: Json, key: string) => value[key], document);
  return follow(document, found);
}

const successes = (document: Json, responses: Json): Json[] =>
  Object.entries<Json>(responses).flatMap(([status, response]) =>
    status.startsWith('2') ? [follow(document, response)] : [],
  );

/** The JSON schema of the successful response. Of several media types, the client requests JSON. */
const jsonOf = (responses: Json[]): Json | undefined =>
  responses.map((response) => response['content']?.['application/json']?.schema).find(Boolean);

const hasBytes = (responses: Json[]) => responses.some((response) => response['content']);

function queryType(query: QueryField[]): string {
  const fields = query.map(({ name, schema, description }) => [name, { ...schema, description }]);
  const required = query.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return typeOf({ type: 'object', properties: Object.fromEntries(fields), required });
}

/** Converts a JSON Schema to a TypeScript type. Unsupported schemas become `unknown`. */
function typeOf(schema: Json): string {
  const named = nameOf(schema);
  if (named) return named;
  if ('const' in schema) return JSON.stringify(schema['const']);
  if (schema['enum']) return schema['enum'].map((value: unknown) => JSON.stringify(value)).join(' | ');
  const known: string[] | undefined = schema['x-extensible-enum'];
  // An unknown value is still a string, but editors offer the known ones.
  if (known) {
    const all = [...known.map((value) => JSON.stringify(value)), '(string & {})'];
    return [...all, ...([schema['type']].flat().includes('null') ? ['null'] : [])].join(' | ');
  }
  const among = schema['anyOf'] ?? schema['oneOf'];
  if (among) return [...new Set<string>(among.map(typeOf))].join(' | ');
  if (schema['allOf']) return schema['allOf'].map((each: Json) => `(${typeOf(each)})`).join(' & ');
  const types = [schema['type'] ?? (schema['properties'] ? 'object' : [])].flat();
  return types.map((type: string) => (WRITTEN[type] ?? (() => 'unknown'))(schema)).join(' | ') || 'unknown';
}

const WRITTEN: Record<string, (schema: Json) => string> = {
  string: () => 'string',
  number: () => 'number',
  integer: () => 'number',
  boolean: () => 'boolean',
  null: () => 'null',
  array: ({ items = {} }) => `Array<${typeOf(items)}>`,
  object({ properties, required = [], additionalProperties }) {
    // Without declared fields: the merchant's own object, or an object whose fields depend on its kind.
    if (Object.keys(properties ?? {}).length === 0) {
      const values = Object.keys(additionalProperties ?? {}).length > 0 ? typeOf(additionalProperties) : 'unknown';
      return `Record<string, ${values}>`;
    }
    const fields = Object.entries<Json>(properties).map(([name, field]) => {
      const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
      return `${remark(field['description'])}${key}${required.includes(name) ? '' : '?'}: ${typeOf(field)}`;
    });
    return `{\n${fields.join(';\n')}\n}`;
  },
};

/** The width of a generated comment. The formatter indents comments but does not wrap them. */
const REMARK_COLUMNS = 96;

/** Writes a description as a comment in front of a declaration. */
function remark(text: string | undefined): string {
  if (!text) return '';
  const words = text.replaceAll('*/', '* /').split(/\s+/).filter(Boolean);
  const lines = [''];
  for (const word of words) {
    const line = lines.at(-1)!;
    if (line && line.length + word.length >= REMARK_COLUMNS) lines.push(word);
    else lines[lines.length - 1] = line ? `${line} ${word}` : word;
  }
  return lines.length === 1 ? `/** ${lines[0]} */\n` : `/**\n${lines.map((line) => ` * ${line}\n`).join('')} */\n`;
}
