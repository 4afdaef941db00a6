import { expect, test } from 'vitest';
import { findBreach } from '../../support/contract.ts';
import { declaredRoutes } from '../../support/declared.ts';

const ROLE = { id: '00000000-0000-7000-8000-000000000001', name: 'Owner', scopes: [] };
const LISTED = { data: [], totalItems: 0, pageNumber: 1, pageSize: 20, totalPages: 0, next: null, isTotalExact: true };

type Changes = { path?: string; status?: number; headers?: Record<string, string>; body?: unknown; without?: string };

const find = (changes: Changes = {}) => {
  const { path = '/api/payments?page=1', status = 200, headers = {}, body = LISTED, without } = changes;
  const told = new Headers({ 'content-type': 'application/json; charset=utf-8', 'x-request-id': 'r', ...headers });
  if (without) told.delete(without);
  return findBreach(declaredRoutes, { method: 'GET', path, status, headers: told, text: JSON.stringify(body) });
};

test('the contract check accepts responses that match the OpenAPI document, also with unknown fields', () => {
  expect(find()).toBe(null);
  expect(find({ headers: { ratelimit: 'r', date: 'now' } })).toBe(null);
  expect(find({ path: '/elsewhere', status: 418, body: ROLE })).toBe(null);
});

test.each<[string, Parameters<typeof find>[0], RegExp]>([
  ['a field', { body: { ...LISTED, more: 1 } }, /"more"/],
  ['a field further in', { body: { ...LISTED, data: [{ id: 1 }] } }, /\/data\/0/],
  ['a field that is missing', { body: { data: [] } }, /required/],
  ['another type', { body: { ...LISTED, totalItems: '0' } }, /totalItems must be/],
  ['a status', { status: 418 }, /^status 418 /],
  ['a header', { headers: { 'x-more': '1' } }, /^headers x-more /],
  ['a header that is missing', { without: 'X-Request-Id' }, /^headers x-request-id are missing/],
  ['a challenge that is missing', { status: 401, body: {} }, /^headers www-authenticate are missing/],
  [
    'a header of another type',
    { status: 429, headers: { 'retry-after': 'soon' } },
    /^headers retry-after: soon are of/,
  ],
  ['a media type', { headers: { 'content-type': 'text/plain' } }, /^media type text\/plain /],
])('the contract check finds %s', (_what, changes, told) => {
  expect(find(changes)).toMatch(told);
});
