// The examples of the OpenAPI document match their schemas, and two common linters accept the document.
import type { RulesetDefinition } from '@stoplight/spectral-core';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { writeDocument } from '../../../server/docs/document.ts';
import { drawQrSvg } from '../../../server/exports/qr-image.ts';
import { describeWebhooks } from '../../../server/webhooks/document.ts';
import { declaredRoutes } from '../../support/declared.ts';
import { readText, ROOT } from '../../support/source.ts';

const text = JSON.stringify(writeDocument(declaredRoutes, 'https://pay.example', describeWebhooks()));
const document: any = JSON.parse(text);

/** Resolves a `$ref` to a response. */
const follow = (one: any) => (one.$ref ? document.components.responses[one.$ref.split('/').at(-1)] : one);

type Shown = { at: string; status: string; type: string; media: any };

/** Every request or response body of the document, with its operation. */
const shown: Shown[] = [...Object.entries<any>(document.paths), ...Object.entries<any>(document.webhooks)].flatMap(
  ([path, methods]) =>
    Object.entries<any>(methods).flatMap(([method, { requestBody, responses }]) =>
      Object.entries<any>({ ...responses, request: requestBody ?? {} }).flatMap(([status, answer]) =>
        Object.entries<any>(follow(answer).content ?? {}).map(([type, media]) => {
          return { at: `${method} ${path}`, status, type, media };
        }),
      ),
    ),
);

const followExample = (one: any) => (one.$ref ? document.components.examples[one.$ref.split('/').at(-1)] : one).value;
const examplesOf = ({ media }: Shown): any[] => [
  ...('example' in media ? [media.example] : []),
  ...Object.values(media.examples ?? {}).map(followExample),
];
const nameOf = ({ at, status, type }: Shown) => `${at} ${status} ${type}`;

/** Skips a slow check that passed before with the same document, packages and tests. */
async function checkOnce(name: string, check: () => Promise<string[]>): Promise<string[]> {
  const all = [text, readText('package-lock.json'), readText('test/unit/docs/openapi-examples.test.ts')];
  const folder = join(ROOT, 'node_modules/.cache/linted');
  const passed = join(folder, name);
  const digest = createHash('sha256').update(JSON.stringify(all)).digest('hex');
  if (existsSync(passed) && readFileSync(passed, 'utf8') === digest) return [];
  const found = await check();
  mkdirSync(folder, { recursive: true });
  if (found.length === 0) writeFileSync(passed, digest);
  return found;
}

describe('an example of the OpenAPI document', () => {
  test('exists for every response, problem and webhook except pages, PDF files and bitmaps', () => {
    const isExpected = ({ at, status, type }: Shown) =>
      status !== 'request' || (type.endsWith('json') && !at.includes(' /'));
    const expected = shown.filter(
      (each) => isExpected(each) && !['text/html', 'application/pdf', 'image/png', 'image/*'].includes(each.type),
    );
    expect(expected.length).toBeGreaterThan(900);
    expect(expected.filter((each) => examplesOf(each).length === 0).map(nameOf)).toEqual([]);
    const json = expected.filter(({ type }) => type.endsWith('json'));
    expect(json.filter(({ media }) => !media.schema).map(nameOf)).toEqual([]);
  });

  test('has the format of its image or event stream', () => {
    const [svg, streams] = ['image/svg+xml', 'text/event-stream'].map((type) =>
      shown.filter((each) => each.type === type).flatMap(examplesOf),
    ) as [string[], string[]];
    const [png] = /data:image\/png;base64,[^"]+/.exec(svg[0]!)!;
    expect(Buffer.from(png.split(',')[1]!, 'base64').subarray(1, 4).toString()).toBe('PNG');
    expect(new Set(svg)).toEqual(new Set([drawQrSvg(png)]));
    for (const stream of streams) for (const [, data] of stream.matchAll(/^data: (.*)$/gm)) JSON.parse(data!);
    expect(streams.map((text) => text.match(/^event: .*$/gm))).toEqual([
      ['event: message'],
      ['event: session', 'event: end'],
    ]);
  });

  test('matches its schema', async () => {
    const found = await checkOnce('examples', async () => {
      const ajv = new Ajv2020({ strict: false, validateSchema: false, logger: false });
      addFormats.default(ajv);
      ajv.addSchema(document, 'api.json');
      // Most answers share the schema of problems.
      const compiled = new Map<string, ValidateFunction>();
      const compile = (schema: object) => {
        const key = JSON.stringify(schema, (name, value) => (name === '$ref' ? `api.json${value}` : value));
        const validate = compiled.get(key) ?? ajv.compile(JSON.parse(key));
        compiled.set(key, validate);
        return validate;
      };
      return shown.flatMap((each) => {
        const examples = examplesOf(each);
        if (!each.media.schema || examples.length === 0) return [];
        const validate = compile(each.media.schema);
        const invalid = examples.filter((one) => !validate(one));
        return invalid.map(() => `${nameOf(each)}: ${ajv.errorsText(validate.errors)}`);
      });
    });
    expect(found).toEqual([]);
  });

  test('has the status of its response if it is a problem', () => {
    const problems = shown.filter(({ type }) => type === 'application/problem+json');
    const strange = problems.filter((each) => examplesOf(each).some(({ status }) => String(status) !== each.status));
    expect(strange.map(nameOf)).toEqual([]);
  });

  test('has no secret, no placeholder, and no URL of the test run that recorded it', () => {
    expect(text).not.toMatch(/<(uuid|secret|jwt|as of now|ms)\b|http:\/\/(gateway|merchant)|eyJ[\w-]{20}|BEGIN /);
    // Secret scanners would report random letters and digits.
    expect(text.match(/whsec_(?!example)\w+/g)).toBeNull();
  });
});

/** Removes repeated examples, because Spectral checks the problem schema for each, which takes seconds. */
function leaveOutRepeats(): Record<string, unknown> {
  const known = new Set<string>();
  return JSON.parse(text, (name, value) => {
    if (name !== 'application/problem+json') return value;
    const { examples, ...media } = value;
    const key = JSON.stringify(examples);
    return known.has(key) ? media : known.add(key) && value;
  });
}

describe('the OpenAPI document', () => {
  test('has at most 700 kB', () => {
    expect(text.length).toBeLessThanOrEqual(700_000);
    expect(text).not.toContain('externalValue');
  });

  test('declares and describes each used tag and no other', () => {
    const groups = [...Object.values<any>(document.paths), ...Object.values<any>(document.webhooks)];
    const used = groups.flatMap((methods) => Object.values<any>(methods).flatMap(({ tags }) => tags));
    expect(document.tags.map(({ name }: any) => name).toSorted()).toEqual([...new Set(used)].toSorted());
    for (const { description } of document.tags) expect(description).toMatch(/^[A-Z].{10,}[^.]$/);
  });

  test('documents the headers of every response', () => {
    const { 'X-Request-Id': id, RateLimit: left, 'RateLimit-Policy': quota } = document.components.headers;
    for (const header of [id, left, quota])
      expect(header).toMatchObject({ description: expect.any(String), example: expect.any(String) });
    for (const { responses, 'x-rate-limit': bucket } of Object.values<any>(document.paths).flatMap(Object.values))
      for (const { headers } of Object.values<any>(responses).map(follow)) {
        expect(Object.keys(headers)).toContain('X-Request-Id');
        if (bucket) expect(Object.keys(headers)).toEqual(expect.arrayContaining(['RateLimit', 'RateLimit-Policy']));
      }
  });

  test('passes redocly’s recommended rules', async () => {
    const found = await checkOnce('redocly', async () => {
      const { createConfig, lintFromString } = await import('@redocly/openapi-core');
      const config = await createConfig({ extends: ['recommended'] });
      const problems = await lintFromString({ source: text, absoluteRef: 'openapi.json', config });
      return problems.map(({ ruleId, message }) => `${ruleId}: ${message}`);
    });
    expect(found).toEqual([]);
  });

  test('passes spectral’s recommended rules', async () => {
    const found = await checkOnce('spectral', async () => {
      const { default: Spectral } = await import('@stoplight/spectral-core');
      const { default: Rulesets } = await import('@stoplight/spectral-rulesets');
      const spectral = new Spectral.Spectral();
      spectral.setRuleset({ extends: [[Rulesets.oas as RulesetDefinition, 'recommended']] });
      const problems = await spectral.run(leaveOutRepeats());
      return problems.map(({ code, message, path }) => `${code}: ${message} at ${path.join('/')}`);
    });
    expect(found).toEqual([]);
  });
});
