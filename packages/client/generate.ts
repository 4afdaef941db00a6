// Writes the client's contract, `src/contract.ts`, out of a gateway's `/openapi.json`: types, and a table of the operations.

type Json = Record<string, any>;
type Operation = {
  group: string;
  name: string;
  path: string;
  method: string;
  flags: string;
  signature: string;
  summary: string;
};

/** By which parameter a list goes on. */
const PAGED: Record<string, string> = { page: 'l', pageNumber: 'n', after: 'f' };

/** Methods by a letter: the table travels with every client. */
const LETTERS: Record<string, string> = { GET: 'G', POST: 'P', PUT: 'U', DELETE: 'D' };

/** The text of `src/contract.ts`. @throws when two operations would have one name */
export function writeContract(document: Json): string {
  const operations = Object.entries<Json>(document['paths']).flatMap(([path, methods]) =>
    Object.entries<Json>(methods)
      .filter(([, operation]) => operation['x-client'])
      .map(([method, operation]) => describeOperation(path, method.toUpperCase(), operation)),
  );
  const groups = Map.groupBy(operations, ({ group }) => group);
  for (const [group, members] of groups) {
    const names = members.map(({ name }) => name);
    const twice = names.find((name, nth) => names.indexOf(name) !== nth);
    if (twice) throw new Error(`two operations are ${group}.${twice}: name one of them in server/http/openapi.ts`);
  }
  const schemas = Object.entries<Json>(document['components'].schemas);
  const each = (write: (group: string, members: Operation[]) => string) =>
    [...groups].map(([group, members]) => write(group, members)).join('\n');
  return `// The gateway's contract as its /openapi.json says it: written by \`npm run client\`, never by hand.
import type { CallOptions, Listing } from './call.ts';

${schemas.map(([name, schema]) => `${remark(schema['description'])}export type ${name} = ${typeOf(schema)};`).join('\n\n')}

/** Every operation, by group and name. */
export interface Api {
${each((group, members) => `  ${group}: {\n${members.map(({ summary, signature }) => `    ${remark(summary)}    ${signature}`).join('\n')}\n  };`)}
}

/**
 * A group's first words are where its paths begin; then each name, its method with the rest of its path, and perhaps letters: k takes
 * an Idempotency-Key, b a body, q a query, p answers whole where that is preferred; a list goes on by l \`page\`, n \`pageNumber\`,
 * f \`after\`.
 */
export const OPERATIONS: Record<string, string> = {
${each(writeGroup)}
};
`;
}

function writeGroup(group: string, members: Operation[]): string {
  const begin = members
    .map(({ path }) => path.split('/'))
    .reduce((one, other) => one.slice(0, firstOther(one, other)))
    .join('/');
  const lines = members.map(
    ({ name, method, path, flags }) => ` ${name} ${LETTERS[method]}${path.slice(begin.length)}${flags && `:${flags}`}`,
  );
  return `  ${group}:\n    '${begin}' +\n${lines.map((line) => `    '${line}'`).join(' +\n')},`;
}

const firstOther = (one: string[], other: string[]) => {
  const at = one.findIndex((part, nth) => part !== other[nth]);
  return at < 0 ? one.length : at;
};

function describeOperation(path: string, method: string, operation: Json): Operation {
  const { 'x-client': called, summary, parameters = [], requestBody, responses } = operation;
  const [group, name] = called.split('.');
  const of = (place: string): Json[] => parameters.filter((each: Json) => each['in'] === place);
  const takes = (header: string) => of('header').some((each) => each['name'] === header);
  const query = of('query');
  const body = requestBody?.content['application/json']?.schema;
  const answer = answerOf(responses);
  const item = !body && answer?.properties?.data?.items;
  const list = item && query.map((each) => PAGED[each['name']]).find(Boolean);
  const flags = [
    takes('Idempotency-Key') && 'k',
    body && 'b',
    query.length > 0 && !body && 'q',
    takes('Prefer') && 'p',
    list,
  ];
  const isAsked = query.some((each) => each['required']);
  const given = [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, id]) => `${id}: string`),
    body && `body${requestBody.required ? '' : '?'}: ${typeOf(body)}`,
    query.length > 0 && !body && `query${isAsked ? '' : '?'}: ${queryType(query)}`,
    'options?: CallOptions',
  ];
  const told = answer ? typeOf(answer) : hasBytes(responses) ? 'Uint8Array' : 'void';
  const result = list ? `Listing<${typeOf(item)}, ${told}>` : `Promise<${told}>`;
  return {
    group,
    name,
    summary,
    method,
    path: path.replace(/\{\w+\}/g, '{}'),
    flags: flags.filter(Boolean).join(''),
    signature: `${name}(${given.filter(Boolean).join(', ')}): ${result};`,
  };
}

const successes = (responses: Json): Json[] =>
  Object.entries<Json>(responses).flatMap(([status, answer]) => (status.startsWith('2') ? [answer] : []));

/** The answer as JSON: the client prefers it wherever there are others. */
function answerOf(responses: Json): Json | undefined {
  return successes(responses)
    .map((answer) => answer['content']?.['application/json']?.schema)
    .find(Boolean);
}

const hasBytes = (responses: Json) => successes(responses).some((answer) => answer['content']);

function queryType(query: Json[]): string {
  const fields = query.map((each) => [each['name'], { ...each['schema'], description: each['description'] }]);
  const required = query.filter((each) => each['required']).map((each) => each['name']);
  return typeOf({ type: 'object', properties: Object.fromEntries(fields), required });
}

/** A JSON Schema as a type. What it does not know is `unknown`, which nobody can use by mistake. */
function typeOf(schema: Json): string {
  if (schema['$ref']) return schema['$ref'].split('/').at(-1);
  if ('const' in schema) return JSON.stringify(schema['const']);
  if (schema['enum']) return schema['enum'].map((value: unknown) => JSON.stringify(value)).join(' | ');
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
    // A schema without fields is an object of the merchant's own, or one whose fields depend on its kind.
    if (Object.keys(properties ?? {}).length === 0)
      return `Record<string, ${Object.keys(additionalProperties ?? {}).length > 0 ? typeOf(additionalProperties) : 'unknown'}>`;
    const fields = Object.entries<Json>(properties).map(
      ([name, field]) =>
        `${remark(field['description'])}${/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${typeOf(field)}`,
    );
    return `{\n${fields.join(';\n')}\n}`;
  },
};

function remark(text: string | undefined): string {
  return text ? `/** ${text.replaceAll('*/', '* /').replaceAll('\n', ' ')} */\n` : '';
}
