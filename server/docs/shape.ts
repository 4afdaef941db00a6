// Converts a JSON schema of the OpenAPI document to a readable shape: the type in words, the limits, and the fields.
import type { DocsField, DocsShape } from '../../shared/docs.ts';

/** The part of JSON Schema that the OpenAPI document uses. */
export type Schema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  enum?: unknown[];
  /** The known values of a text to which later releases may add. */
  'x-extensible-enum'?: string[];
  const?: unknown;
  default?: unknown;
  format?: string;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
};

export type Schemas = Record<string, Schema>;

/** The deepest level of fields that is described, since a schema may contain itself. */
const MAX_DEPTH = 8;

/** Describes a JSON schema. @param schemas the named schemas that `$ref` refers to */
export function describeShape(schema: Schema, schemas: Schemas, depth = 0): DocsShape {
  const { options, isNullable, ...own } = openSchema(schema, schemas);
  const shape = options.length > 1 ? describeChoice(own, options, schemas, depth) : describeOne(own, schemas, depth);
  return isNullable ? { ...shape, notes: [...shape.notes, 'may be null'] } : shape;
}

/** Returns the fields of an object's schema, in the schema's order. */
export function listFields(schema: Schema, schemas: Schemas, depth = 0): DocsField[] {
  if (depth > MAX_DEPTH) return [];
  const required = new Set(schema.required);
  return Object.entries(schema.properties ?? {}).map(([name, each]) => ({
    name,
    isRequired: required.has(name),
    ...describeShape(each, schemas, depth + 1),
  }));
}

type Opened = Schema & { options: Schema[]; isNullable: boolean };

/**
 * Resolves `$ref`, and separates `null` from the other options.
 * With one remaining option, the two schemas are merged, and the outer one takes precedence.
 */
function openSchema(schema: Schema, schemas: Schemas): Opened {
  const { $ref, ...other } = schema;
  const own: Schema = $ref ? { ...schemas[$ref.split('/').at(-1) ?? ''], ...other } : other;
  const types = [own.type ?? []].flat();
  const isNull = (each: Schema) => each.type === 'null';
  const choice = own.oneOf ?? own.anyOf ?? [];
  const isNullable = types.includes('null') || choice.some(isNull);
  const options = choice.filter((each) => !isNull(each));
  const [only] = options;
  if (only && options.length === 1) {
    const { anyOf: _, ...rest } = own;
    const opened = openSchema(only, schemas);
    return { ...opened, ...rest, isNullable: isNullable || opened.isNullable };
  }
  const type = types.filter((each) => each !== 'null').join(' or ');
  return { ...own, ...(type && { type }), options, isNullable };
}

function describeOne(schema: Schema, schemas: Schemas, depth: number): DocsShape {
  const base = { about: schema.description ?? '', notes: noteLimits(schema) };
  if (schema.items) {
    const { type, about, notes, fields, variants } = describeShape(schema.items, schemas, depth);
    const inner = { about: base.about || about, notes: [...base.notes, ...notes] };
    return { ...inner, type: `array of ${type}`, fields, variants };
  }
  const type = [schema.type ?? (schema.const === undefined ? 'anything' : typeof schema.const)].flat().join(' or ');
  return {
    ...base,
    type: schema.format ? `${type} (${schema.format})` : type,
    fields: listFields(schema, schemas, depth),
    variants: [],
  };
}

/** Describes a choice of schemas. The title of an option names its fields with a fixed value, such as `kind`. */
function describeChoice(schema: Schema, options: Schema[], schemas: Schemas, depth: number): DocsShape {
  const shapes = options.map((option) => describeShape(option, schemas, depth));
  const variants = shapes
    .map(({ fields, variants: inner }, n) => ({
      title: nameVariant(openSchema(options[n] ?? {}, schemas), n),
      fields,
      inner,
    }))
    .flatMap(({ title, fields, inner }) => (inner.length > 0 ? inner : fields.length > 0 ? [{ title, fields }] : []));
  return {
    type: [...new Set(shapes.map(({ type }) => type))].join(' or '),
    about: schema.description ?? '',
    notes: [...noteLimits(schema), ...(variants.length === 0 ? shapes.flatMap(({ notes }) => notes) : [])],
    fields: [],
    variants,
  };
}

function nameVariant(option: Schema | undefined, n: number): string {
  const fixed = Object.entries(option?.properties ?? {}).flatMap(([name, { const: value, enum: values = [] }]) => {
    const only = value ?? (values.length === 1 ? values[0] : undefined);
    return only === undefined ? [] : [`\`${name}\` is \`${only}\``];
  });
  return fixed.length > 0 ? `Where ${fixed.join(' and ')}` : `Form ${n + 1}`;
}

/** Lists the limits of a schema. The description has the characters and the length of a text. */
function noteLimits(schema: Schema): string[] {
  const { enum: closed, 'x-extensible-enum': known, const: only, default: usual } = schema;
  const values = closed ?? known;
  const show = (value: unknown) => `\`${typeof value === 'object' ? JSON.stringify(value) : String(value)}\``;
  const notes = [
    only !== undefined && show(only),
    values && noteValues(values.filter((value) => value !== null).map(show)),
    noteRange(schema.minimum, schema.maximum, ''),
    noteRange(schema.minItems, schema.maxItems, ' items'),
    usual !== undefined && `default ${show(usual)}`,
  ];
  return notes.filter((note) => typeof note === 'string');
}

const noteValues = (values: string[]) => (values.length > 1 ? `one of ${values.join(', ')}` : (values[0] ?? null));

/** True for a rule of the API. False for bounds that are only the limits of JavaScript's integers. */
const isRule = (bound: number | undefined) => bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER;

function noteRange(least: number | undefined, most: number | undefined, unit: string): string | null {
  if (isRule(least) && isRule(most)) return least === most ? `${least}${unit}` : `${least} to ${most}${unit}`;
  if (isRule(most)) return `at most ${most}${unit}`;
  return isRule(least) ? `at least ${least}${unit}` : null;
}
