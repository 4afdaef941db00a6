// Generates the client's contract, `src/contract.ts`, from a gateway's `/openapi.json`.

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

/** The one-letter flag of a list endpoint, by the query parameter that selects its next page. */
const PAGED: Record<string, string> = { page: 'l', pageNumber: 'n', after: 'f' };

/** HTTP methods as one letter each, because the operations table is part of every client's bundle. */
const LETTERS: Record<string, string> = { GET: 'G', POST: 'P', PUT: 'U', DELETE: 'D' };

/** The text of `src/contract.ts`. @throws if two operations have the same name */
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
    if (twice) throw new Error(`two operations are named ${group}.${twice}: rename one in server/http/openapi.ts`);
  }
  const schemas = Object.entries<Json>(document['components'].schemas);
  const each = (write: (group: string, members: Operation[]) => string) =>
    [...groups].map(([group, members]) => write(group, members)).join('\n');
  return `// The API's types and operations. Generated from /openapi.json by \`npm run client\`: do not edit by hand.
import type { CallOptions, Listing } from './call.ts';

${schemas.map(writeType).join('\n\n')}

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

const writeType = ([name, schema]: [string, Json]) =>
  `${remark(schema['description'])}export type ${name} = ${typeOf(schema)};`;

const writeSignature = ({ summary, signature }: Operation) => `    ${remark(summary)}    ${signature}`;

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
  const response = jsonOf(responses);
  const item = !body && response?.properties?.data?.items;
  const list = item && query.map((each) => PAGED[each['name']]).find(Boolean);
  const flags = [
    takes('Idempotency-Key') && 'k',
    body && 'b',
    query.length > 0 && !body && 'q',
    takes('Prefer') && 'p',
    list,
  ];
  const isQueryRequired = query.some((each) => each['required']);
  const parametersOfMethod = [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, id]) => `${id}: string`),
    body && `body${requestBody.required ? '' : '?'}: ${typeOf(body)}`,
    query.length > 0 && !body && `query${isQueryRequired ? '' : '?'}: ${queryType(query)}`,
    'options?: CallOptions',
  ];
  const content = response ? typeOf(response) : hasBytes(responses) ? 'Uint8Array' : 'void';
  const result = list ? `Listing<${typeOf(item)}, ${content}>` : `Promise<${content}>`;
  return {
    group,
    name,
    summary,
    method,
    path: path.replace(/\{\w+\}/g, '{}'),
    flags: flags.filter(Boolean).join(''),
    signature: `${name}(${parametersOfMethod.filter(Boolean).join(', ')}): ${result};`,
  };
}

const successes = (responses: Json): Json[] =>
  Object.entries<Json>(responses).flatMap(([status, response]) => (status.startsWith('2') ? [response] : []));

/** The JSON schema of the successful response. Of several media types, the client requests JSON. */
function jsonOf(responses: Json): Json | undefined {
  return successes(responses)
    .map((response) => response['content']?.['application/json']?.schema)
    .find(Boolean);
}

const hasBytes = (responses: Json) => successes(responses).some((response) => response['content']);

function queryType(query: Json[]): string {
  const fields = query.map((each) => [each['name'], { ...each['schema'], description: each['description'] }]);
  const required = query.filter((each) => each['required']).map((each) => each['name']);
  return typeOf({ type: 'object', properties: Object.fromEntries(fields), required });
}

/** Converts a JSON Schema to a TypeScript type. Unsupported schemas become `unknown`. */
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
