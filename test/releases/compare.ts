// What would break whoever was written for an earlier release's interface document (docs/versioning.md): requests that were taken and
// are not, answers that lack what they had.

type Json = any;

/** Requests travel to us, answers from us: what may grow in one may not in the other. */
type Direction = 'request' | 'answer';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** Each break, by the place where it is met; empty: callers and receivers of before go on as they were. */
export function findBreaks(before: Json, after: Json): string[] {
  const found = new Set<string>();
  const compare = compareSchemas(before, after, (at, what) => found.add(`${at}: ${what}`));
  const walk = (name: string, old: Json, now: Json, directions: { asked: Direction; told: Direction }) => {
    if (!now) return found.add(`${name}: is gone`);
    if (old.security?.length === 0 && now.security?.length > 0) found.add(`${name}: needs a token`);
    compareParameters(name, old, now, directions.asked);
    compareBodies(`${name} body`, old.requestBody, now.requestBody, directions.asked);
    for (const [status, answer] of Object.entries<Json>(old.responses ?? {})) {
      if (!status.startsWith('2')) continue;
      compareBodies(`${name} ${status}`, answer, now.responses?.[status], directions.told);
    }
    return undefined;
  };

  function compareParameters(name: string, old: Json, now: Json, direction: Direction) {
    const keyOf = ({ in: place, name: called }: Json) => `${place} ${String(called).toLowerCase()}`;
    const follow = (document: Json, all: Json[] = []) =>
      new Map(all.map((one) => resolve(document, one)).map((one) => [keyOf(one), one]));
    const [had, has] = [follow(before, old.parameters), follow(after, now.parameters)];
    for (const [key, each] of had) {
      const same = has.get(key);
      if (same) compare(each.schema, same.schema, direction, `${name} ${key}`);
      else found.add(`${name} ${key}: is gone`);
    }
    for (const [key, { required }] of has)
      if (required && !had.get(key)?.required) found.add(`${name} ${key}: must be there now`);
  }

  function compareBodies(name: string, old: Json, now: Json, direction: Direction) {
    if (!old) return void (now?.required && found.add(`${name}: must be there now`));
    if (!now) return void found.add(`${name}: is gone`);
    if (direction === 'request' && now.required && !old.required) found.add(`${name}: must be there now`);
    for (const [type, { schema }] of Object.entries<Json>(old.content ?? {})) {
      if (!now.content?.[type]) found.add(`${name} ${type}: is gone`);
      else compare(schema, now.content[type].schema, direction, `${name} ${type}`);
    }
    for (const header of Object.keys(old.headers ?? {}))
      if (!now.headers?.[header]) found.add(`${name} header ${header}: is gone`);
  }

  for (const [path, methods] of Object.entries<Json>(before.paths))
    for (const method of METHODS)
      if (methods[method])
        walk(`${method.toUpperCase()} ${path}`, methods[method], after.paths[path]?.[method], {
          asked: 'request',
          told: 'answer',
        });
  // Merchants' servers are asked there: what they are sent is told by us, what they answer is taken by us.
  for (const [name, { post }] of Object.entries<Json>(before.webhooks ?? {}))
    walk(name, post, after.webhooks?.[name]?.post, { asked: 'answer', told: 'request' });
  return [...found].toSorted();
}

function resolve(document: Json, schema: Json): Json {
  if (!schema?.$ref) return schema;
  return schema.$ref
    .slice(2)
    .split('/')
    .reduce((at: Json, part: string) => at?.[part], document);
}

type Compare = (old: Json, now: Json, direction: Direction, at: string) => void;

function compareSchemas(before: Json, after: Json, report: (at: string, what: string) => void): Compare {
  const compared = new Set<string>();
  const compare: Compare = (old, now, direction, at) => {
    if (old?.$ref && now?.$ref) {
      const pair = `${direction} ${old.$ref} ${now.$ref}`;
      if (compared.has(pair)) return;
      compared.add(pair);
    }
    const [had, has] = [variantsOf(before, old), variantsOf(after, now)];
    const [few, many] = direction === 'request' ? [had, has] : [has, had];
    if (few.length === 1 && many.length === 1) return compareOne(had[0], has[0], direction, at);
    for (const each of few) {
      const fits = (other: Json) => {
        let breaks = 0;
        const [a, b] = direction === 'request' ? [each, other] : [other, each];
        compareSchemas(before, after, () => breaks++)({ ...a }, { ...b }, direction, at);
        return breaks === 0;
      };
      if (!many.some(fits))
        report(at, direction === 'request' ? 'one of its forms is not taken any more' : 'has a form that it had not');
    }
  };

  function compareOne(old: Json, now: Json, direction: Direction, at: string) {
    const [wide, narrow] = direction === 'request' ? [old, now] : [now, old];
    const types = (schema: Json): string[] | null => (schema?.type === undefined ? null : [schema.type].flat());
    const [most, least] = [types(wide), types(narrow)];
    const has = (type: string) => !least || least.includes(type) || (type === 'integer' && least.includes('number'));
    if (least && (!most || !most.every(has)))
      report(at, `its type was ${types(old) ?? 'any'} and is ${types(now) ?? 'any'}`);
    if (direction === 'request') compareLimits(old, now, at);
    else if (old?.format && now?.format && old.format !== now.format)
      report(at, `its format was ${old.format} and is ${now.format}`);
    for (const [name, schema] of Object.entries<Json>(old?.properties ?? {})) {
      const same = now?.properties?.[name];
      if (!same) report(`${at}/${name}`, 'is gone');
      else compare(schema, same, direction, `${at}/${name}`);
    }
    const [needs, had] = direction === 'request' ? [now?.required, old?.required] : [old?.required, now?.required];
    for (const name of needs ?? [])
      if (!had?.includes(name) && (direction === 'request' || now?.properties?.[name]))
        report(`${at}/${name}`, direction === 'request' ? 'must be there now' : 'may be missing now');
    if (old?.items && now?.items) compare(old.items, now.items, direction, `${at}/*`);
    if (typeof old?.additionalProperties === 'object' && typeof now?.additionalProperties === 'object')
      compare(old.additionalProperties, now.additionalProperties, direction, `${at}/*`);
  }

  /** Lists of values grow in answers: whoever reads them meets ones that he does not know (docs/versioning.md). */
  function compareLimits(old: Json, now: Json, at: string) {
    const listed = (schema: Json): unknown[] | null =>
      schema?.enum ?? (schema && 'const' in schema ? [schema.const] : null);
    const [values, taken] = [listed(old), listed(now)];
    for (const value of values ?? [])
      if (taken && !taken.includes(value)) report(at, `${String(value)} is not taken any more`);
    if (taken && !values) report(at, 'takes listed values only');
    for (const name of ['maximum', 'maxLength', 'maxItems'])
      if (now?.[name] < (old?.[name] ?? Infinity))
        report(at, `${name} was ${old?.[name] ?? 'open'} and is ${now[name]}`);
    for (const name of ['minimum', 'minLength', 'minItems'])
      if (now?.[name] > (old?.[name] ?? -Infinity))
        report(at, `${name} was ${old?.[name] ?? 'open'} and is ${now[name]}`);
    if (now?.pattern && now.pattern !== old?.pattern)
      report(at, `its pattern was ${old?.pattern ?? 'any'} and is ${now.pattern}`);
  }

  return compare;
}

/** The forms that a value may have. */
function variantsOf(document: Json, schema: Json): Json[] {
  const one = resolve(document, schema);
  const forms: Json[] | undefined = one?.anyOf ?? one?.oneOf;
  return forms ? forms.flatMap((form) => variantsOf(document, form)) : [one];
}

const TOLD_ONLY = new Set([
  'description',
  'summary',
  'example',
  'examples',
  'title',
  'info',
  'tags',
  'servers',
  'default',
  'readOnly',
  'deprecated',
]);

/** What of a document a comparison looks at: no words, no examples, no refusals. */
export function reduceDocument(document: Json): Json {
  const reduce = (value: Json, isNames: boolean): Json => {
    if (Array.isArray(value)) return value.map((each) => reduce(each, false));
    if (value === null || typeof value !== 'object') return value;
    const entries = Object.entries<Json>(value).filter(
      ([name]) => isNames || !(TOLD_ONLY.has(name) || name.startsWith('x-') || /^[345]\d\d$/.test(name)),
    );
    return Object.fromEntries(entries.map(([name, each]) => [name, reduce(each, name === 'properties' && !isNames)]));
  };
  const { paths, webhooks, components } = document;
  return reduce({ paths, webhooks, components: { schemas: components.schemas, headers: components.headers } }, false);
}
