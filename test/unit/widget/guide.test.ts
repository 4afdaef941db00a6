// The TypeScript of the widget's guide compiles in a strict project.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { readText, ROOT } from '../../support/source.ts';

const guide = readText('docs/widget.md');
const samplesOf = (language: string) =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, code]) => code!);

/** Uses the calls that the guide describes in its text. */
const SAID = `import { mount, type BalcaoDetail } from './widget';
const token: string = 'token';
const { unmount } = Balcao.mount('#here', { token, lang: 'en', onStatus: ({ status }) => console.log(status) });
window.Balcao.mount(document.body, { token }).unmount();
mount('#here', { token });
unmount();
document.addEventListener('balcao:close', ({ detail }) => console.log(detail?.status));
addEventListener('balcao:paid', (event) => console.log(event.detail satisfies BalcaoDetail));
const dialog = document.querySelector('balcao-checkout')!;
dialog.open = true;
dialog.open();
dialog.close();
dialog.addEventListener('balcao:status', ({ detail: { revision } }) => console.log(revision));
document.createElement('balcao-payment').token = token;
// @ts-expect-error: without a token there is nothing to mount
mount('#here', {});
// @ts-expect-error: no such language
mount('#here', { token, lang: 'de' });`;

const CONFIG = {
  compilerOptions: {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    target: 'es2022',
    module: 'esnext',
    moduleResolution: 'bundler',
    jsx: 'react-jsx',
    lib: ['es2022', 'dom', 'dom.iterable'],
    types: [],
    allowImportingTsExtensions: true,
    paths: {
      '@balcao/react': [join(ROOT, 'packages/react/src/elements.ts')],
      'react/*': [join(ROOT, 'node_modules/@types/react/*')],
      react: [join(ROOT, 'node_modules/@types/react')],
    },
  },
  include: ['*'],
};

const [components = '', ...otherComponents] = samplesOf('tsx');

/** Checks that the event details of the package equal those of the widget. */
const SAME = `import type { BalcaoDetail as Told } from '@balcao/react';
import type { BalcaoDetail } from './widget';
export const told = (detail: BalcaoDetail): Told => detail;
export const detail = (told: Told): BalcaoDetail => told;`;

/** Returns the compiler's errors for these files and `widget.d.ts`. */
function compile(files: Record<string, string>): string {
  const project = mkdtempSync(join(tmpdir(), 'balcao-guide-'));
  try {
    const all = { ...files, 'tsconfig.json': JSON.stringify(CONFIG) };
    for (const [path, text] of Object.entries(all)) writeFileSync(join(project, path), text);
    cpSync(join(ROOT, 'widget/widget.d.ts'), join(project, 'widget.d.ts'));
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    return spawnSync(process.execPath, [tsc, '--pretty', 'false'], { cwd: project, encoding: 'utf8' }).stdout;
  } finally {
    rmSync(project, { recursive: true });
  }
}

describe('the guide with @balcao/react', () => {
  const wrong = components.replace('token={token}', 'token={token} theme="blue"');
  let lines: string[] = [];
  // One project for all files, because the compiler needs seconds for React's types.
  beforeAll(() => {
    lines = compile({ 'components.tsx': components, 'wrong.tsx': wrong, 'same.ts': SAME }).split(/^(?=\S)/m);
  });

  test('has components that compile, and an unknown property does not compile', () => {
    expect(otherComponents).toEqual([]);
    expect(lines[0]).toMatch(/^wrong\.tsx\(\d+,\d+\): error TS2322/);
    expect(lines.filter((line) => line.startsWith('components.tsx'))).toEqual([]);
  });

  test('uses the same types as the widget', () => {
    expect(lines.filter((line) => !line.startsWith('wrong.tsx'))).toEqual([]);
  });
});

test('the properties, events and calls in the guide without a package compile', () => {
  expect(compile({ 'said.ts': SAID })).toBe('');
});
