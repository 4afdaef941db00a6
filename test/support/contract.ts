// Compares the status, headers and body of every response to a test's client with the OpenAPI document.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describeApi } from '../../server/http/openapi.ts';
import type { Route } from '../../server/http/route.ts';

type Answered = { method: string; path: string; status: number; headers: Headers; text: string };

/** Headers that every response may have. */
const ORDINARY = new Set(
  `connection content-encoding content-language content-length content-type date keep-alive cache-control etag
   last-modified transfer-encoding vary allow content-disposition content-security-policy cross-origin-opener-policy
   cross-origin-resource-policy origin-agent-cluster referrer-policy strict-transport-security x-content-type-options
   x-dns-prefetch-control x-download-options x-frame-options x-permitted-cross-domain-policies x-xss-protection
   cross-origin-embedder-policy permissions-policy x-accel-buffering x-robots-tag content-range accept-ranges pragma
   expires access-control-allow-origin access-control-allow-headers access-control-allow-methods
   access-control-expose-headers access-control-max-age access-control-allow-credentials`.split(/\s+/),
);

type Schema = { [key: string]: any };
type Operation = { pattern: RegExp; pointer: string; responses: Record<string, Schema>; isLiteral: boolean };
type Contract = {
  document: Schema;
  operations: Map<string, Operation[]>;
  ajv: Ajv2020;
  validators: Map<string, ValidateFunction>;
};

const contracts = new Map<string, Contract>();
const byRoutes = new WeakMap<Route[], Contract>();

/** Returns how a response differs from the document, or null. Paths outside of the document have no difference. */
export function findBreach(routes: Route[], answered: Answered): string | null {
  const contract = byRoutes.get(routes) ?? remember(routes);
  const path = answered.path.replace(/[?#].*$/s, '');
  const plain = path.endsWith('.csv') ? path.slice(0, -4) : path;
  const operation = contract.operations
    .get(answered.method.toLowerCase())
    ?.find(({ pattern }) => pattern.test(path) || pattern.test(plain));
  // The OpenAPI document does not describe internal errors (500).
  if (!operation || answered.status === 500) return null;
  const response = operation.responses[answered.status];
  if (!response) return `status ${answered.status} is not documented`;
  return findHeaderBreach(contract, response, answered) ?? findBodyBreach(contract, operation, response, answered);
}

function findHeaderBreach({ document }: Contract, response: Schema, { headers }: Answered): string | null {
  const described = Object.entries((response.headers ?? {}) as Schema).map(([name, { $ref, ...own }]) => {
    const header: Schema = $ref ? document.components.headers[$ref.split('/').at(-1)] : own;
    return { name: name.toLowerCase(), header, value: headers.get(name) };
  });
  const known = new Set(described.map(({ name }) => name));
  const strange = [...headers.keys()].filter((name) => !ORDINARY.has(name) && !known.has(name));
  if (strange.length > 0) return `headers ${strange.join(', ')} are not documented`;
  const missing = described.filter(({ header, value }) => header.required && value === null);
  if (missing.length > 0) return `headers ${missing.map(({ name }) => name).join(', ')} are missing`;
  const wrong = described.filter(({ header, value }) => value !== null && !isHeaderOf(header.schema, value));
  return wrong.length > 0
    ? `headers ${wrong.map(({ name, value }) => `${name}: ${value}`).join(', ')} are of another type`
    : null;
}

function isHeaderOf({ type, const: only }: Schema, value: string): boolean {
  if (only !== undefined) return value === only;
  return type !== 'integer' || /^\d+$/.test(value);
}

function findBodyBreach(
  { ajv, validators }: Contract,
  { pointer }: Operation,
  response: Schema,
  { status, headers, text }: Answered,
): string | null {
  const type = (headers.get('content-type') ?? '').replace(/;.*$/s, '');
  if (text === '') return null;
  const content = response.content?.[type] ?? response.content?.[type.replace(/\/.*/, '/*')];
  if (!content) return `media type ${type || 'none'} of ${status} is not documented`;
  if (!type.endsWith('json') || !content.schema) return null;
  const at = `${pointer}/responses/${status}/content/${escape(type)}/schema`;
  let validate = validators.get(at);
  if (!validate) validators.set(at, (validate = ajv.compile({ $ref: `api.json#${at}` })));
  if (validate(JSON.parse(text))) return null;
  const messages = (validate.errors ?? []).slice(0, 5).map(({ instancePath, message, params }) => {
    return `${instancePath || '/'} ${message} ${JSON.stringify(params)}`;
  });
  return messages.join('; ');
}

const escape = (name: string) => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));

function remember(routes: Route[]): Contract {
  const key = routes.map(({ method, path }) => `${method} ${path}`).join(' ');
  const contract = contracts.get(key) ?? read(describeApi(routes, 'https://gateway.example') as Schema);
  contracts.set(key, contract);
  byRoutes.set(routes, contract);
  return contract;
}

function read(document: Schema): Contract {
  const closed = close(JSON.parse(JSON.stringify(document))) as Schema;
  const ajv = new Ajv2020({ strict: false, allErrors: false, validateSchema: false });
  addFormats.default(ajv);
  ajv.addSchema(closed, 'api.json');
  const operations = new Map<string, Operation[]>();
  for (const [path, methods] of Object.entries(closed.paths as Schema))
    for (const [method, { responses }] of Object.entries(methods as Schema)) {
      const text = path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{[^}]+\}/g, '[^/]+');
      const pointer = `/paths/${escape(path)}/${method}`;
      const operation = { pattern: new RegExp(`^${text}$`), pointer, responses, isLiteral: !path.includes('{') };
      operations.set(method, [...(operations.get(method) ?? []), operation]);
    }
  for (const list of operations.values()) list.sort((a, b) => Number(b.isLiteral) - Number(a.isLiteral));
  return { document: closed, operations, ajv, validators: new Map() };
}

/** Forbids undocumented fields. Clients must accept them, since later releases add fields. */
function close(node: unknown, isPart = false): unknown {
  if (Array.isArray(node)) return node.map((each) => close(each));
  if (typeof node !== 'object' || node === null) return node;
  const schema = node as Schema;
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'allOf') schema[key] = (value as unknown[]).map((each) => close(each, true));
    else if (key !== 'example' && key !== 'examples' && key !== 'enum' && key !== 'const') schema[key] = close(value);
  }
  const isObject = 'properties' in schema && schema.type === 'object';
  if (isObject && !isPart && schema.additionalProperties === undefined) schema.unevaluatedProperties = false;
  if ('allOf' in schema && !isPart) schema.unevaluatedProperties = false;
  return schema;
}

/** Checks one response against the OpenAPI document. @throws if the response differs */
export function expectContract(routes: Route[], answered: Answered): void {
  const breach = findBreach(routes, answered);
  if (!breach) return;
  const { method, path, status, text } = answered;
  throw new Error(
    `not as the interface document says: ${method} ${path} → ${status}: ${breach}\n${text.slice(0, 500)}`,
  );
}
