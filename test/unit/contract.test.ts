// What every test's client holds answers to: that it does find what the interface document does not say.
import { expect, test } from 'vitest';
import { findBreach } from '../support/contract.ts';
import { declaredRoutes } from '../support/declared.ts';

const ROLE = { id: '00000000-0000-7000-8000-000000000001', name: 'Owner', scopes: [] };
const LISTED = { data: [], totalItems: 0, pageNumber: 1, pageSize: 20, totalPages: 0, next: null };

const find = (changes: { path?: string; status?: number; headers?: Record<string, string>; body?: unknown } = {}) => {
  const { path = '/api/payments?page=1', status = 200, headers = {}, body = LISTED } = changes;
  const told = new Headers({ 'content-type': 'application/json; charset=utf-8', ...headers });
  return findBreach(declaredRoutes, { method: 'GET', path, status, headers: told, text: JSON.stringify(body) });
};

test('what is as it says is found to be so, and so is what it does not name', () => {
  expect(find()).toBe(null);
  expect(find({ headers: { 'x-request-id': 'r', date: 'now' } })).toBe(null);
  expect(find({ path: '/elsewhere', status: 418, body: ROLE })).toBe(null);
});

test.each<[string, Parameters<typeof find>[0], RegExp]>([
  ['a field', { body: { ...LISTED, more: 1 } }, /"more"/],
  ['a field further in', { body: { ...LISTED, data: [{ id: 1 }] } }, /\/data\/0/],
  ['a field that is missing', { body: { data: [] } }, /required/],
  ['another type', { body: { ...LISTED, totalItems: '0' } }, /totalItems must be/],
  ['a status', { status: 418 }, /^status 418 /],
  ['a header', { headers: { 'x-more': '1' } }, /^headers x-more /],
  ['a media type', { headers: { 'content-type': 'text/plain' } }, /^media type text\/plain /],
])('%s that it does not tell of is found', (_what, changes, told) => {
  expect(find(changes)).toMatch(told);
});
