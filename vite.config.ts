// The build of the pages, their server render, the widget and the gateway: eight environments of `vite build --app`.
// `--mode server` builds the gateway alone.
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { defineConfig, type Plugin, type ViteBuilder } from 'vite';
import { packPlugin } from './packages/woocommerce/pack.ts';

// The build is always for production. Vitest, which builds the gateway for tests, would set `test`.
process.env['NODE_ENV'] = 'production';

const at = (file: string) => fileURLToPath(new URL(file, import.meta.url));

// Chrome 80 and Safari 14 run ES2020. Cheap Android phones have WebViews of that age without updates.
// Older browsers do not run the script and use the served page.
const target = 'es2020';

const cssTarget = 'chrome80';

const production = { 'process.env.NODE_ENV': '"production"' };

// The build merges these manifests into `dist/client/manifest.json`, which names every script by its source.
const manifests = ['manifest.json', 'manifest.extras.json', 'manifest.console.json', 'manifest.shell.json'].map(
  (name) => at(`dist/client/${name}`),
) as [string, ...string[]];

async function buildApp(builder: ViteBuilder) {
  const { server } = builder.environments;
  if (builder.config.mode === 'server' && server) return void (await builder.build(server));
  // The next start builds again if this build does not end.
  rmSync(at('dist/built'), { force: true });
  for (const environment of Object.values(builder.environments)) await builder.build(environment);
  const [all, ...others] = manifests;
  const scripts = manifests.flatMap((file) => Object.entries(JSON.parse(readFileSync(file, 'utf8'))));
  writeFileSync(all, JSON.stringify(Object.fromEntries(scripts), null, 2));
  for (const file of others) rmSync(file);
  publishWidget();
  publishDownloads();
  for (const folder of ['dist/client/assets', 'dist/widget', 'dist/widget/widget', 'dist/downloads'])
    compressFiles(at(folder));
  writeFileSync(at('dist/built'), '');
}

/** Packs the plug-in for WordPress into `dist/downloads`, which the server sends under `/downloads/`. */
function publishDownloads(): void {
  const folder = at('dist/downloads');
  rmSync(folder, { recursive: true, force: true });
  packPlugin(folder);
}

/** Writes a `.br` and a `.gz` copy of each file that the server sends, so that no node compresses at its start. */
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
 * Writes the widget's files into `dist/widget` under their URLs: the newest files, and copies with a fixed version.
 * Each has the hash for a page's `integrity` attribute. The loader checks the hash of the widget that it fetches.
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

/** Folders with JSX. */
const DRAWN = ['checkout/', 'console/', 'sandbox/pages/', 'shared/ui/', 'widget/'].map(at);

/** Files of these folders whose components a script redraws in the page. */
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

/** Imports one function that JSX calls. The automatic runtime would add a second one to each script. */
const importMake: Plugin = {
  name: 'import-make',
  enforce: 'pre',
  transform(code, id) {
    if (!id.endsWith('.tsx') || !DRAWN.some((folder) => id.startsWith(folder))) return null;
    const isRedrawn = REDRAWN.some((place) => id.startsWith(place));
    const make = isRedrawn ? `{ make } from ${JSON.stringify(at('shared/ui/make.ts'))}` : "{ h as make } from 'preact'";
    return `import ${make};import { Fragment } from 'preact';\n${code}`;
  },
};

/** Keeps `import.meta.url` at the source's path, so that the built gateway finds data files there. */
const keepSourceUrls: Plugin = {
  name: 'keep-source-urls',
  applyToEnvironment: ({ name }) => name === 'server',
  transform(code, id) {
    if (id.includes('/node_modules/') || !code.includes('import.meta.url')) return null;
    const place = JSON.stringify(relative(at('dist/server'), id));
    return code.replaceAll('import.meta.url', () => `new URL(${place}, import.meta.url).href`);
  },
};

/**
 * Drops some 1,700 bytes of the signals package, which bind each signal to its components.
 * An effect redraws a whole island when one of its signals changes, so the island's script needs the signals only.
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
  plugins: [importMake, keepSourceUrls],
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
    // A separate build, because modules shared with the checkout would become a second file for payers to load.
    extras: {
      consumer: 'client',
      build: {
        ...browser,
        emptyOutDir: false,
        license: license('extras'),
        manifest: 'manifest.extras.json',
        rolldownOptions: {
          input: {
            phone: at('sandbox/pages/phone.client.ts'),
            demo: at('sandbox/pages/demo.client.ts'),
            scan: at('sandbox/pages/scan.client.ts'),
            callbacks: at('sandbox/pages/callbacks.client.ts'),
            account: at('checkout/account/account.client.ts'),
            frame: at('checkout/frame.ts'),
            docs: at('checkout/docs/docs.client.ts'),
          },
        },
      },
    },
    // A separate build for the same reason. The console's script and the renderer of islands are one file each.
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
    // The shell is one file with the keypad in it, because the service worker caches all that the shell needs.
    shell: {
      consumer: 'client',
      build: {
        ...browser,
        emptyOutDir: false,
        license: license('shell'),
        manifest: 'manifest.shell.json',
        rolldownOptions: {
          input: { shell: at('console/shell.client.ts'), worker: at('console/worker.ts') },
          treeshake,
        },
      },
    },
    ssr: {
      // Bundles all packages, so that the render and its components share one Preact.
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
    // Bundles the gateway into a few files. Node needs a third more time and 18 MiB more for 1,300 files.
    // The files are not minified, so that a stack trace is readable without source maps, which take 25 MiB.
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
          // The code identifies entities and errors by their class names.
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
          // A classic script has no `import.meta` and reads `document.currentScript` instead.
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
