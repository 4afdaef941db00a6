// Cases: how a push is asked for, and what is refused here without asking anybody.
import assert from 'node:assert/strict';
import { fakeOf, gpoOf, lastBody, listApiCalls, openChanged, pushOf, queryOf, type AppyPayCase } from './rig.ts';

export const pushCases: AppyPayCase[] = [
  {
    name: 'a push is asked for without waiting for the payer, under our name for it',
    async run(rig) {
      const outcome = await gpoOf(rig).send(pushOf('a'));
      const [call] = listApiCalls(rig);
      assert.equal(call?.path, '/v2.0/charges');
      assert.equal(call?.headers.accept, 'application/vnd.appypay.asyncapi+json');
      assert.equal(call?.headers['content-type'], 'application/json');
      assert.deepEqual(lastBody(rig), {
        amount: 1500,
        currency: 'AOA',
        merchantTransactionId: rig.connector.keyOf?.('a'),
        paymentMethod: fakeOf(rig).book.methods[0],
        paymentInfo: { phoneNumber: '923456789' },
      });
      const { result, failureCode, railOrderId, providerRef } = outcome;
      const { id } = fakeOf(rig).book.charges[0] ?? {};
      assert.deepEqual([result, failureCode, railOrderId, providerRef], ['pending', null, id, null]);
    },
  },
  {
    name: 'a push is taken on, and asked about by the rail’s own id',
    isLive: true,
    async run(rig) {
      const attemptId = `live ${rig.account.clock.now().toISOString()}`;
      const sent = await gpoOf(rig).send(pushOf(attemptId, { amountMinor: 100_00 }));
      assert.ok(['pending', 'declined'].includes(sent.result), JSON.stringify(sent));
      assert.ok(sent.railOrderId);
      const asked = await gpoOf(rig).query(queryOf(rig, attemptId, { railOrderId: sent.railOrderId }));
      assert.ok(['pending', 'declined', 'approved'].includes(asked.result), JSON.stringify(asked));
      assert.equal(asked.railOrderId, sent.railOrderId);
    },
  },
  {
    name: 'an amount is a number with both its decimals, exactly',
    async run(rig) {
      for (const [amountMinor, text] of [
        [1500_00, '1500.00'],
        [100, '1.00'],
        [9_999_999_99, '9999999.99'],
        [29, '0.29'],
      ] as const) {
        await gpoOf(rig).send(pushOf(`amount ${text}`, { amountMinor }));
        assert.ok(listApiCalls(rig).at(-1)?.body.includes(`"amount":${text},`), text);
      }
    },
  },
  {
    name: 'a description loses whatever may be a special character',
    isUncertain: true,
    async run(rig) {
      await gpoOf(rig).send(pushOf('a', { description: ' Propina de Março/2026 – 2.ª via (João) ' }));
      assert.equal(lastBody(rig).description, 'Propina de Marco 2026 2 via Joao');
      assert.equal(fakeOf(rig).book.charges.length, 1);
    },
  },
  {
    name: 'a description of which nothing is left is left out, and so are options',
    async run(rig) {
      await gpoOf(rig).send(pushOf('a', { description: '«»!' }));
      const body = lastBody(rig);
      assert.deepEqual(['description' in body, 'options' in body, 'notify' in body], [false, false, false]);
    },
  },
  {
    name: 'a push to Unitel Money names its own method',
    async run(rig) {
      const { gpo, umm } = (rig.account.settings as { methods: Record<string, string> }).methods;
      await gpoOf(rig).send(pushOf('a', { wallet: 'unitel_money', amountMinor: 50_00 }));
      assert.equal(lastBody(rig).paymentMethod, umm);
      await gpoOf(rig).send(pushOf('b'));
      assert.equal(lastBody(rig).paymentMethod, gpo);
    },
  },
  {
    name: 'below 50 AOA Unitel Money is not asked',
    async run(rig) {
      const outcome = await gpoOf(rig).send(pushOf('a', { wallet: 'unitel_money', amountMinor: 49_99 }));
      const { result, failureCode, details } = outcome;
      assert.deepEqual([result, failureCode, details.reason], ['declined', 'issuer_refused', 'amount_too_low']);
      assert.equal(fakeOf(rig).requests.length, 0);
    },
  },
  {
    name: 'a wallet that nobody knows here, or of which the account has no key, is declined without asking',
    async run(rig) {
      const other = await gpoOf(rig).send(pushOf('a', { wallet: 'afrimoney' }));
      assert.deepEqual([other.result, other.details.reason], ['declined', 'unsupported']);
      const { methods } = fakeOf(rig).book;
      const gpoOnly = openChanged(rig, { settings: { methods: { gpo: methods[0] } } }).gpo;
      const missing = await gpoOnly.send(pushOf('b', { wallet: 'unitel_money' }));
      const ummOnly = openChanged(rig, { settings: { methods: { umm: methods[2] } } }).gpo;
      const missingToo = await ummOnly.send(pushOf('c'));
      for (const { result, failureCode, details } of [missing, missingToo]) {
        assert.deepEqual([result, failureCode, details.reason], ['declined', 'acquirer_setup', 'method_missing']);
      }
      assert.equal(fakeOf(rig).requests.length, 0);
    },
  },
  {
    name: 'authorizations, captures and voids do not exist there: declined, whether sent or asked about',
    async run(rig) {
      const gpo = gpoOf(rig);
      const { attemptId, gpoMerchantId, gpoPosId, reference, amountMinor, currency } = pushOf('a');
      const sent = [
        await gpo.send(pushOf('a', { kind: 'authorization' })),
        await gpo.send({
          kind: 'capture',
          authorizationId: 'z',
          attemptId,
          gpoMerchantId,
          gpoPosId,
          reference,
          amountMinor,
          currency,
          description: null,
        }),
        await gpo.send({ kind: 'void', attemptId, gpoMerchantId, target: 'authorization', targetId: 'z' }),
        await gpo.send({ kind: 'void', attemptId, gpoMerchantId, target: 'qrcode', targetId: 'z' }),
      ];
      const kinds = ['authorization', 'capture', 'void'] as const;
      const asked = await Promise.all(kinds.map((kind) => gpo.query(queryOf(rig, 'a', { kind }))));
      for (const { result, failureCode, details } of [...sent, ...asked]) {
        assert.deepEqual([result, failureCode, details.reason], ['declined', 'issuer_refused', 'unsupported']);
      }
      assert.equal(fakeOf(rig).requests.length, 0);
    },
  },
  {
    name: 'there are no terminals to be moved or asked about',
    async run(rig) {
      const order = { operationId: 'o', posId: '1', action: 'open', supervisorId: null } as const;
      for (const outcome of [await gpoOf(rig).moveTerminal(order), await gpoOf(rig).queryTerminal('1')]) {
        assert.deepEqual([outcome.result, outcome.status, outcome.details.reason], ['refused', null, 'unsupported']);
      }
      assert.equal(fakeOf(rig).requests.length, 0);
    },
  },
  {
    name: 'the same push sent twice is one charge: the second is refused as known, and a query tells of the first',
    async run(rig) {
      const first = await gpoOf(rig).send(pushOf('a'));
      const again = await gpoOf(rig).send(pushOf('a'));
      assert.deepEqual(
        [again.result, again.details.reason, again.details.railCode],
        ['unknown', 'known_already', '726'],
      );
      assert.equal(fakeOf(rig).book.charges.length, 1);
      const asked = await gpoOf(rig).query(queryOf(rig, 'a'));
      assert.deepEqual([asked.result, asked.railOrderId], ['pending', first.railOrderId]);
    },
  },
  {
    name: 'a refusal that comes at once, with HTTP 200, is one',
    async run(rig) {
      fakeOf(rig).book.plans.push({ code: 200, reason: 'EPMS_907' });
      const outcome = await gpoOf(rig).send(pushOf('a'));
      assert.equal(outcome.result, 'declined');
      assert.equal(outcome.failureCode, 'number_not_active');
      assert.equal(outcome.railOrderId, fakeOf(rig).book.charges[0]?.id);
      const { railCode, railStatus, railReason, railSource } = outcome.details;
      assert.deepEqual([railCode, railStatus, railReason, railSource], ['200', 'Failed', 'EPMS_907', 'GPO']);
    },
  },
  {
    name: 'an approval that comes at once names no money, so it stays pending until the query tells how much',
    async run(rig) {
      fakeOf(rig).book.plans.push({ code: 100 });
      const sent = await gpoOf(rig).send(pushOf('a'));
      assert.deepEqual([sent.result, sent.amountMinor, sent.providerRef], ['pending', null, null]);
      const asked = await gpoOf(rig).query(queryOf(rig, 'a', { railOrderId: sent.railOrderId }));
      assert.deepEqual([asked.result, asked.amountMinor], ['approved', 1500_00]);
    },
  },
  {
    name: 'a phone number never comes back in what is told',
    async run(rig) {
      fakeOf(rig).book.plans.push({ code: 200, reason: 'EPMS_907' });
      assert.doesNotMatch(JSON.stringify(await gpoOf(rig).send(pushOf('a'))), /923456789/);
    },
  },
];
