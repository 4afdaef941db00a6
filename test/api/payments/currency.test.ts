// Which currencies are taken: any well-formed one in the sandbox, in production what the rail's connector takes (decisions §3).
import { beforeAll, describe, expect, test } from 'vitest';
import type { Core } from '../../../server/core.ts';
import { createPayment } from '../../../server/payments/create.ts';
import { creationRequest, type GpoCreation } from '../../../server/payments/schemas.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { webframe } from '../../support/payments.ts';
import { leavesNothing } from '../../support/rows.ts';
import { openRailAccounts } from '../../../server/rails/rail-accounts.ts';
import { ownKeys, ownRails } from '../../../server/rails/node-rails.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

describe('the sandbox', () => {
  test.each([
    ['AOA', 1500.5],
    ['USD', 19.99],
    ['JPY', 1500],
    ['KWD', 1.234],
    ['ZZZ', 1.25],
  ])('takes %s', async (currency, amount) => {
    const reply = await app.call('/api/payments', { body: webframe({ currency, amount }) });
    expect(reply).toMatchObject({ status: 201, json: { currency, amount } });
  });
});

describe('production', () => {
  /** This node's core, told that it runs in production: a node that does cannot reach the simulator. */
  async function createInProduction(currency: string) {
    const config = { ...app.node.core.config, isSandbox: false, GPO_URL: app.url };
    const base = { ...app.node.core, config };
    const rails = await openRailAccounts(base, ownRails(base, ownKeys(base), ''));
    const core: Core = { ...base, rails };
    const { merchantId } = await app.addMerchant();
    const request = creationRequest.parse(webframe({ currency })) as GpoCreation;
    return createPayment(core, { merchantId, request, keyed: null, wantsRepresentation: false });
  }

  test('takes AOA', async () => {
    expect((await createInProduction('AOA')).answer.status).toBe(201);
  });

  test.each(['USD', 'EUR', 'ZZZ'])('refuses %s, and nothing is left of it', async (currency) => {
    await leavesNothing(app, () =>
      expect(createInProduction(currency)).rejects.toMatchObject({
        code: 'currency_not_supported',
        options: { faults: [{ pointer: '/currency', code: 'currency_not_supported' }] },
      }),
    );
  });
});
