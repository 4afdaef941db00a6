// Rail notifications with several items.
import { expect, test } from 'vitest';
import { applyEach } from '../../../server/rails/inbox.ts';

test('applyEach applies every item of a rail notification, then throws the first failure', async () => {
  const applied: number[] = [];
  const apply = async (item: number) => {
    if (item % 2 === 0) throw new Error(`item ${item}`);
    applied.push(item);
    return 'applied' as const;
  };
  await expect(applyEach([1, 2, 3, 4, 5], apply)).rejects.toThrow('item 2');
  expect(applied).toEqual([1, 3, 5]);
  expect(await applyEach([1, 3], apply)).toEqual(['applied', 'applied']);
});
