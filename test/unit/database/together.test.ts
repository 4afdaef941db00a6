import { expect, test } from 'vitest';
import { createBatchWriter } from '../../../server/database/db.ts';

/** Statements that stay open until the test ends them. */
function openStatements(options = { statements: 2, rows: 3 }) {
  const sent: { rows: string[]; end(): void; fail(error: Error): void }[] = [];
  const write = createBatchWriter<string, string>(
    (rows) =>
      new Promise((resolve, reject) => {
        sent.push({ rows, end: () => resolve(rows.map((row) => `wrote ${row}`)), fail: reject });
      }),
    options,
  );
  return { write, sent, rows: () => sent.map((statement) => statement.rows.join('')) };
}

/** Runs the handlers of settled promises and the work that waits for them. */
async function settle(): Promise<void> {
  for (const _ of [1, 2]) await new Promise((resolve) => setImmediate(resolve));
}

test('a batch contains the rows of one event-loop tick if the pool has a free SQL statement slot', async () => {
  const { write, rows } = openStatements();
  void write('a');
  await settle();
  expect(rows()).toEqual(['a']);
  void write('b');
  void write('c');
  await settle();
  expect(rows()).toEqual(['a', 'bc']);
});

test('a batch contains the rows that arrive while all statement slots are busy, in their order', async () => {
  const { write, sent, rows } = openStatements({ statements: 1, rows: 3 });
  void write('a');
  await settle();
  for (const row of 'bcd') void write(row);
  await settle();
  expect(rows()).toEqual(['a']);
  sent[0]!.end();
  await settle();
  expect(rows()).toEqual(['a', 'bcd']);
});

test('batches never exceed the limit of rows, or the limit of concurrent statements', async () => {
  const { write, sent, rows } = openStatements();
  for (const row of 'abcdefgh') void write(row);
  await settle();
  expect(rows()).toEqual(['abc', 'def']);
  sent[0]!.end();
  await settle();
  expect(rows()).toEqual(['abc', 'def', 'gh']);
});

test('a batch returns each row its own result', async () => {
  const { write, sent } = openStatements();
  const told = Promise.all(['a', 'b', 'c', 'd'].map(write));
  await settle();
  sent[0]!.end();
  sent[1]!.end();
  expect(await told).toEqual(['wrote a', 'wrote b', 'wrote c', 'wrote d']);
});

test('a failed batch rejects each of its rows, and the next batch runs', async () => {
  const { write, sent, rows } = openStatements({ statements: 1, rows: 2 });
  const told = Promise.allSettled(['a', 'b', 'c', 'd', 'e'].map(write));
  await settle();
  sent[0]!.end();
  await settle();
  sent[1]!.fail(new Error('away'));
  await settle();
  sent[2]!.end();
  const results = ['fulfilled', 'fulfilled', 'rejected', 'rejected', 'fulfilled'];
  expect((await told).map(({ status }) => status)).toEqual(results);
  expect(rows()).toEqual(['ab', 'cd', 'e']);
});
