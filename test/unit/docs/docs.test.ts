// The API reference pages: descriptions of schemas, curl commands with correct quotes, and escaped texts.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { DocsField, DocsView } from '../../../shared/docs.ts';
import { writeCurl, type CurlRequest } from '../../../server/docs/curl.ts';
import { describeDocs, type ApiDocument } from '../../../server/docs/describe.ts';
import { writeSamples } from '../../../server/docs/samples.ts';
import { describeShape, type Schema } from '../../../server/docs/shape.ts';

const { renderDocs, renderDocsTag } = (await import(
  fileURLToPath(new URL('../../../dist/ssr/docs.js', import.meta.url))
)) as typeof import('../../../checkout/docs/render.tsx');

const HOSTILE = `<script>alert(1)</script> \`<b>&\` "><img src=x onerror=alert(1)> it's $(id) \`id\``;

describe('a described schema', () => {
  test.each<[string, Schema, object]>([
    [
      'a number',
      { type: 'integer', minimum: 5, default: 7 },
      { type: 'integer', notes: ['at least 5', 'default `7`'] },
    ],
    [
      'JavaScript’s own bounds',
      { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
      { notes: ['at least 0'] },
    ],
    ['values', { type: 'string', enum: ['a', 'b'] }, { notes: ['one of `a`, `b`'] }],
    ['one value', { const: 'true' }, { type: 'string', notes: ['`true`'] }],
    [
      'null by choice',
      { anyOf: [{ type: 'integer', maximum: 4 }, { type: 'null' }] },
      { type: 'integer', notes: ['at most 4', 'may be null'] },
    ],
    ['null by type', { type: ['string', 'null'] }, { type: 'string', notes: ['may be null'] }],
    [
      'a type over a choice',
      { type: 'string', anyOf: [{ type: 'number' }, { type: 'null' }] },
      { type: 'string', notes: ['may be null'] },
    ],
    [
      'a list',
      { type: 'array', items: { type: 'string' }, maxItems: 3 },
      { type: 'array of string', notes: ['at most 3 items'] },
    ],
    ['a form', { type: 'string', format: 'uuid' }, { type: 'string (uuid)', notes: [] }],
    ['either', { anyOf: [{ type: 'string' }, { type: 'integer' }] }, { type: 'string or integer' }],
    ['anything', {}, { type: 'anything', notes: [] }],
  ])('has the right type, bounds and notes for %s', (_name, schema, words) => {
    expect(describeShape(schema, {})).toMatchObject(words);
  });

  test('resolves `$ref`, and keys next to a `$ref` take precedence', () => {
    const shape = describeShape({ $ref: '#/components/schemas/Who', description: 'Theirs' }, { Who: WHO });
    expect(shape).toMatchObject({ type: 'object', about: 'Theirs', fields: [{ name: 'id', isRequired: true }] });
  });

  test('ends at a schema that contains itself', () => {
    const schemas = { Node: { type: 'object', properties: { child: { $ref: '#/components/schemas/Node' } } } };
    const depthOf = (fields: DocsField[]): number => (fields[0] ? 1 + depthOf(fields[0].fields) : 0);
    const depth = depthOf(describeShape({ $ref: '#/components/schemas/Node' }, schemas).fields);
    expect(depth).toBeGreaterThan(3);
    expect(depth).toBeLessThan(20);
  });

  test('names the field that distinguishes alternatives', () => {
    const kind = (name: string): Schema => ({ type: 'object', properties: { kind: { const: name }, [name]: {} } });
    const { variants, fields } = describeShape({ anyOf: [kind('a'), kind('b')] }, {});
    expect(fields).toEqual([]);
    expect(variants.map(({ title }) => title)).toEqual(['Where `kind` is `a`', 'Where `kind` is `b`']);
  });
});

describe('a curl command of the API reference', () => {
  const PLAIN: CurlRequest = {
    method: 'GET',
    url: 'http://x.test/a',
    query: [],
    needsToken: false,
    isKeyed: false,
    body: null,
    answers: ['application/json'],
  };
  /** The arguments that curl gets from a shell. */
  const read = (changes: Partial<CurlRequest>, env: Record<string, string> = {}, shell = 'bash') => {
    const script = `curl() { printf '%s\\0' "$@"; }\n${writeCurl({ ...PLAIN, ...changes })}`;
    return execFileSync(shell, ['-euc', script], { env: { ...process.env, ...env } })
      .toString()
      .split('\0')
      .slice(0, -1);
  };

  test('has quoted variables', () => {
    const address = { url: 'http://x.test/{paymentId}/y', query: ['diaFim', 'to'], needsToken: true };
    expect(read(address, { PAYMENT_ID: 'a b', DIA_FIM: '1', TO: '*', TOKEN: 't' })).toEqual([
      '-s',
      'http://x.test/a b/y?diaFim=1&to=*',
      '-H',
      'Authorization: Bearer t',
    ]);
  });

  test('names the HTTP method only if curl would choose another one', () => {
    expect(read({})).toEqual(['-s', 'http://x.test/a']);
    expect(read({ method: 'POST' })).toEqual(['-s', '-X', 'POST', 'http://x.test/a']);
    expect(read({ method: 'DELETE' })).toEqual(['-s', '-X', 'DELETE', 'http://x.test/a']);
    const body = { example: { a: 1 }, isForm: false };
    expect(read({ method: 'POST', body })).not.toContain('-X');
    expect(read({ method: 'PUT', body }).slice(0, 3)).toEqual(['-s', '-X', 'PUT']);
  });

  test('sends the example unchanged', () => {
    const example = { text: HOSTILE, more: 'x'.repeat(80), list: ["'", '\\', '$HOME'] };
    const sent = read({ method: 'POST', body: { example, isForm: false } });
    expect(JSON.parse(sent.at(-1) ?? '')).toEqual(example);
    expect(read({ method: 'POST', body: { example: { text: HOSTILE }, isForm: true } }).at(-1)).toBe(`text=${HOSTILE}`);
  });

  test('keeps a stream open, and does not print an image to the terminal', () => {
    expect(read({ answers: ['text/event-stream'] })[0]).toBe('-sN');
    const kept = (url: string, ...answers: string[]) => read({ url: `http://x.test/${url}`, answers }, { A: 'a' });
    expect(kept('{a}/qrcode.svg', 'image/svg+xml').slice(1, 3)).toEqual(['-o', 'qrcode.svg']);
    expect(kept('{a}/qrcode', 'image/png', 'image/svg+xml').slice(1, 3)).toEqual(['-o', 'qrcode.png']);
    expect(kept('{a}/logo', 'image/*').slice(1, 3)).toEqual(['-o', 'logo']);
  });

  test.each(['sh', 'bash'])(
    'has a new idempotency key and the right headers each time when it is pasted into %s',
    (shell) => {
      const ask = () => read({ isKeyed: true }, {}, shell);
      const [first, second] = [ask(), ask()];
      for (const sent of [first, second]) {
        expect(sent.slice(0, 3)).toEqual(['-s', 'http://x.test/a', '-H']);
        expect(sent[3]).toMatch(/^Idempotency-Key: [0-9a-f]{16}$/);
      }
      expect(second[3]).not.toBe(first[3]);
      expect(read({})).not.toContainEqual(expect.stringContaining('Idempotency-Key'));
    },
  );
});

describe('a code sample of the API reference', () => {
  const REQUEST: CurlRequest = {
    method: 'POST',
    url: 'http://x.test/{paymentId}/y',
    query: ['to'],
    needsToken: true,
    isKeyed: true,
    body: { example: { amount: 1500.5, list: ["it's", '\\'], none: null, yes: true, empty: {} }, isForm: false },
    answers: ['application/json'],
  };
  const textOf = (language: string, changes: Partial<CurlRequest> = {}) =>
    writeSamples({ ...REQUEST, ...changes }).find((sample) => sample.language === language)?.text;

  test('is written in TypeScript', () => {
    expect(textOf('TypeScript', { called: 'payments.do', query: [] })).toBe(`import { Balcao } from '@balcao/client';

const balcao = new Balcao({ url: 'http://x.test', clientId, clientSecret });
const answer = await balcao.payments.do(paymentId, {
    amount: 1500.5,
    list: ['it\\'s', '\\\\'],
    none: null,
    yes: true,
    empty: {},
});`);
    expect(textOf('TypeScript', { called: 'a.list', url: 'http://x.test/a', query: ['to'], body: null })).toMatch(
      /a\.list\(\{ to \}\);$/,
    );
    expect(textOf('TypeScript')).toBe(undefined);
  });

  test('is written in PHP', () => {
    const headers =
      `"Authorization: Bearer $TOKEN", 'Idempotency-Key: ' . bin2hex(random_bytes(16)), ` +
      `'Content-Type: application/json'`;
    expect(textOf('PHP')).toBe(`$context = stream_context_create(['http' => [
    'method' => 'POST',
    'header' => [${headers}],
    'content' => json_encode([
        'amount' => 1500.5,
        'list' => ['it\\'s', '\\\\'],
        'none' => null,
        'yes' => true,
        'empty' => new stdClass(),
    ]),
    'ignore_errors' => true,
]]);
$answer = file_get_contents("http://x.test/$PAYMENT_ID/y?to=$TO", false, $context);`);
  });

  test('is written in Python', () => {
    expect(textOf('Python')).toBe(`import requests, uuid

answer = requests.post(
    f"http://x.test/{PAYMENT_ID}/y?to={TO}",
    headers={"Authorization": f"Bearer {TOKEN}", "Idempotency-Key": str(uuid.uuid4())},
    json={
        "amount": 1500.5,
        "list": ["it's", "\\\\"],
        "none": None,
        "yes": True,
        "empty": {},
    },
)`);
    const form = { body: { example: { grant_type: 'x' }, isForm: true }, isKeyed: false, needsToken: false };
    expect(textOf('Python', { ...form, url: 'http://x.test/t', query: [] })).toBe(`import requests

answer = requests.post(
    "http://x.test/t",
    data={"grant_type": "x"},
)`);
  });
});

describe('a documentation page', () => {
  const view: DocsView = {
    ...describeDocs(describeHostile(), { read: 5 }),
    publicUrl: 'http://x.test',
    tokenCommand: `TOKEN=${HOSTILE}`,
    tryAs: HOSTILE,
    namesCommand: null,
    script: '/assets/docs.js',
  };
  const [tag] = view.tags;

  test('escapes all text of the OpenAPI document', () => {
    const pages = [renderDocs(view), renderDocsTag(view, tag!)];
    for (const page of pages) {
      expect(page.match(/<script/g)).toHaveLength(1);
      expect(page).not.toMatch(/<img|<b>\s*&/);
      expect(page).toContain('&lt;script>alert(1)&lt;/script>');
    }
    expect(pages[1]?.match(/&lt;script>/g)?.length).toBeGreaterThan(8);
  });

  test('formats paragraphs, lists, code and problem codes', () => {
    const page = renderDocsTag(view, tag!);
    expect(page).toContain('<p>First.</p>');
    expect(page).toContain('<ul class="points"><li>one</li><li>two <code>x</code></li></ul>');
    expect(page).toContain('<a href="/problems/not_found"><code>not_found</code></a>');
    expect(page).toContain('and no_such_code');
    expect(page).toContain('an unclosed ` stays');
  });

  test('begins with the shell variables of its commands, each once', () => {
    expect(tag?.names).toEqual([
      { name: 'TOKEN', about: 'An access token, valid for one hour' },
      { name: 'THING_ID', about: HOSTILE },
    ]);
    const page = renderDocsTag(view, { ...tag!, names: tag!.names.slice(0, 1) });
    expect(page).toContain(
      '<dt><code>TOKEN</code></dt><dd><a href="/docs#begin">An access token, valid for one hour</a></dd>',
    );
    expect(renderDocsTag(view, { ...tag!, names: [] })).not.toContain('Variables');
  });
});

const WHO: Schema = { type: 'object', required: ['id'], properties: { id: { type: 'string' } } };

/** An OpenAPI document in which every written text is hostile HTML. */
function describeHostile(): ApiDocument {
  const schema: Schema = {
    type: 'object',
    properties: { [HOSTILE]: { type: HOSTILE, description: HOSTILE, enum: [HOSTILE, 'x'] } },
  };
  return {
    info: { version: HOSTILE, description: HOSTILE },
    servers: [{ url: 'http://x.test' }],
    components: { schemas: {} },
    paths: {
      [`/${HOSTILE}`]: {
        post: {
          operationId: 'doIt',
          tags: [HOSTILE],
          summary: HOSTILE,
          description: `First.\n\n- one\n- two \`x\`\n\n${HOSTILE}\n\nan unclosed \` stays`,
          security: [{ oauth2: ['payments:read'] }],
          parameters: [
            { name: HOSTILE, in: 'query', schema: { type: 'string', default: HOSTILE } },
            { name: 'thingId', in: 'path', required: true, description: HOSTILE, schema: {} },
          ],
          requestBody: { content: { 'application/json': { schema, example: { text: HOSTILE } } } },
          responses: {
            200: { description: HOSTILE, content: { 'application/json': { schema } } },
            404: { description: 'not_found and no_such_code' },
          },
        },
      },
    },
  };
}
