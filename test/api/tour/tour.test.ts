// Calls every operation once and compares the shapes of all responses and deliveries with `shapes.txt`.
import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { startTestApp } from '../../support/app.ts';
import { expectCounted } from '../../support/lists.ts';
import { NOTIFY_ENV } from '../../support/notify.ts';
import { RECEIVER_ENV, startReceiver } from '../../support/receiver.ts';
import { makeExamples, writeExamples } from './examples.ts';
import { readOperations, type Operations } from './operations.ts';
import { startTour, type Tour } from './recorder.ts';
import { writeShapes } from './shapes.ts';
import { walk } from './walk.ts';

const SHAPES = new URL('shapes.txt', import.meta.url);
const EXAMPLES = new URL('../../../server/docs/examples.json', import.meta.url);
const IS_UPDATE = process.env['UPDATE_TOUR'] === '1';
/** The tour never exceeds these quotas. They are named in the headers of each response. */
const LIMITS = { RATE_LIMIT_WRITE: '100000', RATE_LIMIT_READ: '100000', RATE_LIMIT_TERMINAL: '100000' };

test('every response and delivery of the interface has the shape that is recorded in shapes.txt', async () => {
  const merchant = await startReceiver();
  const app = await startTestApp({ env: { ...RECEIVER_ENV, ...NOTIFY_ENV, ...LIMITS } });
  const tour = startTour(app, merchant);
  await walk(tour);
  await expectCounted(app);
  const operations = readOperations((await app.call('/openapi.json')).json);
  expect(listUnwalked(operations, tour), 'operations without a successful call').toEqual([]);
  await compare(SHAPES, writeShapes(operations, tour.steps));
  await compare(EXAMPLES, writeExamples(makeExamples(operations, tour.steps)));
});

/** Compares the text with the file. With `UPDATE_TOUR=1` writes the file instead. */
async function compare(file: URL, text: string): Promise<void> {
  if (IS_UPDATE) await writeFile(file, text);
  const recorded = await readFile(file, 'utf8');
  const name = file.pathname.split('/').at(-1);
  expect.soft(linesOnlyIn(text, recorded), `new lines of ${name}`).toEqual([]);
  expect.soft(linesOnlyIn(recorded, text), `missing lines of ${name}`).toEqual([]);
  expect(text === recorded, `the order of lines in ${name}`).toBe(true);
}

function linesOnlyIn(text: string, other: string): string[] {
  const known = new Set(readLines(other));
  return readLines(text).filter((line) => !known.has(line));
}

/** Puts the name of its section in front of each line, because many sections have equal keys. */
function readLines(text: string): string[] {
  let section = '';
  return text.split('\n').map((line) => (line.startsWith(' ') ? `${section}: ${line.trim()}` : (section = line)));
}

function listUnwalked({ names, find }: Operations, { steps }: Tour): string[] {
  const walked = steps.map((step) =>
    'status' in step && step.status < 400 ? find(step.method, step.path).name : null,
  );
  return names.filter((name) => !walked.includes(name));
}
