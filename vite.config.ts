// How the pages, their server render and the widget are built: four environments of one `vite build --app`.
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type ViteBuilder } from 'vite';

const at = (file: string) => fileURLToPath(new URL(file, import.meta.url));

// ES2020 is what Chrome 80 and Safari 14 run: the WebViews of cheap Androids that stopped being updated. Older browsers do
// not run the script and use the page as it is served.
const target = 'es2020';

const cssTarget = 'chrome80';

const production = { 'process.env.NODE_ENV': '"production"' };

// Two manifests on the way, one in the end: `dist/client/manifest.json` names every script by its source.
const manifests = [at('dist/client/manifest.json'), at('dist/client/manifest.sandbox.json')] as const;

async function buildApp(builder: ViteBuilder) {
  for (const environment of Object.values(builder.environments)) await builder.build(environment);
  const [all, sandbox] = manifests;
  const scripts = manifests.flatMap((file) => Object.entries(JSON.parse(readFileSync(file, 'utf8'))));
  writeFileSync(all, JSON.stringify(Object.fromEntries(scripts), null, 2));
  rmSync(sandbox);
  copyFileSync(at('widget/widget.d.ts'), at('dist/widget/widget.d.ts'));
}

const browser = {
  outDir: at('dist/client'),
  target,
  cssTarget,
  modulePreload: false,
} as const;

export default defineConfig({
  root: at('.'),
  appType: 'custom',
  publicDir: false,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  builder: { buildApp },
  environments: {
    client: {
      build: {
        ...browser,
        emptyOutDir: true,
        manifest: 'manifest.json',
        rolldownOptions: { input: { checkout: at('checkout/main.tsx') } },
      },
    },
    // Built apart, or what they share with the checkout would become a second file that payers wait for.
    sandbox: {
      consumer: 'client',
      build: {
        ...browser,
        emptyOutDir: false,
        manifest: 'manifest.sandbox.json',
        rolldownOptions: {
          input: {
            phone: at('checkout/sandbox/phone.client.ts'),
            demo: at('checkout/sandbox/demo.client.ts'),
            scan: at('checkout/sandbox/scan.client.ts'),
            callbacks: at('checkout/sandbox/callbacks.client.ts'),
          },
        },
      },
    },
    ssr: {
      // Everything inside, so that the render and its components share one Preact.
      resolve: { noExternal: true },
      define: production,
      build: {
        outDir: at('dist/ssr'),
        emptyOutDir: true,
        ssr: true,
        target: 'node22',
        cssTarget,
        rolldownOptions: {
          input: {
            render: at('checkout/render.tsx'),
            sandbox: at('checkout/sandbox/render.tsx'),
            account: at('checkout/account/render.tsx'),
          },
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
          preserveEntrySignatures: 'strict',
          // A classic script has no `import.meta`; it asks `document.currentScript` instead.
          checks: { emptyImportMeta: false },
          output: [
            { format: 'iife', name: 'Balcao', entryFileNames: 'widget.js', generatedCode: { symbols: false } },
            { format: 'es', entryFileNames: 'widget.mjs' },
          ],
        },
      },
    },
  },
});
