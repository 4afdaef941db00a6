// A tour of the whole HTTP interface, every answer of which is kept in `tour.golden.json`: nothing that callers see changes unseen.
import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { expectCounted } from '../../support/lists.ts';
import { NOTIFY_ENV } from '../../support/notify.ts';
import { RECEIVER_ENV, startReceiver } from '../../support/receiver.ts';
import { makeExamples, writeExamples } from '../../support/tour/examples.ts';
import { startTour, type Kept, type Tour } from '../../support/tour/recorder.ts';
import { walk } from '../../support/tour/walk.ts';

const GOLDEN = new URL('tour.golden.json', import.meta.url);
const EXAMPLES = new URL('../../../server/docs/examples.json', import.meta.url);
const WRITES = process.env['UPDATE_TOUR'] === '1';
/** Quotas that nobody reaches, so that each answer says whose quota it took from. */
const LIMITS = { RATE_LIMIT_WRITE: '100000', RATE_LIMIT_READ: '100000', RATE_LIMIT_TERMINAL: '100000' };
/** Differences that are told; the first ones cause the others mostly. */
const TOLD = 5;
const UNWALKED = 'operations without a happy call';

test('every answer is the one that was kept', { timeout: 180_000 }, async () => {
  const merchant = await startReceiver();
  const app = await startTestApp({ env: { ...RECEIVER_ENV, ...NOTIFY_ENV, ...LIMITS } });
  const tour = startTour(app, merchant);
  const failure = await walk(tour).then(
    () => null,
    (error: unknown) => error,
  );
  await expectCounted(app);
  if (WRITES) return rewrite(app, tour, failure);
  const golden = JSON.parse(await readFile(GOLDEN, 'utf8')) as Kept[];
  const before = new Map(golden.map((kept) => [kept.step, kept]));
  const differing = tour.kept.filter((kept) => !isSame(kept, before.get(kept.step))).map(({ step }) => step);
  expect.soft(differing, 'steps that differ').toEqual([]);
  for (const kept of tour.kept.filter(({ step }) => differing.slice(0, TOLD).includes(step)))
    expect.soft(kept, `the step “${kept.step}”`).toEqual(before.get(kept.step));
  if (failure) throw failure;
  const stepsOf = (all: Kept[]) => all.map(({ step }) => step);
  expect(stepsOf(tour.kept), 'the steps in their order').toEqual(stepsOf(golden));
  expect(await listUnwalked(app, tour), UNWALKED).toEqual([]);
});

const isSame = (one: Kept, other: Kept | undefined) => write(one) === write(other);

/** Of a second that the clock went through in steps, on a slow machine, only the second counts. */
const write = (kept: Kept | undefined) => JSON.stringify(kept)?.replaceAll(/(T\d\d:\d\d:\d\d)\.000Z/g, '$1~');

/** Keeps the answers as they are now, where the walk came to its end. */
async function rewrite(app: TestApp, tour: Tour, failure: unknown): Promise<void> {
  if (failure) throw failure;
  expect(await listUnwalked(app, tour), UNWALKED).toEqual([]);
  await writeFile(GOLDEN, `${JSON.stringify(tour.kept, null, 1)}\n`);
  const { paths } = (await app.call('/openapi.json')).json;
  await writeFile(EXAMPLES, writeExamples(makeExamples(paths, tour.kept)));
}

/** Operations of the document that no call was made to, or only refused ones. */
async function listUnwalked(app: TestApp, { walked }: Tour): Promise<string[]> {
  const { paths } = (await app.call('/openapi.json')).json as { paths: Record<string, object> };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  // A path with fewer names in it says more: `/api/callbacks/test` is no delivery.
  const patterns = operations
    .toSorted((a, b) => a.split('{').length - b.split('{').length)
    .map((name) => ({ name, pattern: new RegExp(`^${name.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }));
  const found = new Set([...walked].map((call) => patterns.find(({ pattern }) => pattern.test(call))?.name));
  return operations.filter((name) => !found.has(name));
}
