// Cases: what a charge's numbers, amounts and events come to when it is asked about.
import assert from 'node:assert/strict';
import type { RailOutcome } from '../../../../server/providers/provider.ts';
import type { FakeCharge } from '../../appypay-book.ts';
import { writeStatus } from '../../appypay-book.ts';
import {
  actOn,
  fakeOf,
  gpoOf,
  listApiCalls,
  pushAndAct,
  pushOf,
  queryOf,
  type AppyPayCase,
  type AppyPayRig,
} from './rig.ts';

/** Sends a push whose charge is then as the case makes it, and asks about it. */
async function askChanged(rig: AppyPayRig, change: (charge: FakeCharge) => void, id = 'a'): Promise<RailOutcome> {
  const { railOrderId } = await gpoOf(rig).send(pushOf(id));
  change(fakeOf(rig).book.charges.at(-1) as FakeCharge);
  return gpoOf(rig).query(queryOf(rig, id, { railOrderId }));
}

/** What a query says of a charge whose last event has this number. */
async function askCode(rig: AppyPayRig, code: number, reason?: string): Promise<RailOutcome> {
  const asked = askChanged(rig, (charge) => addStatus(charge, writeStatus(code, reason)), `${code} ${reason}`);
  return asked;
}

function addStatus(charge: FakeCharge, responseStatus: object): void {
  charge.transactionEvents.push({ responseStatus });
}

const DECLINED: Record<string, number[]> = {
  customer_refused: [231, 219, 239],
  insufficient_funds: [209, 225, 203, 204],
  limit_exceeded: [213, 215, 216, 224, 202],
  timed_out: [210, 211],
  number_not_active: [233, 242],
  issuer_refused: [201, 212, 214, 220, 221, 222, 223, 227, 228, 229],
  acquirer_setup: [206, 208, 217, 230, 404, 412, 440],
};

const FAILED_THERE = [
  [301, 302, 306, 308, 402, 403, 405, 406, 407, 408, 410, 411, 900, 901],
  [246, 247, 248, 309, 310, 311, 312, 313, 314, 315, 316, 317, 413, 414, 415, 416, 417, 418],
].flat();

export const outcomeCases: AppyPayCase[] = [
  {
    name: 'an approved push is the money that was taken, by the rail’s id of the charge',
    async run(rig) {
      const railOrderId = await pushAndAct(rig, 'a', 'approve');
      const outcome = await gpoOf(rig).query(queryOf(rig, 'a', { railOrderId }));
      const { result, providerRef, amountMinor, currency, failureCode } = outcome;
      assert.deepEqual([result, failureCode], ['approved', null]);
      assert.deepEqual([providerRef, amountMinor, currency], [railOrderId, 1500_00, 'AOA']);
      assert.deepEqual([outcome.railOrderId, outcome.details.providerTransactionId], [railOrderId, 'P2']);
    },
  },
  {
    name: 'a time without a zone is kept as it was said, and is nobody’s moment',
    isUncertain: true,
    async run(rig) {
      const railOrderId = await pushAndAct(rig, 'a', 'approve');
      const { occurredAt, details } = await gpoOf(rig).query(queryOf(rig, 'a', { railOrderId }));
      assert.deepEqual([occurredAt, details.railTime], [null, '2026-03-02T09:00:00.0005991']);
    },
  },
  {
    name: 'a charge is asked about by the rail’s id, and by ours where none was heard',
    async run(rig) {
      const railOrderId = await pushAndAct(rig, 'a', 'approve');
      const byTheirs = await gpoOf(rig).query(queryOf(rig, 'a', { railOrderId }));
      assert.equal(listApiCalls(rig).at(-1)?.path, `/v2.0/charges/${railOrderId}`);
      const byOurs = await gpoOf(rig).query(queryOf(rig, 'a'));
      const { path, query } = listApiCalls(rig).at(-1) ?? {};
      assert.equal(path, '/v2.0/charges');
      assert.deepEqual([query?.get('merchantTransactionId'), query?.get('limit')], [rig.connector.keyOf?.('a'), '1']);
      assert.deepEqual(byOurs, byTheirs);
    },
  },
  {
    name: 'an empty list means that it never saw this attempt',
    isUncertain: true,
    isLive: true,
    async run(rig) {
      const outcome = await gpoOf(rig).query(queryOf(rig, 'never sent by anybody'));
      assert.deepEqual([outcome.result, outcome.failureCode, outcome.railOrderId], ['not_found', null, null]);
    },
  },
  {
    name: 'every number of a refusal is its failure',
    async run(rig) {
      for (const [failureCode, codes] of Object.entries(DECLINED)) {
        for (const code of codes) {
          const outcome = await askCode(rig, code);
          const told = [code, outcome.result, outcome.failureCode, outcome.details.railCode];
          assert.deepEqual(told, [code, 'declined', failureCode, String(code)]);
          assert.deepEqual([outcome.providerRef, outcome.amountMinor], [null, null]);
        }
      }
    },
  },
  {
    name: 'number 200 is a number that is not active by its source’s word, and a refusal without it',
    async run(rig) {
      assert.equal((await askCode(rig, 200, 'EPMS_907')).failureCode, 'number_not_active');
      assert.equal((await askCode(rig, 200, 'EPMS_101')).failureCode, 'issuer_refused');
      assert.equal((await askCode(rig, 200)).failureCode, 'issuer_refused');
    },
  },
  {
    name: 'Unitel Money: the payer’s 30 s ran out, and a wrong PIN',
    isUncertain: true,
    async run(rig) {
      assert.equal((await askCode(rig, 238)).failureCode, 'timed_out');
      assert.equal((await askCode(rig, 243)).failureCode, 'issuer_refused');
    },
  },
  {
    name: 'Unitel Money: the numbers 240 and 244 have no meaning that anybody published',
    isUncertain: true,
    async run(rig) {
      for (const code of [240, 244]) {
        const { result, details } = await askCode(rig, code);
        assert.deepEqual([result, details.reason, details.railCode], ['unknown', 'code_unknown', String(code)]);
      }
    },
  },
  {
    name: 'numbers of waiting are pending',
    async run(rig) {
      for (const code of [101, 102, 319]) assert.equal((await askCode(rig, code)).result, 'pending');
    },
  },
  {
    name: 'a failure of transport is pending for 95 s, then nothing was charged',
    async run(rig) {
      for (const code of FAILED_THERE) assert.deepEqual([code, (await askCode(rig, code)).result], [code, 'pending']);
      const sentAt = rig.account.clock.now();
      const ask = () => gpoOf(rig).query(queryOf(rig, `${FAILED_THERE[0]} undefined`, { sentAt }));
      await rig.pass(94_999);
      assert.equal((await ask()).result, 'pending');
      await rig.pass(1);
      for (const code of FAILED_THERE) {
        const { result, failureCode, details } = await gpoOf(rig).query(queryOf(rig, `${code} undefined`, { sentAt }));
        const told = [result, failureCode, details.railCode];
        assert.deepEqual(told, ['declined', 'rail_unavailable', String(code)]);
      }
    },
  },
  {
    name: 'with a clock that was set back the 95 s are not over',
    async run(rig) {
      await askCode(rig, 302);
      const sentAt = new Date(rig.account.clock.now().getTime() + 3_600_000);
      assert.equal((await gpoOf(rig).query(queryOf(rig, '302 undefined', { sentAt }))).result, 'pending');
    },
  },
  {
    name: 'a failure of transport in the first answer is pending, however that is said',
    async run(rig) {
      fakeOf(rig).book.plans.push({ code: 405 });
      const { result, failureCode, railOrderId } = await gpoOf(rig).send(pushOf('a'));
      assert.deepEqual([result, failureCode, typeof railOrderId], ['pending', null, 'string']);
    },
  },
  {
    name: 'numbers that nobody knows stay unknown: neither refusal nor money',
    async run(rig) {
      for (const code of [-1, 999, 103]) {
        const { result, failureCode, details } = await askCode(rig, code);
        assert.deepEqual([result, failureCode, details.reason], ['unknown', null, 'code_unknown']);
      }
    },
  },
  {
    name: 'the number decides, not the word or the message beside it',
    async run(rig) {
      const refused = { ...writeStatus(231), status: 'Success', message: 'Operação realizada com sucesso' };
      assert.equal((await askChanged(rig, (charge) => addStatus(charge, refused))).failureCode, 'customer_refused');
      const approved = { ...writeStatus(100), status: 'Failed', message: 'O cliente recusou' };
      assert.equal((await askChanged(rig, (charge) => addStatus(charge, approved), 'b')).result, 'approved');
    },
  },
  {
    name: 'a number that its own flag contradicts is not believed',
    isUncertain: true,
    async run(rig) {
      for (const [code, successful] of [
        [100, false],
        [231, true],
      ] as const) {
        const outcome = await askChanged(rig, (one) => addStatus(one, { ...writeStatus(code), successful }), `${code}`);
        assert.deepEqual([outcome.result, outcome.details.reason], ['unknown', 'status_contradicted']);
      }
    },
  },
  {
    name: 'the last event decides',
    async run(rig) {
      const statuses = [319, 302, 100].map((code) => writeStatus(code));
      const outcome = await askChanged(rig, (charge) => statuses.forEach((status) => addStatus(charge, status)));
      assert.equal(outcome.result, 'approved');
    },
  },
  {
    name: 'a refusal after an approval is nobody’s word: a refund’s event may look like that',
    isUncertain: true,
    async run(rig) {
      const railOrderId = await pushAndAct(rig, 'a', 'approve');
      await actOn(rig, railOrderId, 'refuse');
      const { result, details } = await gpoOf(rig).query(queryOf(rig, 'a', { railOrderId }));
      assert.deepEqual([result, details.reason], ['unknown', 'status_contradicted']);
    },
  },
  {
    name: 'a charge to which nothing has happened is pending',
    isUncertain: true,
    async run(rig) {
      const outcome = await askChanged(rig, (charge) => (charge.transactionEvents = []));
      assert.deepEqual([outcome.result, outcome.details.reason], ['pending', 'no_events']);
    },
  },
  {
    name: 'another amount than was asked is told as it was taken, and a fee is not looked at',
    async run(rig) {
      const approve = (charge: FakeCharge) => addStatus(charge, writeStatus(100));
      const less = await askChanged(rig, (charge) => (approve(charge), (charge.amount = 1499.99)));
      assert.deepEqual([less.result, less.amountMinor], ['approved', 1499_99]);
      const dollars = await askChanged(rig, (charge) => (approve(charge), (charge.currency = 'USD')), 'b');
      assert.deepEqual([dollars.result, dollars.amountMinor, dollars.currency], ['approved', 1500_00, 'USD']);
    },
  },
  {
    name: 'an amount that cannot be read is never guessed',
    async run(rig) {
      for (const amount of ['1.500,00', '', '-5', '12.345', 'NaN']) {
        const change = (charge: FakeCharge) => (addStatus(charge, writeStatus(100)), (charge.amount = amount));
        const { result, amountMinor, details } = await askChanged(rig, change, `amount ${amount}`);
        assert.deepEqual([result, amountMinor, details.reason], ['unknown', null, 'amount_unreadable']);
      }
    },
  },
  {
    name: 'numbers written as text are read as well',
    async run(rig) {
      fakeOf(rig).book.writesText = true;
      const railOrderId = await pushAndAct(rig, 'a', 'approve');
      const outcome = await gpoOf(rig).query(queryOf(rig, 'a', { railOrderId }));
      assert.deepEqual([outcome.result, outcome.amountMinor], ['approved', 1500_00]);
      assert.equal((await askCode(rig, 231)).failureCode, 'customer_refused');
    },
  },
  {
    name: 'somebody else’s charge is not taken for ours',
    async run(rig) {
      const other = await askChanged(rig, (charge) => {
        addStatus(charge, writeStatus(100));
        charge.merchantTransactionId = 'somebodyelse001';
      });
      assert.deepEqual([other.result, other.details.reason, other.providerRef], ['unknown', 'other_charge', null]);
      const railOrderId = await pushAndAct(rig, 'b', 'approve');
      const asked = await gpoOf(rig).query(queryOf(rig, 'c', { railOrderId }));
      assert.deepEqual([asked.result, asked.details.reason], ['unknown', 'other_charge']);
    },
  },
];
