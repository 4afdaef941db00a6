// Adds the declaration files to both builds. The elements' types are those that the gateway serves as /widget.d.ts.
import { copyFileSync, writeFileSync } from 'node:fs';

for (const folder of ['dist', 'dist/cjs']) {
  for (const name of ['react', 'vue', 'svelte']) copyFileSync(`src/${name}.d.ts`, `${folder}/${name}.d.ts`);
  copyFileSync('../../widget/widget.d.ts', `${folder}/elements.d.ts`);
}
writeFileSync('dist/cjs/package.json', JSON.stringify({ type: 'commonjs' }));
