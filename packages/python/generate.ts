// Generates the operations and models of the Python client from a gateway's `/openapi.json`.
import {
  listOperations,
  listReachable,
  listSchemas,
  nameOf,
  type ClientOperation,
  type Json,
  type NamedSchema,
} from '../client/generate.ts';
import { amountsIn } from '../php/generate.ts';

const COLUMNS = 112;

/** Field names that Python's class syntax does not take. */
const KEYWORDS = new Set(['from', 'in', 'import', 'class', 'global', 'pass', 'is']);

/** The generated files by their paths inside `packages/python/src/balcao`. */
export function writePython(document: Json): Record<string, string> {
  // A stream has no end, and the client reads whole answers.
  const groups = [...listOperations(document)].map(([group, members]): [string, ClientOperation[]] => [
    group,
    members.filter(({ group: of, name }) => `${of}.${name}` !== 'events.stream'),
  ]);
  const amounts = amountsIn(document);
  return { 'models.py': writeModels(document, groups, amounts), 'operations.py': writeOperations(groups, amounts) };
}

const HEAD = '# Generated from /openapi.json by `npm run client`: do not edit by hand.\n';

function writeOperations(groups: [string, ClientOperation[]][], amounts: Set<string>): string {
  const constants = [...amounts].sort().map((name) => `        '${name}',\n`);
  return `"""The operations of the API, by group."""
${HEAD}
from __future__ import annotations

from typing import TYPE_CHECKING, Optional

from . import models

if TYPE_CHECKING:
    from .client import Balcao, Listing

#: The fields that are amounts of money.
AMOUNTS = frozenset(
    (
${constants.join('')}    )
)


class Group:
    def __init__(self, client: Balcao) -> None:
        self._call = client.call

${groups.map(([group, members]) => writeGroup(group, members)).join('\n')}

class Operations:
    """All groups of operations."""

    def __init__(self, client: Balcao) -> None:
${groups.map(([group]) => `        self.${snake(group)} = ${classOf(group)}(client)\n`).join('')}`;
}

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const classOf = (group: string) => group[0]!.toUpperCase() + group.slice(1);

const writeGroup = (group: string, members: ClientOperation[]) =>
  `\nclass ${classOf(group)}(Group):\n${members.map(writeMethod).join('\n')}`;

/** The options of a call, and the flag of the operations that take each. */
const OPTIONS: [name: string, type: string, flag?: string][] = [
  ['idempotency_key', 'str', 'k'],
  ['prefer', 'str', 'p'],
  ['if_match', 'str'],
  ['timeout', 'float'],
];

function writeMethod(operation: ClientOperation): string {
  const { name, method, path, summary, pathParameters, body, query, result, hasBytes, item, flags } = operation;
  const ids = pathParameters.map(snake);
  const options = OPTIONS.filter(([, , flag]) => !flag || flags.includes(flag));
  const isQueryRequired = query.some(({ isRequired }) => isRequired);
  const bodyType = body && typeOf('', body.schema, IN_OPERATIONS);
  const parameters = [
    'self',
    ...ids.map((id) => `${id}: str`),
    body && (body.isRequired ? `body: ${bodyType}` : `body: Optional[${bodyType}] = None`),
    query.length > 0 && queryParameter(operation, isQueryRequired),
    '*',
    ...options.map(([option, type]) => `${option}: Optional[${type}] = None`),
  ].filter(Boolean);
  const content = result ? typeOf('', result, IN_OPERATIONS) : hasBytes ? 'bytes' : 'None';
  const answer = item ? `Listing[${typeOf('', item, IN_OPERATIONS)}, ${content}]` : content;
  const sent = [
    `'${method} ${path.replace(/\{\w+\}/g, '{}')}'`,
    `'${flags.replace(/[bq]/g, '')}'`,
    ids.length > 0 ? `(${ids.join(', ')},)` : '()',
    body ? 'body' : 'None',
    query.length > 0 ? 'query' : 'None',
    `{${options.map(([option]) => `'${option}': ${option}`).join(', ')}}`,
  ];
  return `    def ${snake(name)}(
${parameters.map((each) => `        ${each},\n`).join('')}    ) -> ${answer}:
${docstring(summary, '        ')}        return self._call(  # type: ignore[no-any-return]
${sent.map((each) => `            ${each},\n`).join('')}        )
`;
}

const queryParameter = ({ group, name }: ClientOperation, isRequired: boolean) => {
  const type = `models.${queryName(group, name)}`;
  return isRequired ? `query: ${type}` : `query: Optional[${type}] = None`;
};

/** The name of the TypedDict of an operation's query. */
const queryName = (group: string, name: string) => `${classOf(group)}${classOf(name)}Query`;

function writeModels(document: Json, groups: [string, ClientOperation[]][], amounts: Set<string>): string {
  const schemas = listSchemas(document);
  const byName = Object.fromEntries(schemas.map(({ name, schema }) => [name, schema]));
  const answers = listReachable(
    groups.flatMap(([, members]) => members.flatMap(({ result, item }) => [result, item])),
    byName,
  );
  const queries = groups.flatMap(([group, members]) =>
    members
      .filter(({ query }) => query.length > 0)
      .map(({ name, query }): NamedSchema => {
        const properties = query.map((each) => [each.name, { ...each.schema, description: each.description }]);
        const required = query.filter(({ isRequired }) => isRequired).map((each) => each.name);
        const schema = { type: 'object', properties: Object.fromEntries(properties), required };
        return { name: queryName(group, name), schema };
      }),
  );
  const known = new Set(schemas.map(({ name }) => name));
  const twice = queries.find(({ name }) => known.has(name));
  if (twice) throw new Error(`the query ${twice.name} has the name of a schema`);
  const write = ({ name, schema }: NamedSchema) =>
    writeModel(name, schema, { prefix: '', amounts, isAnswer: answers.has(name) });
  const [unions, models] = [schemas.filter(isUnion), schemas.filter((each) => !isUnion(each))];
  return `"""The models of the API. Amounts are decimal text in answers: \`'1500.00'\`."""
${HEAD}
from __future__ import annotations

from decimal import Decimal
from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

#: An amount in a request: decimal text, \`Decimal\`, or a number.
Amount = Union[str, Decimal, int, float]

${[...models, ...queries, ...unions].map(write).join('\n')}`;
}

const isUnion = ({ schema }: NamedSchema) => Boolean(schema['oneOf'] ?? schema['anyOf']);

/** Where a type is written. `prefix`: the module of named schemas. `isAnswer`: amounts are decimal text. */
type Place = { prefix: string; amounts: Set<string>; isAnswer: boolean };

const IN_OPERATIONS: Place = { prefix: 'models.', amounts: new Set(), isAnswer: true };

function writeModel(name: string, schema: Json, place: Place): string {
  if (isUnion({ name, schema })) return `\n${name} = ${typeOf('', schema, place)}\n`;
  const fields = Object.entries<Json>(schema['properties'] ?? {});
  if (fields.length === 0) return `\n${name} = ${typeOf('', schema, place)}\n`;
  const required = new Set<string>(schema['required'] ?? []);
  const must = fields.filter(([field]) => required.has(field));
  const may = fields.filter(([field]) => !required.has(field));
  const about = docstring(schema['description'], '    ');
  if (may.length === 0) return writeClass(name, 'TypedDict', about, must, place);
  if (must.length === 0) return writeClass(name, 'TypedDict, total=False', about, may, place);
  return (
    writeClass(`_${name}`, 'TypedDict', '', must, place) +
    writeClass(name, `_${name}, total=False`, about, may, place, { base: must })
  );
}

function writeClass(
  name: string,
  bases: string,
  about: string,
  fields: [string, Json][],
  place: Place,
  { base = [] }: { base?: [string, Json][] } = {},
): string {
  const isPlain = (all: [string, Json][]) => all.every(([field]) => /^\w+$/.test(field) && !KEYWORDS.has(field));
  if (isPlain([...base, ...fields])) {
    const lines = fields.map(
      ([field, value]) => `${comment(value['description'])}    ${field}: ${typeOf(field, value, place)}\n`,
    );
    return `\nclass ${name}(${bases}):\n${about && `${about}\n`}${lines.join('')}\n`;
  }
  // The syntax for field names that are keywords. It has no base, so all fields stay optional.
  if (base.length === 0 && name.startsWith('_')) return '';
  const lines = [...base, ...fields].map(([field, value]) => {
    const type = JSON.stringify(typeOf(field, value, place));
    return `${comment(value['description'], '        ')}        '${field}': ${type},\n`;
  });
  return `\n${name} = TypedDict(\n    '${name}',\n    {\n${lines.join('')}    },\n    total=False,\n)\n\n`;
}

/** Converts the JSON Schema of a field to a Python type. */
function typeOf(name: string, schema: Json, place: Place): string {
  const named = nameOf(schema);
  if (named) return place.prefix + named;
  if ('const' in schema) return literal([schema['const']]);
  if (schema['enum']) return literal(schema['enum']);
  const among: Json[] | undefined = schema['anyOf'] ?? schema['oneOf'];
  if (among) return union(among.map((each) => typeOf(name, each, place)));
  const types: string[] = [schema['type'] ?? (schema['properties'] ? 'object' : [])].flat();
  return types.length > 0 ? union(types.map((type) => simple(type, name, schema, place))) : 'Any';
}

const literal = (values: unknown[]) => `Literal[${values.map(constant).join(', ')}]`;

const CONSTANTS = new Map<unknown, string>([
  [true, 'True'],
  [false, 'False'],
  [null, 'None'],
]);

const constant = (value: unknown) => CONSTANTS.get(value) ?? JSON.stringify(value).replace(/^"([^"\\']*)"$/, "'$1'");

function union(types: string[]): string {
  const kinds = [...new Set(types)];
  if (kinds.includes('Any')) return 'Any';
  const rest = kinds.filter((type) => type !== 'None');
  const joined = rest.length > 1 ? `Union[${rest.join(', ')}]` : (rest[0] ?? 'None');
  return rest.length < kinds.length && rest.length > 0 ? `Optional[${joined}]` : joined;
}

function simple(type: string, name: string, schema: Json, place: Place): string {
  if (type === 'number') return !place.amounts.has(name) ? 'float' : place.isAnswer ? 'str' : 'Amount';
  if (type === 'array') return `List[${typeOf(name, schema['items'] ?? {}, place)}]`;
  if (type === 'object') {
    const { additionalProperties: values } = schema;
    return `Dict[str, ${values && Object.keys(values).length > 0 ? typeOf('', values, place) : 'Any'}]`;
  }
  return ({ integer: 'int', boolean: 'bool', string: 'str', null: 'None' } as Json)[type] ?? 'Any';
}

function docstring(text: string | undefined, indent: string): string {
  if (!text) return '';
  const clean = text.replaceAll('\\', '\\\\').replaceAll('"""', "'''");
  const lines = wrap(clean.endsWith('"') ? `${clean} ` : clean, COLUMNS - indent.length);
  if (lines.length === 1) return `${indent}"""${lines[0]}"""\n`;
  return `${indent}"""\n${lines.map((line) => `${indent}${line}\n`).join('')}${indent}"""\n`;
}

const comment = (text: string | undefined, indent = '    ') =>
  wrap(text ?? '', COLUMNS - indent.length - 2)
    .map((line) => `${indent}# ${line}\n`)
    .join('');

function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const last = lines.at(-1);
    if (last && last.length + word.length < columns) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
