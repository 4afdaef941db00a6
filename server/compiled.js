// What Node made of our sources is kept in `dist/compiled` from one start to the next: half of a start is compiling. Where that cannot
// be written, nothing is kept. In JavaScript for `--import`, before any other: what reads TypeScript, 16 MiB, is then not loaded at all.
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

enableCompileCache(fileURLToPath(new URL('../dist/compiled', import.meta.url)));
