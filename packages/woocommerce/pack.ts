// Packs the plug-in for WordPress with the PHP client, for `dist/downloads`.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PLUGIN_FILE } from '../../shared/woocommerce.ts';
import { writeZip } from './zip.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const CLIENT = fileURLToPath(new URL('../php/', import.meta.url));
const PARTS = ['balcao.php', 'uninstall.php', 'readme.txt', 'LICENSE', 'includes', 'assets', 'languages'];

/** The files of the plug-in by their paths in the archive. */
export function listPlugin(): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  const add = (folder: string, path: string, name: string) => files.set(name, readFileSync(join(folder, path)));
  for (const path of findFiles(HERE).filter((file) => PARTS.includes(file.split('/')[0] ?? '')))
    add(HERE, path, `balcao/${path}`);
  for (const path of findFiles(join(CLIENT, 'src'))) add(join(CLIENT, 'src'), path, `balcao/lib/${path}`);
  add(CLIENT, 'LICENSE', 'balcao/lib/LICENSE');
  return files;
}

function findFiles(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return files.map((file) => file.slice(join(folder, '/').length)).toSorted();
}

/** Writes the archive into a folder. */
export function packPlugin(folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, PLUGIN_FILE), writeZip(listPlugin()));
}
