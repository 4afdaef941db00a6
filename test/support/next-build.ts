// Another build of the console: the files of this one, with another shell script and another word on the till.
import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';
import { SCRATCH } from './scratch.ts';
import { ROOT } from './source.ts';

/** Copies `dist` and changes it as a release would. @param word the words of the copy's till, by those of this build */
export function makeNextBuild(word: [from: string, to: string]): string {
  const folder = mkdtempSync(join(SCRATCH, 'balcao-next-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const part of ['client', 'ssr', 'widget'])
    cpSync(join(ROOT, 'dist', part), join(folder, part), { recursive: true });
  for (const name of readdirSync(join(folder, 'ssr')).filter((each) => each.endsWith('.js')))
    change(join(folder, 'ssr', name), (text) => text.replaceAll(...word));
  const manifest = join(folder, 'client/manifest.json');
  const { file } = JSON.parse(readFileSync(manifest, 'utf8'))['console/shell.client.ts'] as { file: string };
  const next = file.replace(/-[\w-]+\.js$/, '-nextnext.js');
  change(manifest, (text) => text.replaceAll(file, next));
  renameSync(join(folder, 'client', file), join(folder, 'client', next));
  const text = change(join(folder, 'client', next), (before) => `${before}\n/* next */`);
  writeFileSync(join(folder, 'client', `${next}.br`), brotliCompressSync(text));
  writeFileSync(join(folder, 'client', `${next}.gz`), gzipSync(text));
  return folder;
}

function change(file: string, by: (text: string) => string): string {
  const text = by(readFileSync(file, 'utf8'));
  writeFileSync(file, text);
  return text;
}
