// The guide's TypeScript, and what it says of the widget's types, compiled as a merchant's strict project would.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { readText, ROOT } from '../support/source.ts';

const guide = readText('docs/widget.md');
const samplesOf = (language: string) =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, code]) => code!);

/** As much of React 19's own types as the samples need, in their shape: `JSX` stands in React's namespace, with its own `Element`. */
const REACT = `export = React;
declare namespace React {
  type Ref<T> = { current: T | null } | ((instance: T | null) => void) | null;
  interface ReactElement<P = unknown> { type: string; props: P; key: string | null }
  interface ClassAttributes<T> { key?: string | null | undefined; ref?: Ref<T> | undefined }
  interface DOMAttributes<T> { children?: unknown; onClick?: ((at: T) => void) | undefined }
  interface HTMLAttributes<T> extends DOMAttributes<T> { className?: string | undefined; lang?: string | undefined }
  type DetailedHTMLProps<E extends HTMLAttributes<T>, T> = ClassAttributes<T> & E;
  function useRef<T>(first: T | null): { current: T | null };
  function useEffect(effect: () => void | (() => void), on?: readonly unknown[]): void;
  namespace JSX {
    interface Element extends ReactElement<any> {}
    interface IntrinsicElements { a: DetailedHTMLProps<HTMLAttributes<HTMLAnchorElement>, HTMLAnchorElement> }
  }
}`;

const REACT_JSX = `import * as React from './';
export namespace JSX {
  interface Element extends React.JSX.Element {}
  interface IntrinsicElements extends React.JSX.IntrinsicElements {}
}
export declare function jsx(type: unknown, props: unknown, key?: unknown): React.ReactElement;
export declare function jsxs(type: unknown, props: unknown, key?: unknown): React.ReactElement;`;

/** What the guides say beside their samples. */
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
  },
  include: ['*'],
};

/** What the compiler says of a project of these files, beside `widget.d.ts`; empty when nothing is wrong. */
function compile(files: Record<string, string>): string {
  const project = mkdtempSync(join(tmpdir(), 'balcao-guide-'));
  try {
    const react = { 'node_modules/react/index.d.ts': REACT, 'node_modules/react/jsx-runtime.d.ts': REACT_JSX };
    const all = { ...react, ...files, 'tsconfig.json': JSON.stringify(CONFIG) };
    for (const [path, text] of Object.entries(all)) {
      mkdirSync(dirname(join(project, path)), { recursive: true });
      writeFileSync(join(project, path), text);
    }
    cpSync(join(ROOT, 'widget/widget.d.ts'), join(project, 'widget.d.ts'));
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    return spawnSync(process.execPath, [tsc, '--pretty', 'false'], { cwd: project, encoding: 'utf8' }).stdout;
  } finally {
    rmSync(project, { recursive: true });
  }
}

const [declaration = '', ...otherTypes] = samplesOf('ts');
const [components = '', ...otherComponents] = samplesOf('tsx');

test('its components compile with its declaration', () => {
  expect([otherTypes, otherComponents]).toEqual([[], []]);
  const later = `import { Payment } from './components';
    export const page = <Payment token="token" onPaid={() => {}} />;
    export const early = (token?: string) => <balcao-payment token={token}><a className="pay" /></balcao-payment>;`;
  const files = { 'balcao.d.ts': declaration, 'components.tsx': components, 'later.tsx': later };
  expect(compile(files)).toBe('');
  expect(compile({ ...files, 'wrong.tsx': 'export const wrong = <balcao-payment theme="blue" />;' })).toMatch(
    /^wrong\.tsx\(1,\d+\): error TS2322/,
  );
  // React's own `Element` stands in the way of another of that name.
  const shadowed = declaration.replaceAll('BalcaoProps', 'Element');
  expect(compile({ ...files, 'balcao.d.ts': shadowed })).toMatch(/'ref' does not exist/);
});

test('what it says of properties, events and `Balcao.mount` compiles', () => {
  expect(compile({ 'said.ts': SAID })).toBe('');
});
