// Whoever was written for the last release goes on to work (docs/versioning.md). `UPDATE_RELEASE=1` keeps the document of a new one.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { VERSION } from '../../server/config.ts';
import { writeDocument } from '../../server/docs/document.ts';
import { describeWebhooks } from '../../server/webhooks/document.ts';
import { findBreaks, reduceDocument } from '../releases/compare.ts';
import { declaredRoutes } from '../support/declared.ts';

const file = new URL(`../releases/interface-${VERSION}.json`, import.meta.url);
const document = () =>
  JSON.parse(JSON.stringify(writeDocument(declaredRoutes, 'https://pay.example', describeWebhooks())));

if (process.env['UPDATE_RELEASE']) writeFileSync(file, `${JSON.stringify(reduceDocument(document()))}\n`);

const released = () => JSON.parse(readFileSync(file, 'utf8'));

test('the document of the last release is still satisfied', () => {
  expect(existsSync(file), `no ${file.pathname}: UPDATE_RELEASE=1 writes it`).toBe(true);
  expect(findBreaks(released(), reduceDocument(document()))).toEqual([]);
});

type Document = ReturnType<typeof released>;
const bodyOf = (document: Document, path: string) => document.paths[path].post.requestBody.content['application/json'];
const refund = (document: Document) => bodyOf(document, '/api/payments/{internalPaymentId}/refunds').schema;
const list = (document: Document) => document.paths['/api/payments'].get;
const merchant = (document: Document) => document.components.schemas.Merchant;

test.each<[string, (document: Document) => void, string]>([
  ['an operation is gone', (d) => delete d.paths['/api/payments'].get, 'GET /api/payments: is gone'],
  ['a webhook is gone', (d) => delete d.webhooks['payment.paid'], 'payment.paid: is gone'],
  ['a field of a request is gone', (d) => delete refund(d).properties.reason, '/reason: is gone'],
  ['a field of a request must be there', (d) => (refund(d).required = ['reason']), '/reason: must be there now'],
  [
    'a text may be less long',
    (d) => (list(d).parameters.find((p: any) => p.name === 'reference').schema.maxLength = 9),
    'query reference: maxLength was 15 and is 9',
  ],
  [
    'a filter is gone',
    (d) => (list(d).parameters = list(d).parameters.filter((p: any) => p.name !== 'phone')),
    'query phone: is gone',
  ],
  ['a filter must be there', (d) => (list(d).parameters[0].required = true), 'must be there now'],
  ['a field of an answer is gone', (d) => delete merchant(d).properties.searchKeys, '/searchKeys: is gone'],
  ['a field of an answer may be missing', (d) => merchant(d).required.splice(0, 1), '/id: may be missing now'],
  [
    'a field of an answer may be null',
    (d) => (merchant(d).properties.name.type = ['string', 'null']),
    '/name: its type was string and is string,null',
  ],
  [
    'an answer has another status',
    (d) => {
      const { responses } = list(d);
      responses['206'] = responses['200'];
      delete responses['200'];
    },
    'GET /api/payments 200: is gone',
  ],
  [
    'a public address wants a token',
    (d) => (d.paths['/problems'].get.security = [{ bearer: [] }]),
    'GET /problems: needs a token',
  ],
  ['a header is gone', (d) => delete list(d).responses['200'].headers['X-Request-Id'], 'header X-Request-Id: is gone'],
])('a comparison tells that %s', (_what, change, told) => {
  const changed = released();
  change(changed);
  expect(findBreaks(released(), changed).join('\n')).toContain(told);
});

test.each<[string, (document: Document) => void]>([
  ['an operation comes', (d) => (d.paths['/api/new'] = { get: { responses: {} } })],
  ['a field that may be left out comes', (d) => (refund(d).properties.note = { type: 'string' })],
  [
    'an answer has one more field',
    (d) => {
      merchant(d).properties.extra = { type: 'string' };
      merchant(d).required.push('extra');
    },
  ],
  ['an answer has one more value', (d) => merchant(d).properties.defaultLanguage.enum.push('umb')],
  [
    'a request may be longer',
    (d) => (list(d).parameters.find((p: any) => p.name === 'reference').schema.maxLength = 30),
  ],
])('nothing breaks when %s', (_what, change) => {
  const changed = released();
  change(changed);
  expect(findBreaks(released(), changed)).toEqual([]);
});
