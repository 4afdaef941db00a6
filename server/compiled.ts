// What Node made of our sources, kept from one start to the next: half of a start is compiling.
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Whatever is imported from here on is read from `dist/compiled` if it was compiled before. Where that cannot be written, nothing is kept. */
export function keepCompiled(): void {
  enableCompileCache(fileURLToPath(new URL('../dist/compiled', import.meta.url)));
}
