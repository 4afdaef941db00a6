// The complete table of statuses and events is tested in test/unit/terminals/states.test.ts.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inTransaction, openDatabase, type Database } from '../../../server/database/orm.ts';
import { entities } from '../../../server/entities.ts';
import { Problem } from '../../../server/http/problem.ts';
import type { TerminalStatus } from '../../../server/providers/provider.ts';
import { createTerminal, TRANSITIONS, transition, type TerminalEvent } from '../../../server/terminals/states.ts';
import { freshDatabase, type FreshDatabase } from '../../support/database.ts';

const MET_AT = new Date('2026-03-02T09:00:00.000Z');
const AT = new Date('2026-03-02T09:10:00.123Z');

let fresh: FreshDatabase;
let database: Database;
beforeAll(async () => {
  fresh = await freshDatabase();
  database = await openDatabase(fresh.url, { entities, poolMax: 8 });
});
afterAll(async () => {
  await database.orm.close(true);
  await fresh.drop();
});

async function meet(status: TerminalStatus, details?: object) {
  const owned = { merchantId: randomUUID(), posId: 'pos-1' };
  const first = { ...owned, status, period: '4', supervisorRequired: true, dueAt: null };
  expect(await createTerminal(database, first, MET_AT, details)).toBe(true);
  return { ...owned, id: (await readRow(owned)).id as string };
}

async function readRow({ merchantId }: { merchantId: string }) {
  return (await database.pool.query('select * from terminals where merchant_id = $1', [merchantId])).rows[0];
}

async function readEvents({ merchantId }: { merchantId: string }) {
  const text = 'select type, status, payment_id, details from events where merchant_id = $1 order by seq';
  return (await database.pool.query(text, [merchantId])).rows;
}

type Met = Awaited<ReturnType<typeof meet>>;

function move(terminal: Met, event: TerminalEvent): Promise<'moved' | 'already' | 'refused'> {
  const change = { set: { period: '5' }, details: { by: 'test' }, at: AT };
  return inTransaction(database, (db) => transition(db, terminal, event, change)).then(
    (hasMoved) => (hasMoved ? 'moved' : 'already'),
    (error: unknown) => {
      if (error instanceof Problem && error.code === 'terminal_busy') return 'refused';
      throw error;
    },
  );
}

test.each([
  ['Closed', 'open', 'moved'],
  ['Open', 'reportOpen', 'already'],
  ['Opening', 'close', 'refused'],
] as const)('the transition from %s by %s is %s', async (status, event, expected) => {
  const terminal = await meet(status);
  const before = await readRow(terminal);
  const { to } = TRANSITIONS[event];
  expect(await move(terminal, event)).toBe(expected);
  const after = await readRow(terminal);
  if (expected !== 'moved') {
    expect(after).toEqual(before);
    expect(await readEvents(terminal)).toEqual([]);
    return;
  }
  expect(after).toMatchObject({ status: to, period: '5', due_count: before.due_count + 1 });
  expect(new Date(after.changed_at)).toEqual(AT);
  const type = `terminal.${to.toLowerCase()}`;
  expect(await readEvents(terminal)).toEqual([
    { type, status: to, payment_id: null, details: { posId: 'pos-1', by: 'test' } },
  ]);
});

test('a transition that is rolled back changes no status and writes no event', async () => {
  const terminal = await meet('Open');
  const before = await readRow(terminal);
  const undone = inTransaction(database, async (db) => {
    await transition(db, terminal, 'close', { at: AT });
    throw new Error('on purpose');
  });
  await expect(undone).rejects.toThrow('on purpose');
  expect(await readRow(terminal)).toEqual(before);
  expect(await readEvents(terminal)).toEqual([]);
});

describe('createTerminal', () => {
  test('returns an existing terminal unchanged and writes no event', async () => {
    const terminal = await meet('Closed');
    const again = { ...terminal, status: 'Open', period: '9', supervisorRequired: false, dueAt: null } as const;
    expect(await createTerminal(database, again, AT)).toBe(false);
    expect(await readRow(terminal)).toMatchObject({ status: 'Closed', period: '4', supervisor_required: true });
    expect(await readEvents(terminal)).toEqual([]);
  });

  test('writes an event if the rail reported the terminal', async () => {
    const terminal = await meet('Closed', { by: 'rail' });
    expect(await readEvents(terminal)).toMatchObject([
      { type: 'terminal.closed', details: { posId: 'pos-1', by: 'rail' } },
    ]);
  });
});
