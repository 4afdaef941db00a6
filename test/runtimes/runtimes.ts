// The runtimes that @balcao/client supports: their npm packages, and the command that serves the shop on each.
import { existsSync, globSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { build } from 'vite';
import { run, serve, type Server } from './processes.ts';

export type Runtime = {
  name: string;
  /** npm packages that contain the runtime's binary, so that no install script has to run. */
  packages: string[];
  version(folder: string): string;
  start(folder: string): Promise<Server>;
  /** A further check of this runtime. Returns the wrong page, or null if the page is right. */
  check?(url: string): Promise<string | null>;
};

const { platform, arch } = process;
const ARCH_OF_BUN = arch === 'arm64' ? 'aarch64' : `${arch}-baseline`;
const ARCH_OF_WORKERD = arch === 'x64' ? '64' : arch;
const LIBC = platform === 'linux' ? '-glibc' : '';

/** Finds the installed binary of the package for this platform. */
const find = (folder: string, path: string) => globSync(join(folder, 'node_modules', path))[0]!;
const versionOf = (binary: string) =>
  run('.', binary, ['--version'])
    .split('\n')[0]!
    .replace(/^\D+| .*/g, '');

/** The Node.js versions in PATH, and the version that runs this script. */
const NODES = new Map(
  [process.execPath, ...process.env['PATH']!.split(delimiter).map((folder) => join(folder, 'node'))]
    .filter((path) => existsSync(path))
    .map((path) => [versionOf(path), path]),
);

const nodes = [...NODES].map(([version, path]): Runtime => ({
  name: 'node',
  packages: [],
  version: () => version,
  start: (folder) => serve(folder, path, ['node.js']),
}));

const BUN = '@oven/*/bin/bun';
const DENO = '@deno/*/deno';
const WORKERD = '@cloudflare/*/bin/workerd';

const elsewhere: Runtime[] = [
  {
    name: 'bun',
    packages: [`@oven/bun-${platform}-${ARCH_OF_BUN}@1.4.5`],
    version: (folder) => versionOf(find(folder, BUN)),
    start: (folder) => serve(folder, find(folder, BUN), ['bun.js']),
  },
  {
    name: 'deno',
    packages: [`@deno/${platform}-${arch}${LIBC}@2.9.6`],
    version: (folder) => versionOf(find(folder, DENO)),
    start: (folder) => serve(folder, find(folder, DENO), ['run', '--allow-net', 'deno.js']),
  },
  {
    name: 'workerd',
    packages: [`@cloudflare/workerd-${platform}-${ARCH_OF_WORKERD}@1.20261117.1`],
    version: (folder) => versionOf(find(folder, WORKERD)),
    async start(folder) {
      const output = { dir: folder, entryFileNames: 'worker.mjs' };
      const input = join(folder, 'worker.js');
      const rolldownOptions = { input, output, preserveEntrySignatures: 'strict' } as const;
      await build({
        root: folder,
        configFile: false,
        logLevel: 'warn',
        build: { emptyOutDir: false, rolldownOptions },
      });
      return serve(folder, find(folder, WORKERD), ['serve', '--control-fd=1', 'worker.capnp']);
    },
  },
  {
    name: 'next',
    packages: [
      `@next/swc-${platform}-${arch}${LIBC && '-gnu'}@16.4.6`,
      'next@16.4.6',
      'react@19.3.1',
      'react-dom@19.3.1',
    ],
    version: (folder) =>
      run(folder, process.execPath, ['node_modules/next/dist/bin/next', '--version']).replace(/^\D+|\s+$/g, ''),
    start(folder) {
      const next = 'node_modules/next/dist/bin/next';
      run(folder, process.execPath, [next, 'build'], { NEXT_TELEMETRY_DISABLED: '1' });
      return serve(folder, process.execPath, [next, 'start', '-p', '0', '-H', '127.0.0.1'], /127\.0\.0\.1:(\d+)/);
    },
    async check(url) {
      const page = await (await fetch(`${url}/?gateway=https://pay.example&token=t`)).text();
      const parts = [
        /<balcao-payment[^>]*><a href="\/pay">Pagar<\/a>/,
        /<script[^>]* src="https:\/\/pay\.example\/widget\/loader\.js"/,
      ];
      return parts.every((part) => part.test(page)) ? null : page;
    },
  },
];

export const RUNTIMES = [...nodes, ...elsewhere];
