// The server in one bundle for the processes that tests start and kill: two thirds of a start were finding and linking 1,300 files.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin, type Rolldown } from 'vite';
import type { TestProject } from 'vitest/node';
import { listFiles, ROOT } from './source.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** `server/main.ts` and all that it loads. */
    serverBundle: string;
  }
}

const CACHE = join(ROOT, 'node_modules/.cache/balcao-server');
const ENTRY = 'server.mjs';

/** Packages that find files of their own by where they lie, or that few starts load. */
const APART = ['ioredis', 'nodemailer', 'pdfkit', 'pg', 'pg-native', 'pino'];

export default async function setUp(project: TestProject): Promise<void> {
  project.provide('serverBundle', await findBundle());
  project.onTestsRerun(async () => project.provide('serverBundle', await findBundle()));
}

/** The bundle of the sources as they are now, made once for each state of them. */
async function findBundle(): Promise<string> {
  const kept = join(CACHE, hashSources());
  if (existsSync(kept)) return join(kept, ENTRY);
  const files = await bundle();
  rmSync(CACHE, { recursive: true, force: true });
  mkdirSync(CACHE, { recursive: true });
  const draft = mkdtempSync(join(CACHE, 'draft-'));
  for (const [name, text] of files) writeFileSync(join(draft, name), text);
  renameSync(draft, kept);
  return join(kept, ENTRY);
}

async function bundle(): Promise<[string, string | Uint8Array][]> {
  const { output } = (await build({
    root: ROOT,
    configFile: false,
    logLevel: 'error',
    plugins: [keepPlaces],
    ssr: { noExternal: true, external: APART },
    build: {
      write: false,
      ssr: true,
      minify: false,
      target: 'esnext',
      rolldownOptions: {
        input: join(ROOT, 'server/main.ts'),
        // Entities and errors are known by their names.
        output: { keepNames: true, entryFileNames: ENTRY, chunkFileNames: '[name]-[hash].mjs' },
      },
    },
  })) as Rolldown.RolldownOutput;
  return output.map((file) => [file.fileName, file.type === 'chunk' ? file.code : file.source]);
}

/** What a source finds beside itself it finds there still. */
const keepPlaces: Plugin = {
  name: 'keep-places',
  transform: (code, id) =>
    id.includes('/node_modules/')
      ? null
      : code.replaceAll('import.meta.url', () => JSON.stringify(pathToFileURL(id).href)),
};

function hashSources(): string {
  const hash = createHash('sha256');
  for (const path of [
    ...listFiles('{server,sandbox,shared}/**/*.ts'),
    'package-lock.json',
    'test/support/global-server.ts',
  ])
    hash.update(path).update(readFileSync(join(ROOT, path)));
  return hash.digest('hex').slice(0, 16);
}
