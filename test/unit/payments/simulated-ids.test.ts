import { describe, expect, test } from 'vitest';
import { simulatedIds } from '../../../shared/simulated.ts';

const ID = '019a0000-0000-7000-8000-0123456789ab';
const URL = 'https://rail.example';
const idsWith = (rails: object) => simulatedIds({ isSandbox: true, ...rails }, ID);

describe('simulatedIds', () => {
  test('assigns all rail ids in a sandbox', () => {
    const own = { gpoMerchantIds: ['sandbox-0123456789ab'], gpoPosIds: ['sandbox-pos-0123456789ab'] };
    expect(idsWith({})).toEqual({ ...own, entity: '00999' });
  });

  test('assigns no rail ids in production', () => {
    expect(idsWith({ isSandbox: false })).toEqual({ gpoMerchantIds: [], gpoPosIds: [], entity: null });
  });

  test('assigns no ids of a rail that the operator configured', () => {
    const gpo = idsWith({ GPO_URL: URL });
    expect(gpo).toEqual({ gpoMerchantIds: [], gpoPosIds: [], entity: '00999' });
    const ppr = idsWith({ PPR_URL: URL });
    expect(ppr).toMatchObject({ gpoPosIds: [expect.any(String)], entity: null });
  });
});
