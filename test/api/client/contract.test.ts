// Compares the client's contract with /openapi.json. `npm run client` (UPDATE_CLIENT=1) writes the contract.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'prettier';
import { expect, test } from 'vitest';
import { writeContract } from '../../../packages/client/generate.ts';
import { startTestApp } from '../../support/app.ts';
import { ROOT } from '../../support/source.ts';

const FILE = join(ROOT, 'packages/client/src/contract.ts');

test('packages/client/src/contract.ts matches /openapi.json', async () => {
  const app = await startTestApp();
  const { json } = await app.call('/openapi.json', { token: null });
  const style = { parser: 'typescript', singleQuote: true, printWidth: 120 };
  const contract = await format(writeContract(json), style);
  if (process.env['UPDATE_CLIENT']) writeFileSync(FILE, contract);
  expect(contract === readFileSync(FILE, 'utf8'), 'the document has changed: npm run client').toBe(true);
});
