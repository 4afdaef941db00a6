// Generates the operations and models of the PHP client from a gateway's `/openapi.json`.
import {
  listOperations,
  listReachable,
  listSchemas,
  nameOf,
  type ClientOperation,
  type Json,
  type QueryField,
} from '../client/generate.ts';

/** Numbers that are no amounts of money, by the names of their fields. */
const NO_AMOUNTS = new Set(['successRate', 'taxPercent', 'estado', 'Id']);

/** Alternatives of a request body that a comment lists. More would be unreadable. */
const MAX_ALTERNATIVES = 3;

/** Levels of nested objects that a comment lists. */
const MAX_DEPTH = 4;

const COLUMNS = 110;

/** The generated files by their paths inside `packages/php/src`. */
export function writePhp(document: Json): Record<string, string> {
  const groups = [...listOperations(document)].map(([group, members]): [string, ClientOperation[]] => [
    group,
    // A stream has no end, and PHP reads whole answers.
    members.filter(({ group: of, name }) => `${of}.${name}` !== 'events.stream'),
  ]);
  const schemas = Object.fromEntries(listSchemas(document).map(({ name, schema }) => [name, schema]));
  // Only schemas of answers become classes. Request bodies are arrays.
  const answers = groups.flatMap(([, members]) => members.map(({ result, item }) => [result, item]));
  return Object.fromEntries([
    ['Operations.php', writeBase(groups, document)],
    ['Api/Group.php', GROUP],
    ...groups.map(([group, members]) => [`Api/${classOf(group)}.php`, writeGroup(group, members, schemas)]),
    ...[...listReachable(answers, schemas)].map((name) => [`Model/${name}.php`, writeModel(name, schemas[name]!)]),
  ]);
}

const head = (namespace: string) =>
  `<?php\n\n// Generated from /openapi.json by \`npm run client\`: do not edit by hand.\n\n` +
  `declare(strict_types=1);\n\nnamespace ${namespace};\n`;

const GROUP = `${head('Balcao\\Api')}
use Balcao\\Client;

abstract class Group
{
    protected Client $client;

    final public function __construct(Client $client)
    {
        $this->client = $client;
    }
}
`;

const classOf = (group: string) => group[0]!.toUpperCase() + group.slice(1);

function writeBase(groups: Array<[string, ClientOperation[]]>, document: Json): string {
  const names = [...amountsIn(document)].sort();
  const properties = groups.map(([group]) => ` * @property-read Api\\${classOf(group)} $${group}`);
  return `${head('Balcao')}
/**
 * The groups of operations.
${properties.join('\n')}
 */
abstract class Operations
{
    /** The fields that are amounts of money. */
    public const AMOUNTS = [
${names.map((name) => `        '${name}' => true,`).join('\n')}
    ];
    private const GROUPS = [
${groups.map(([group]) => `        '${group}' => Api\\${classOf(group)}::class,`).join('\n')}
    ];
    /** @var array<string, Api\\Group> */
    private array $groups = [];

    public function __get(string $name): Api\\Group
    {
        if (!isset(self::GROUPS[$name])) {
            throw new \\InvalidArgumentException("no group of operations is called $name");
        }
        $class = self::GROUPS[$name];
        return $this->groups[$name] = $this->groups[$name] ?? new $class($this);
    }
}
`;
}

/** The names of fields that are numbers with decimals, at any place of the document's schemas. */
export function amountsIn(node: unknown, names = new Set<string>()): Set<string> {
  if (Array.isArray(node)) for (const each of node) amountsIn(each, names);
  else if (node && typeof node === 'object')
    for (const [key, value] of Object.entries(node as Json)) {
      if (key === 'example' || key === 'examples') continue;
      if (key === 'properties')
        for (const [name, field] of Object.entries<Json>(value)) if (isAmount(name, field)) names.add(name);
      amountsIn(value, names);
    }
  return names;
}

const isAmount = (name: string, schema: Json): boolean =>
  !NO_AMOUNTS.has(name) &&
  ([schema['type']].flat().includes('number') ||
    (schema['anyOf'] ?? schema['oneOf'] ?? []).some((each: Json) => isAmount(name, each)));

function writeGroup(group: string, members: ClientOperation[], schemas: Json): string {
  return `${head('Balcao\\Api')}
use Balcao\\Listing;
use Balcao\\Model;
use Balcao\\Result;

final class ${classOf(group)} extends Group
{
${members.map((each) => writeMethod(each, schemas)).join('\n')}}
`;
}

function writeMethod(operation: ClientOperation, schemas: Json): string {
  const { name, method, path, summary, pathParameters, body, query, result, hasBytes, item, flags } = operation;
  const isQueryRequired = query.some(({ isRequired }) => isRequired);
  const named = nameOf(result);
  const isList = result?.['type'] === 'array';
  const type = item ? 'Listing' : named ? `Model\\${named}` : result ? (isList ? 'array' : 'Result') : null;
  const returned = hasBytes ? 'string' : (type ?? 'void');
  const kinds = { schemas, depth: 0, indent: '     *   ' };
  const comment = [
    ...wrap(summary, '     * '),
    ...pathParameters.map((id) => `     * @param string $${id}`),
    body && `     * @param ${typeOf('', body.schema, kinds)}${body.isRequired ? '' : '|null'} $body`,
    query.length > 0 && `     * @param ${queryType(query, kinds)} $query`,
    `     * @param array<string, mixed> $options ${optionsOf(flags)}`,
    item && `     * @return Listing<${nameOf(item) ? `Model\\${nameOf(item)}` : 'Result'}>`,
    '     * @throws \\Balcao\\Error',
  ];
  const parameters = [
    ...pathParameters.map((id) => `string $${id}`),
    body && (body.isRequired ? 'array $body' : '?array $body = null'),
    query.length > 0 && (isQueryRequired ? 'array $query' : 'array $query = []'),
    'array $options = []',
  ];
  const called = [
    `'${method} ${path.replace(/\{\w+\}/g, '{}')}'`,
    `'${flags.replace(/[bq]/g, '')}'`,
    named ? `Model\\${named}::class` : 'Result::class',
    `[${pathParameters.map((id) => `$${id}`).join(', ')}]`,
    body ? '$body' : 'null',
    query.length > 0 ? '$query' : '[]',
    '$options',
  ];
  const call = `${returned === 'void' ? '' : 'return '}$this->client->call(`;
  const line = `        ${call}${called.join(', ')});`;
  const lines =
    line.length <= 120 ? line : `        ${call}\n            ${called.join(',\n            ')}\n        );`;
  const declare = (begin: string, separator: string, end: string) =>
    `    public function ${name}(${begin}${parameters.filter(Boolean).join(separator)}${end}): ${returned}`;
  const signature = declare('', ', ', '');
  const broken = `${declare('\n        ', ',\n        ', '\n    ')} {`;
  const declaration = signature.length <= 120 ? `${signature}\n    {` : broken;
  return `    /**
${comment.filter(Boolean).join('\n')}
     */
${declaration}
${lines}
    }
`;
}

const optionsOf = (flags: string) =>
  [flags.includes('k') && 'idempotency_key', flags.includes('p') && 'prefer', 'if_match', 'timeout']
    .filter(Boolean)
    .join(', ');

function writeModel(name: string, schema: Json): string {
  const fields = Object.entries<Json>(schema['properties'] ?? {}).filter(([field]) => /^[A-Za-z_]\w*$/.test(field));
  const kinds = { schemas: null, depth: 0, indent: ' *   ' };
  const properties = fields.flatMap(([field, value]) =>
    wrap(`@property-read ${typeOf(field, value, kinds)} $${field} ${value['description'] ?? ''}`, ' * ', '   '),
  );
  const nested = fields.flatMap(([field, value]) => {
    const inner = [value, value['items'], ...(value['anyOf'] ?? [])].map((each) => each && nameOf(each)).find(Boolean);
    return inner ? [`        '${field}' => ${inner}::class,\n`] : [];
  });
  const comment = [...wrap(schema['description'] ?? '', ' * '), ...properties];
  return `${head('Balcao\\Model')}
use Balcao\\Result;
${comment.length > 0 ? `\n/**\n${comment.join('\n')}\n */` : ''}
final class ${name} extends Result
{
${nested.length > 0 ? `    public const NESTED = [\n${nested.join('')}    ];\n` : ''}}
`;
}

/** Where a type is written. `schemas` expands named schemas in request bodies. Null: answers name the class. */
type Place = { schemas: Json | null; depth: number; indent: string };

function queryType(query: QueryField[], place: Place): string {
  const properties = Object.fromEntries(
    query.map(({ name, schema, description }) => [name, { ...schema, description }]),
  );
  const required = query.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return typeOf('', { type: 'object', properties, required }, place);
}

/** Converts the JSON Schema of a field to a type of a comment. */
function typeOf(name: string, schema: Json, place: Place): string {
  const named = nameOf(schema);
  if (named) return place.schemas ? typeOf(name, place.schemas[named], place) : named;
  if ('const' in schema) return literal(schema['const']);
  if (schema['enum']) return enumOf(schema['enum']);
  const among: Json[] | undefined = schema['anyOf'] ?? schema['oneOf'];
  if (among && among.length > MAX_ALTERNATIVES) return place.schemas ? 'array<string, mixed>' : 'mixed';
  if (among) return [...new Set(among.map((each) => typeOf(name, each, place)))].join('|');
  const types: string[] = [schema['type'] ?? (schema['properties'] ? 'object' : [])].flat();
  return types.map((type) => writeType(type, name, schema, place)).join('|') || 'mixed';
}

/** A longer list of values would fill several lines of each model. */
const MAX_ENUM = 90;

function enumOf(values: unknown[]): string {
  const text = values.map(literal).join('|');
  if (text.length <= MAX_ENUM) return text;
  return values.includes(null) ? 'string|null' : 'string';
}

const literal = (value: unknown) =>
  typeof value === 'string' ? `'${value.replaceAll('\t', '\\t')}'` : JSON.stringify(value);

function writeType(type: string, name: string, schema: Json, place: Place): string {
  if (type === 'number') return NO_AMOUNTS.has(name) ? 'float' : place.schemas ? 'string|int|float' : 'string';
  if (type === 'array')
    return place.schemas ? arrayOf(name, schema, place) : `list<${typeOf(name, schema['items'] ?? {}, place)}>`;
  if (type === 'object') return place.schemas ? shapeOf(schema, place) : 'Result';
  return ({ integer: 'int', boolean: 'bool', string: 'string', null: 'null' } as Json)[type] ?? 'mixed';
}

const arrayOf = (name: string, { items = {} }: Json, place: Place) => `list<${typeOf(name, items, place)}>`;

function shapeOf({ properties = {}, required = [] }: Json, place: Place): string {
  const fields = Object.entries<Json>(properties);
  if (fields.length === 0 || place.depth >= MAX_DEPTH) return 'array<string, mixed>';
  const inner = { ...place, depth: place.depth + 1, indent: `${place.indent}  ` };
  const lines = fields.map(([name, field]) => {
    const key = /^\w+$/.test(name) ? name : `'${name}'`;
    return `${place.indent}${key}${required.includes(name) ? '' : '?'}: ${typeOf(name, field, inner)},`;
  });
  return `array{\n${lines.join('\n')}\n${place.indent.slice(0, -2)}}`;
}

/** Breaks a text into the lines of a comment. */
function wrap(text: string, begin: string, next = ''): string[] {
  const lines: string[] = [];
  for (const word of text.replaceAll('*/', '* /').split(/\s+/).filter(Boolean)) {
    const last = lines.at(-1);
    if (last && last.length + word.length < COLUMNS) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`${begin}${lines.length > 0 ? next : ''}${word}`);
  }
  return lines;
}
