// How the pages, their server render, the widget and the gateway itself are built: seven environments of one `vite build --app`,
// of which `--mode server` builds the gateway alone.
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { defineConfig, type Plugin, type ViteBuilder } from 'vite';

// As it ships, whatever it is in the shell: Vitest, which has the gateway built for tests, sets `test`.
process.env['NODE_ENV'] = 'production';

const at = (file: string) => fileURLToPath(new URL(file, import.meta.url));

// ES2020 is what Chrome 80 and Safari 14 run: the WebViews of cheap Androids that stopped being updated. Older browsers do
// not run the script and use the page as it is served.
const target = 'es2020';

const cssTarget = 'chrome80';

const production = { 'process.env.NODE_ENV': '"production"' };

// Three manifests on the way, one in the end: `dist/client/manifest.json` names every script by its source.
const manifests = ['manifest.json', 'manifest.beside.json', 'manifest.console.json'].map((name) =>
  at(`dist/client/${name}`),
) as [string, ...string[]];

async function buildApp(builder: ViteBuilder) {
  const { server } = builder.environments;
  if (builder.config.mode === 'server' && server) return void (await builder.build(server));
  for (const environment of Object.values(builder.environments)) await builder.build(environment);
  const [all, ...others] = manifests;
  const scripts = manifests.flatMap((file) => Object.entries(JSON.parse(readFileSync(file, 'utf8'))));
  writeFileSync(all, JSON.stringify(Object.fromEntries(scripts), null, 2));
  for (const file of others) rmSync(file);
  publishWidget();
  for (const folder of ['dist/client/assets', 'dist/widget', 'dist/widget/widget']) compressFiles(at(folder));
  writeFileSync(at('dist/built'), '');
}

/** Beside each file that the server sends, the same as small as it gets: compressed once here, not at each start of a node. */
function compressFiles(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isFile() || /\.(br|gz)$/.test(entry.name)) continue;
    const file = join(folder, entry.name);
    const bytes = readFileSync(file);
    writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }));
    writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
  }
}

/**
 * `dist/widget` is the widget as it is addressed: what is newest, and under a version the same for ever, each with the
 * hash that a page may hold it to. The loader holds the widget it fetches to its hash.
 */
function publishWidget() {
  const read = (file: string) => readFileSync(at(`dist/widget/${file}`), 'utf8');
  const [script, module, unbound] = [read('widget.js'), read('widget.mjs'), read('loader.js')];
  const digest = createHash('sha256')
    .update(script + module + unbound)
    .digest('hex');
  const version = `${JSON.parse(readFileSync(at('package.json'), 'utf8')).version}-${digest.slice(0, 8)}`;
  mkdirSync(at('dist/widget/widget'), { recursive: true });
  const write = (name: string, text: string) => writeFileSync(at(`dist/widget/widget/${name}`), text);
  const publish = (name: string, text: string) => {
    write(name, text);
    const integrity = `sha384-${createHash('sha384').update(text).digest('base64')}`;
    return { url: `/widget/${name}`, integrity };
  };
  const pinned = publish(`${version}.js`, script);
  const loader = unbound.replace('__WIDGET_PATH__', pinned.url).replace('__WIDGET_INTEGRITY__', pinned.integrity);
  const latest = {
    version,
    script: pinned,
    module: publish(`${version}.mjs`, module),
    loader: publish(`${version}.loader.js`, loader),
  };
  write('latest.json', JSON.stringify(latest, null, 2));
  write('loader.js', loader);
  rmSync(at('dist/widget/loader.js'));
  copyFileSync(at('widget/widget.d.ts'), at('dist/widget/widget.d.ts'));
  copyFileSync(at('widget/custom-elements.json'), at('dist/widget/widget/custom-elements.json'));
}

const browser = {
  outDir: at('dist/client'),
  target,
  cssTarget,
  modulePreload: false,
} as const;

/** A script for pages without modules: `window.Balcao`. */
const classic = { format: 'iife', name: 'Balcao', generatedCode: { symbols: false } } as const;

/** Folders whose JSX becomes HTML. */
const DRAWN = ['checkout/', 'console/', 'sandbox/pages/', 'shared/ui/', 'widget/'].map(at);

/** The parts of these folders that a script redraws in the page. */
const REDRAWN = [
  'checkout/App.tsx',
  'checkout/screens/',
  'console/islands/',
  'sandbox/pages/OrderState.tsx',
  'sandbox/pages/PushList.tsx',
  'sandbox/pages/ShopDesk.tsx',
  'shared/ui/',
  'widget/',
].map(at);

/** JSX becomes calls of one element maker. The automatic runtime's would be a second one in each script. */
const bringMaker: Plugin = {
  name: 'bring-maker',
  enforce: 'pre',
  transform(code, id) {
    if (!id.endsWith('.tsx') || !DRAWN.some((folder) => id.startsWith(folder))) return null;
    const isRedrawn = REDRAWN.some((place) => id.startsWith(place));
    const make = isRedrawn ? `{ make } from ${JSON.stringify(at('shared/ui/make.ts'))}` : "{ h as make } from 'preact'";
    return `import ${make};import { Fragment } from 'preact';\n${code}`;
  },
};

/** Keeps `import.meta.url` at the source's path, so that the built gateway finds data files there. */
const keepPlaces: Plugin = {
  name: 'keep-places',
  applyToEnvironment: ({ name }) => name === 'server',
  transform(code, id) {
    if (id.includes('/node_modules/') || !code.includes('import.meta.url')) return null;
    const place = JSON.stringify(relative(at('dist/server'), id));
    return code.replaceAll('import.meta.url', () => `new URL(${place}, import.meta.url).href`);
  },
};

/**
 * An effect redraws an island as a whole when a signal that it reads changes. So its script needs the signals alone,
 * without some 1,700 bytes of the package that bind each signal to its components.
 */
const treeshake = { moduleSideEffects: (id: string) => (id.includes('/@preact/signals/') ? false : undefined) };

/** Packages outside the bundle, because they read files in their own folders. A release has them in `node_modules`. */
export const EXTERNAL = ['pdfkit', 'fontkit', 'dejavu-fonts-ttf'];

/** Lists the licences of the bundled packages. `npm run release` gathers the lists. */
const license = (environment: string) => ({ fileName: `licenses.${environment}.json` });

export default defineConfig({
  root: at('.'),
  appType: 'custom',
  publicDir: false,
  oxc: { jsx: { runtime: 'classic', pragma: 'make', pragmaFrag: 'Fragment' } },
  plugins: [bringMaker, keepPlaces],
  builder: { buildApp },
  environments: {
    client: {
      build: {
        ...browser,
        emptyOutDir: true,
        license: license('client'),
        manifest: 'manifest.json',
        rolldownOptions: { input: { checkout: at('checkout/main.tsx') }, treeshake },
      },
    },
    // Built apart, or what they share with the checkout would become a second file that payers wait for.
    beside: {
      consumer: 'client',
      build: {
        ...browser,
        emptyOutDir: false,
        license: license('beside'),
        manifest: 'manifest.beside.json',
        rolldownOptions: {
          input: {
            phone: at('sandbox/pages/phone.client.ts'),
            demo: at('sandbox/pages/demo.client.ts'),
            scan: at('sandbox/pages/scan.client.ts'),
            callbacks: at('sandbox/pages/callbacks.client.ts'),
            frame: at('checkout/frame.ts'),
            docs: at('checkout/docs/docs.client.ts'),
          },
        },
      },
    },
    // So is the console: its script, and beside it what draws islands, each one file.
    console: {
      consumer: 'client',
      build: {
        ...browser,
        emptyOutDir: false,
        license: license('console'),
        manifest: 'manifest.console.json',
        rolldownOptions: { input: { console: at('console/live.client.ts') }, treeshake },
      },
    },
    ssr: {
      // Everything inside, so that the render and its components share one Preact.
      resolve: { noExternal: true },
      define: production,
      build: {
        outDir: at('dist/ssr'),
        emptyOutDir: true,
        license: license('ssr'),
        ssr: true,
        minify: true,
        target: 'node22',
        cssTarget,
        rolldownOptions: {
          treeshake,
          input: {
            render: at('checkout/render.tsx'),
            sandbox: at('sandbox/pages/render.tsx'),
            account: at('checkout/account/render.tsx'),
            link: at('checkout/link/render.tsx'),
            docs: at('checkout/docs/render.tsx'),
            console: at('console/render.tsx'),
          },
        },
      },
    },
    // In a few files: a node that finds, reads and links each of 1,300 starts a third later and keeps 18 MiB for them.
    // Not minified, so that a stack trace can be read.
    server: {
      consumer: 'server',
      // pg loads pg-native only if a program asks for it.
      resolve: { noExternal: true, external: [...EXTERNAL, 'pg-native'] },
      build: {
        outDir: at('dist/server'),
        emptyOutDir: true,
        license: license('server'),
        ssr: true,
        minify: false,
        target: 'esnext',
        rolldownOptions: {
          input: { main: at('server/main.ts'), balcao: at('server/cli/main.ts') },
          // `depd`, which Koa uses, calls eval.
          checks: { eval: false },
          // Entities and errors are known by their names.
          output: { keepNames: true, chunkFileNames: '[name].js' },
        },
      },
    },
    widget: {
      consumer: 'client',
      define: production,
      build: {
        outDir: at('dist/widget'),
        emptyOutDir: true,
        target,
        cssTarget,
        rolldownOptions: {
          input: { widget: at('widget/main.ts') },
          treeshake,
          preserveEntrySignatures: 'strict',
          // A classic script has no `import.meta`; it asks `document.currentScript` instead.
          checks: { emptyImportMeta: false },
          output: [
            { ...classic, entryFileNames: 'widget.js' },
            { format: 'es', entryFileNames: 'widget.mjs' },
          ],
        },
      },
    },
    loader: {
      consumer: 'client',
      build: {
        outDir: at('dist/widget'),
        emptyOutDir: false,
        target,
        rolldownOptions: {
          input: { loader: at('widget/loader.ts') },
          preserveEntrySignatures: 'strict',
          checks: { emptyImportMeta: false },
          output: { ...classic, entryFileNames: 'loader.js' },
        },
      },
    },
  },
});
