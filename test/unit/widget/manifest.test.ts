// The custom-elements manifest and the sources name the same things.
import { describe, expect, test } from 'vitest';
import { listFiles, readText } from '../../support/source.ts';

type Named = { name: string; type?: { text: string }; description?: string };
type Element = Named & {
  tagName: string;
  attributes: Named[];
  members: (Named & { kind: string; attribute?: string })[];
  events: Named[];
  slots: Named[];
  cssParts: Named[];
  cssProperties: Named[];
};

const manifest = JSON.parse(readText('widget/custom-elements.json'));
const [module] = manifest.modules;
const [payment, checkout] = (module.declarations as Element[]).filter(({ tagName }) => tagName) as [Element, Element];
const elements = [payment, checkout];

const all = (files: string[], pattern: RegExp) =>
  [...new Set(files.flatMap((file) => [...readText(file).matchAll(pattern)].map(([, found]) => found!)))].toSorted();
const namesOf = (named: Named[]) => named.map(({ name }) => name).toSorted();
const types = readText('widget/widget.d.ts');

const PAYMENT = [...listFiles('shared/ui/*.tsx'), 'widget/payment.tsx', 'widget/element.tsx'];
const DIALOG = ['widget/dialog.tsx'];

test('the manifest has schema 1.0.0 and the exports of the module', () => {
  expect(manifest.schemaVersion).toBe('1.0.0');
  expect(module.exports).toEqual([
    { kind: 'js', name: 'mount', declaration: { name: 'mount' } },
    ...elements.map(({ tagName, name }) => ({
      kind: 'custom-element-definition',
      name: tagName,
      declaration: { name },
    })),
  ]);
  expect(all(['widget/shell.ts'], /_TAG = '([\w-]+)'/g)).toEqual(['balcao-checkout', 'balcao-payment']);
});

describe.each([
  ['the payment', payment, PAYMENT],
  ['the dialog', checkout, DIALOG],
])('the manifest of %s', (_name, element, files) => {
  test('has the parts of the components', () => {
    expect(namesOf(element.cssParts)).toEqual(all(files, /\bpart(?:="|Of\(')([\w-]+)/g));
  });

  test('has the slot of its shadow root', () => {
    expect(element.slots.map(({ name }) => name)).toEqual(['']);
    expect(readText('widget/host.ts')).toContain("createElement('slot')");
  });

  test('has the properties of its styles', () => {
    const read = all(['widget/widget.css'], /var\((--balcao-[\w-]+)/g);
    const isItsOwn = (name: string) => element === payment || name !== '--balcao-width';
    expect(namesOf(element.cssProperties)).toEqual(read.filter(isItsOwn));
  });

  test('has the events of the sources, with their types', () => {
    const ends = all(['widget/host.ts'], /^\s+\w+: '(\w+)',$/gm);
    const sent = all(['widget/host.ts', ...files], /sendEvent\(host, '(\w+)'/g);
    expect(ends).toEqual(['expired', 'failed', 'paid']);
    expect(namesOf(element.events)).toEqual([...ends, ...sent].map((name) => `balcao:${name}`).toSorted());
    for (const { name, type } of element.events) expect(types).toContain(`'${name}': ${type!.text};`);
  });

  test('has the members and attributes of the types', () => {
    const [, body] = new RegExp(`interface ${element.name} extends HTMLElement \\{(.*?)\\n\\}`, 's').exec(types)!;
    const declared = [...body!.matchAll(/^\s+(?:get )?(\w+)(?:\(\))?: /gm)].map(([, name]) => name!);
    expect(namesOf(element.members)).toEqual(declared.toSorted());
    const ofTypes = [.../type BalcaoAttributes = \{(.*?)\n\}/s.exec(types)![1]!.matchAll(/^\s+(\w+)\??: /gm)];
    const more = element === checkout ? ['open'] : [];
    expect(namesOf(element.attributes)).toEqual([...ofTypes.map(([, name]) => name!), ...more].toSorted());
  });

  test('has a description for each entry', () => {
    const { attributes, members, events, slots, cssParts, cssProperties } = element;
    for (const { name, description } of [attributes, members, events, slots, cssParts, cssProperties].flat())
      expect(description, name).toMatch(/^[A-Z].*\.$/s);
  });
});

test('the widget’s guide names every entry of the manifest', () => {
  const guide = readText('docs/widget.md');
  const named = elements.flatMap(({ attributes, events, cssParts, cssProperties }) =>
    [attributes, events, cssParts, cssProperties].flat().map(({ name }) => name),
  );
  expect([...new Set(named)].filter((name) => !guide.includes(`\`${name}\``))).toEqual([]);
  expect(listFiles('widget/**/*.json')).toEqual(['widget/custom-elements.json']);
});
