// The OPG connector keeps its contract against our fake, and the suite says what it needs.
import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { opgSuite } from '../../../rails/suites/opg.ts';

describe('opg', () => {
  it.each(opgSuite.cases)('$name', (one) => opgSuite.run(one));

  it('has enough cases, each with its own name', () => {
    const names = opgSuite.cases.map(({ name }) => name);
    assert.ok(names.length >= 60);
    assert.equal(new Set(names).size, names.length);
  });

  it('says which variables a live account lacks', () => {
    assert.deepEqual(opgSuite.liveAccount({ OPG_DIALECT: 'vpos' }), { missing: ['OPG_POS_ID', 'OPG_TOKEN'] });
    const live = opgSuite.liveAccount({ OPG_DIALECT: 'vpos', OPG_POS_ID: '111', OPG_TOKEN: 't' });
    assert.ok('account' in live);
    assert.deepEqual(live.account.settings, { dialect: 'vpos', posId: '111' });
  });

  it('the fake’s page lets a person decide', async () => {
    const { fake } = await opgSuite.openFixture();
    const press = (id: string, action: string) =>
      fetch(`${fake.url}/_act`, { method: 'POST', body: new URLSearchParams({ id, action }) });
    try {
      const order = { amount: '10.00', callbackUrl: 'http://127.0.0.1:1/x' };
      const { id } = await fake.book.push({ ...order, mobile: '923456789' });
      const charge = fake.book.makeCharge(order);
      assert.match(await (await fetch(fake.url)).text(), /923456789: 10\.00 AOA<\/p><p>waiting/);
      await press(id, 'No funds');
      await press(charge.id, 'Approve');
      assert.equal(fake.book.transactions.get(id)?.status_reason, 2001);
      assert.equal(charge.status, 'used');
    } finally {
      await fake.stop();
    }
  });
});
