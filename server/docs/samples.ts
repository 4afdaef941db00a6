// Writes a request of the OpenAPI document in the languages of merchants' backends.
// The reader's own values have the same names as in the curl command, in capitals.
import { writeAddress, type CurlRequest } from './curl.ts';

export type Sample = { language: string; text: string };

/** Writes samples of a request for TypeScript (`@balcao/client`), PHP (streams) and Python (`requests`). */
export function writeSamples(request: CurlRequest): Sample[] {
  return [
    ...(request.called ? [{ language: 'TypeScript', text: writeTypeScript(request, request.called) }] : []),
    { language: 'PHP', text: writePhp(request) },
    { language: 'Python', text: writePython(request) },
  ];
}

/** Writes a client call. Its arguments are the ids of the path, then the body or the required query fields. */
function writeTypeScript({ url, query, body }: CurlRequest, called: string): string {
  const ids = [...url.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
  const args = [
    ...ids,
    ...(body ? [writeValue(body.example, TYPESCRIPT)] : query.length > 0 ? [enclose('{ ', query, ' }')] : []),
  ];
  return [
    "import { Balcao } from '@balcao/client';",
    '',
    `const balcao = new Balcao({ url: '${new URL(url.replace(/[{}]/g, '')).origin}', clientId, clientSecret });`,
    `const answer = await balcao.${called}(${args.join(', ')});`,
  ].join('\n');
}

function writePython(request: CurlRequest): string {
  const { method, needsToken, isKeyed, body } = request;
  const headers = [
    needsToken && `"Authorization": f"Bearer {TOKEN}"`,
    isKeyed && `"Idempotency-Key": str(uuid.uuid4())`,
  ].filter((each) => each !== false);
  const address = writeAddress(request, (name) => `{${name}}`);
  const args = [
    `${address.includes('{') ? 'f' : ''}"${address}"`,
    ...(headers.length > 0 ? [`headers={${headers.join(', ')}}`] : []),
    ...(body ? [`${body.isForm ? 'data' : 'json'}=${indent(writePythonValue(body.example), 4)}`] : []),
  ];
  return [
    `import requests${isKeyed ? ', uuid' : ''}`,
    '',
    `answer = requests.${method.toLowerCase()}(`,
    ...args.map((each) => `    ${each},`),
    ')',
  ].join('\n');
}

function writePhp(request: CurlRequest): string {
  const { method, needsToken, isKeyed, body } = request;
  const headers = [
    needsToken && `"Authorization: Bearer $TOKEN"`,
    isKeyed && `'Idempotency-Key: ' . bin2hex(random_bytes(16))`,
    body && `'Content-Type: ${body.isForm ? 'application/x-www-form-urlencoded' : 'application/json'}'`,
  ].filter((each) => typeof each === 'string');
  const content = body && `${body.isForm ? 'http_build_query' : 'json_encode'}(${writePhpValue(body.example)})`;
  const parts = [
    `'method' => '${method}'`,
    ...(headers.length > 0 ? [`'header' => [${headers.join(', ')}]`] : []),
    ...(content ? [`'content' => ${indent(content, 4)}`] : []),
    `'ignore_errors' => true`,
  ];
  const address = writeAddress(request, (name) => `$${name}`);
  const quoted = address.includes('$') ? `"${address}"` : `'${address}'`;
  return [
    "$context = stream_context_create(['http' => [",
    ...parts.map((each) => `    ${each},`),
    ']]);',
    `$answer = file_get_contents(${quoted}, false, $context);`,
  ].join('\n');
}

function indent(text: string, by: number): string {
  return text.replaceAll('\n', `\n${' '.repeat(by)}`);
}

type Writer = {
  text(text: string): string;
  word(value: boolean | null): string;
  list(items: string[]): string;
  pair(name: string, value: string): string;
  object(pairs: string[]): string;
};

/** Writes a JSON value as a literal of the sample's language. Long objects and arrays use several lines. */
function writeValue(value: unknown, as: Writer): string {
  if (typeof value === 'string') return as.text(value);
  if (typeof value === 'number') return String(value);
  if (value === null || typeof value === 'boolean') return as.word(value);
  if (Array.isArray(value)) return as.list(value.map((each) => writeValue(each, as)));
  const pairs = Object.entries(value as object).map(([name, each]) => as.pair(as.text(name), writeValue(each, as)));
  return as.object(pairs);
}

/** The longest object or array on one line. */
const MAX_LINE = 70;

function enclose(open: string, parts: string[], close: string): string {
  const short = `${open}${parts.join(', ')}${close}`;
  if (short.length <= MAX_LINE && !short.includes('\n')) return short;
  return `${open.trim()}\n${parts.map((part) => `    ${indent(part, 4)},\n`).join('')}${close.trim()}`;
}

const PYTHON: Writer = {
  text: (text) => JSON.stringify(text),
  word: (value) => (value === null ? 'None' : value ? 'True' : 'False'),
  list: (items) => enclose('[', items, ']'),
  pair: (name, value) => `${name}: ${value}`,
  object: (pairs) => enclose('{', pairs, '}'),
};

const TYPESCRIPT: Writer = {
  text: (text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`,
  word: (value) => String(value),
  list: (items) => enclose('[', items, ']'),
  pair: (name, value) => `${/^'[A-Za-z_$][\w$]*'$/.test(name) ? name.slice(1, -1) : name}: ${value}`,
  object: (pairs) => (pairs.length === 0 ? '{}' : enclose('{ ', pairs, ' }')),
};

const PHP: Writer = {
  text: (text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`,
  word: (value) => String(value),
  list: (items) => enclose('[', items, ']'),
  pair: (name, value) => `${name} => ${value}`,
  // In PHP, an empty array would become a JSON array, so an empty object needs `stdClass`.
  object: (pairs) => (pairs.length === 0 ? 'new stdClass()' : enclose('[', pairs, ']')),
};

const writePythonValue = (value: unknown) => writeValue(value, PYTHON);
const writePhpValue = (value: unknown) => writeValue(value, PHP);
