// What Node made of our sources is kept in `dist/compiled` from one start to the next: half of a start is compiling. Where that cannot
// be written, nothing is kept. In JavaScript for `--import`, before any other: what reads TypeScript, 16 MiB, is then not loaded at all.
// Older releases of Node load this file too, and end here with one sentence.
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `Balcão needs Node 22.18 or newer, and this is ${process.version}: run npm ci, which brings Node 24, and start by npm start or node_modules/.bin/node.`,
  );
  process.exit(1);
}

module.enableCompileCache(fileURLToPath(new URL('../dist/compiled', import.meta.url)));
