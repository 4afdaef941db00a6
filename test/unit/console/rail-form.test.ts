import { describe, expect, test } from 'vitest';
import { MAX_PARTS, readRailForm } from '../../../console/screens/rails/fields.tsx';
import { listConnectors } from '../../../server/rails/connectors.ts';

describe('the form of a rail account', () => {
  test('is read as nested settings and secrets without empty fields', () => {
    const form = { 'settings/push/id': ' 7 ', 'settings/name': '', 'flag/settings/isLive': 'true', 'secrets/key': 'k' };
    expect(readRailForm({ connector: 'x', kind: 'gpo', ...form })).toMatchObject({
      settings: { push: { id: '7' }, isLive: true },
      secrets: { key: 'k' },
    });
  });

  test.each([
    ['a name deeper than any field', { 'settings/a/b/c': '1' }],
    ['a name of 490,000 parts', { [`settings${'/a'.repeat(490_000)}`]: '1' }],
    ['a field below a value', { 'settings/a': '1', 'settings/a/b': '2' }],
    ['a value above a field', { 'settings/a/b': '2', 'settings/a': '1' }],
    ['a group without a field', { settings: '1' }],
  ])('refuses %s', (_what, form: Record<string, string>) => {
    expect(readRailForm(form)).toBe('settings');
  });

  test('keeps `__proto__` as an ordinary name', () => {
    const body = readRailForm({ 'settings/__proto__/isOwner': 'true' });
    expect(JSON.stringify(body)).toContain('"settings":{"__proto__":{"isOwner":"true"}}');
    expect(({} as Record<string, unknown>)['isOwner']).toBeUndefined();
  });

  test('has as many levels as the deepest settings of a connector', () => {
    type Schema = { properties?: Record<string, Schema> };
    const depthOf = ({ properties }: Schema): number =>
      properties ? 1 + Math.max(0, ...Object.values(properties).map(depthOf)) : 0;
    const depths = listConnectors().flatMap(({ settings, secrets }) =>
      [settings, secrets].map((each) => depthOf(each as Schema)),
    );
    expect(1 + Math.max(...depths)).toBe(MAX_PARTS);
  });
});
