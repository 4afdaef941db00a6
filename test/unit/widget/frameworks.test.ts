// `@balcao/widget`: the elements have types in React, Vue and Svelte. Small declarations stand for Vue and Svelte.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { readText, ROOT } from '../../support/source.ts';

const README = readText('packages/widget/README.md');
const exampleOf = (language: string) => new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms').exec(README)![1]!;
/** The script of a component. Only the framework's own compiler reads the rest. */
const scriptOf = (component: string) => /<script[^>]*>\n(.*?)<\/script>/s.exec(component)![1]!;

/** The part of Vue's types that the package uses. */
const VUE = `export interface HTMLAttributes { class?: any; lang?: string; title?: string }
export interface PublicProps { key?: PropertyKey; ref?: unknown }
export interface GlobalComponents {}`;

/** The part of Svelte's types that the package uses. */
const SVELTE = `export interface HTMLAttributes<T extends EventTarget> {
  class?: any; lang?: string; title?: string;
  [key: symbol]: false | undefined | null | ((element: T) => void | (() => void));
}
export interface SvelteHTMLElements {}`;

const OF_VUE = `import type { GlobalComponents } from 'vue';
import { loadWidget } from '@balcao/widget/vue';
type Props<Tag extends keyof GlobalComponents> = InstanceType<GlobalComponents[Tag]>['$props'];
export const payment: Props<'balcao-payment'> = {
  token: 't', lang: 'pt', class: 'x', key: 1, 'onBalcao:paid': ({ detail }) => detail.status.length,
};
export const dialog: Props<'balcao-checkout'> = { token: 't', open: true, 'onBalcao:close': ({ detail }) => detail?.token };
export const isLoaded: Promise<boolean> = loadWidget('https://pay.example', { nonce: 'n' });`;

const OF_SVELTE = `import type { SvelteHTMLElements } from 'svelte/elements';
import { listen } from '@balcao/widget/svelte';
export const payment: SvelteHTMLElements['balcao-payment'] = {
  token: 't', theme: 'dark', class: 'x', [Symbol()]: listen({ paid: ({ status }) => status.length }),
};
export const dialog: SvelteHTMLElements['balcao-checkout'] = { token: 't', open: false };`;

const OF_REACT = `import { listen } from '@balcao/widget/react';
export const payment = <balcao-payment token="t" class="x" onbalcao:status={({ detail }) => detail.token} />;
export const dialog = <balcao-checkout token="t" open={false} ref={listen({ close: (detail) => detail?.status })} />;
export const element = document.querySelector('balcao-checkout')?.open();`;

/** Each is one wrong use. */
const WRONG: Record<string, string> = {
  'wrong-vue-token.ts': OF_VUE.replace(`token: 't'`, 'token: 7'),
  'wrong-vue-event.ts': OF_VUE.replace('onBalcao:paid', 'onBalcao:payed'),
  'wrong-svelte-lang.ts': OF_SVELTE.replace(`theme: 'dark'`, `lang: 'de'`),
  'wrong-svelte-listen.ts': OF_SVELTE.replace('paid:', 'payed:'),
  'wrong-react-theme.tsx': OF_REACT.replace('class="x"', 'theme="blue"'),
  'wrong-react-name.tsx': OF_REACT.replace('<balcao-payment', '<balcao-pay'),
};

const RIGHT: Record<string, string> = {
  'vue.ts': OF_VUE,
  'svelte.ts': OF_SVELTE,
  'react.tsx': OF_REACT,
  'example.tsx': exampleOf('tsx'),
  'example-vue.ts': scriptOf(exampleOf('vue')),
  'example-svelte.ts': scriptOf(exampleOf('svelte')),
  // Names that the compilers of Vue and Svelte know.
  'given.d.ts':
    'declare function defineProps<T>(): T; declare function defineEmits<T>(): T; declare function $props(): any;',
};

const FILES: Record<string, string> = {
  ...RIGHT,
  ...WRONG,
  'stubs/vue.d.ts': VUE,
  'stubs/svelte/elements.d.ts': SVELTE,
  'tsconfig.json': JSON.stringify({
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
      paths: {
        '@balcao/widget/*': [join(ROOT, 'packages/widget/src/*.d.ts')],
        vue: ['./stubs/vue.d.ts'],
        'svelte/elements': ['./stubs/svelte/elements.d.ts'],
        'react/*': [join(ROOT, 'node_modules/@types/react/*')],
        react: [join(ROOT, 'node_modules/@types/react')],
      },
    },
    include: ['*'],
  }),
};

let lines: string[] = [];
// One project for all files, because the compiler needs seconds for React's types.
beforeAll(() => {
  const project = mkdtempSync(join(tmpdir(), 'balcao-frameworks-'));
  try {
    for (const [path, text] of Object.entries(FILES)) {
      mkdirSync(dirname(join(project, path)), { recursive: true });
      writeFileSync(join(project, path), text);
    }
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const { stdout } = spawnSync(process.execPath, [tsc, '--pretty', 'false'], { cwd: project, encoding: 'utf8' });
    lines = stdout.split('\n').filter((line) => /^\S/.test(line));
  } finally {
    rmSync(project, { recursive: true });
  }
});

describe('the types of @balcao/widget', () => {
  test('accept the elements in React, Vue and Svelte, and the examples of the README', () => {
    expect(lines.filter((line) => !line.startsWith('wrong-'))).toEqual([]);
  });

  test.each(Object.keys(WRONG))('refuse the wrong use in %s', (file) => {
    expect(lines.filter((line) => line.startsWith(`${file}(`))).not.toEqual([]);
  });
});

test('the example for Svelte has no attribute with a colon, which Svelte warns about', () => {
  expect(exampleOf('svelte')).not.toMatch(/\son\w+:/);
});
