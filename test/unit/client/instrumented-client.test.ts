import { expect, test } from 'vitest';
import type { RailClients } from '../../../server/providers/connector.ts';
import { instrumentClients } from '../../../server/rails/instrumented-client.ts';

test('the instrumented client forwards calls and has the properties of the wrapped client', async () => {
  const statement = { listsRefunds: false, findMovement: undefined, listMovements: async (day: string) => [day] };
  const clients = { statement } as unknown as RailClients;
  const watched = instrumentClients({ connector: 'appypay', kind: 'gpo' }, clients)
    .statement as unknown as typeof statement;
  expect(watched.listsRefunds).toBe(false);
  expect(watched.findMovement).toBeUndefined();
  expect(await watched.listMovements('2026-11-24')).toEqual(['2026-11-24']);
});
