// Scratch.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../support/app.ts';
import { createReference, readHistory } from '../support/ppr.ts';
let app: TestApp;
beforeAll(async () => { app = await startTestApp(); });
afterAll(() => app?.stop());
test('long', async () => {
  const made = await createReference(app, { description: 'x'.repeat(100_000) });
  const h = await until(async () => { const h = await readHistory(app, made.reference); return h.length > 1 && h; });
  console.log('RESULT', JSON.stringify(h));
  expect(1).toBe(1);
});
