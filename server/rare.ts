// Packages that few nodes or requests need: loaded where one is used for the first time, for a start waits for every file.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** The package of this name, at once and not as a promise; `Package` is `typeof import(name)`. */
export function rarely<Package>(name: string): () => Package {
  return () => require(name) as Package;
}
