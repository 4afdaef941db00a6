// Cases of the OPG connector: ProxyPay's charges as QR codes with a link into the app, and the one scan that pays them.
import assert from 'node:assert/strict';
import type { QrOrder } from '../../../server/providers/provider.ts';
import type { ContractCase } from '../legacy.ts';
import type { FakeFault } from '../fake.ts';
import { OPG_CODE_LIFE_MS, type OpgBook, type OpgVerdict } from '../opg-book.ts';
import { inDialect, makeCode, openGpo, rewrite, type OpgStage } from './opg-stage.ts';
import { until } from '../rig.ts';

type CaseParts = Parameters<typeof inDialect>;
const onProxyPay = (name: string, run: CaseParts[2], flags?: CaseParts[3]) => inDialect('proxypay', name, run, flags);

const ACCEPTED: OpgVerdict = { status: 'accepted', reason: null };

const lookAt = (stage: OpgStage, order: QrOrder, railOrderId: string | null) =>
  stage.gpo.queryQrCode({ attemptId: order.attemptId, railOrderId, sentAt: stage.account.clock.now() });

/** A code that was made, its id, and how it is asked about. */
async function make(stage: OpgStage) {
  const order = makeCode();
  const made = await stage.gpo.createQrCode(order);
  const id = made.railOrderId ?? '';
  return { order, made, id, look: () => lookAt(stage, order, id) };
}

/** Pretends a scan as the rail's sandbox does: over HTTP. */
async function scan(stage: OpgStage, chargeId: string, body: object): Promise<number> {
  const { settings, secrets } = stage.account;
  const url = `${String(settings.baseUrl)}/charges/${chargeId}/transactions`;
  const headers = { Authorization: `Bearer ${String(secrets.token)}`, 'Content-Type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  await answer.body?.cancel();
  return answer.status;
}

const making = [
  onProxyPay('a code is one POST with token, key and exactly the fields of the protocol', async (stage) => {
    const order = makeCode();
    await stage.gpo.createQrCode(order);
    assert.deepEqual(stage.calls(), ['POST /charges']);
    const { headers, body } = stage.fake.requests[0]!;
    assert.equal(headers['idempotency-key'], order.attemptId);
    assert.deepEqual(JSON.parse(body), { pos_id: 111, amount: '1500.00', callback_url: order.notifyUrl });
  }),
  onProxyPay('a made code: text, link, the rail’s own end and id', async (stage) => {
    const { made, id } = await make(stage);
    const endsAt = new Date(stage.account.clock.now().getTime() + OPG_CODE_LIFE_MS);
    const { result, failureCode, railOrderId, scans } = made;
    assert.deepEqual([result, failureCode, railOrderId, scans], ['made', null, id, []]);
    assert.deepEqual([made.content, made.deeplink, made.endsAt], [`000201MCX${id}`, `multicaixa://pay/${id}`, endsAt]);
  }),
  onProxyPay(
    'the text to be drawn is qrref',
    async (stage) => {
      const { result, content, deeplink, railOrderId } = await stage.gpo.createQrCode(makeCode());
      assert.equal(result, 'made');
      assert.ok(content && deeplink && railOrderId);
    },
    { isUncertain: true, isLive: true },
  ),
  onProxyPay('a text of digits written as a number keeps every digit', async (stage) => {
    stage.book.write = (thing) => JSON.stringify(thing).replace(/"qrref":"[^"]+"/, '"qrref":12345678901234567890');
    assert.equal((await make(stage)).made.content, '12345678901234567890');
  }),
  onProxyPay('a code without a text that can be drawn is unknown, but can be asked about', async (stage) => {
    for (const qrref of [undefined, null, '', 'x'.repeat(513), 'a\nb', {}]) {
      rewrite(stage, { qrref });
      const { made, id } = await make(stage);
      assert.deepEqual([made.result, made.content, made.details.reason], ['unknown', null, 'content_unreadable']);
      assert.ok(id);
    }
  }),
  onProxyPay('the app’s own link comes before the redirecting one', async (stage) => {
    const [deeplink, deeplink_redirect] = ['https://rail.example/a', 'https://rail.example/b'];
    rewrite(stage, { deeplink, deeplink_redirect });
    assert.equal((await make(stage)).made.deeplink, deeplink);
    rewrite(stage, { deeplink: null, deeplink_redirect });
    assert.equal((await make(stage)).made.deeplink, deeplink_redirect);
  }),
  onProxyPay('links that open no app are left out, and the code is made', async (stage) => {
    const schemes = ['http', 'javascript', 'data', 'file', 'blob', 'vbscript', 'ws', 'JavaScript', 'HTTPS'];
    const others = ['javascript:alert(1)', 'data:text/html,x', '//rail.example', 'pay', '', 'mcx://a b', 'mcx://"', 17];
    for (const deeplink of [...schemes.map((scheme) => `${scheme}://%0aalert(1)`), ...others, 'mcx://<script>', null]) {
      rewrite(stage, { deeplink, deeplink_redirect: null });
      const { made } = await make(stage);
      assert.deepEqual([made.result, made.deeplink], ['made', null], String(deeplink));
    }
  }),
  onProxyPay('links of an app’s own scheme and https are kept', async (stage) => {
    for (const deeplink of ['multicaixa://pay?x=1&y=%20', 'ao.mcx-express+v2://p/1', 'https://mcx.example/p#1']) {
      rewrite(stage, { deeplink });
      assert.equal((await make(stage)).made.deeplink, deeplink);
    }
  }),
  onProxyPay('an end without a zone is not trusted', async (stage) => {
    rewrite(stage, { expires_at: '2026-03-02T09:15:00' });
    const { made } = await make(stage);
    assert.deepEqual([made.result, made.endsAt], ['made', null]);
  }),
  onProxyPay('a code in another currency, or for several payments, is declined without a request', async (stage) => {
    for (const changes of [{ currency: 'USD' }, { maxTransactions: 2 }]) {
      const { result, details } = await stage.gpo.createQrCode(makeCode(changes));
      assert.deepEqual([result, details.reason], ['declined', 'unsupported']);
    }
    assert.deepEqual(stage.calls(), []);
  }),
  inDialect('vpos', 'codes are declined without a request', async (stage) => {
    const made = await stage.gpo.createQrCode(makeCode());
    assert.deepEqual(
      [made.result, made.failureCode, made.details.reason],
      ['declined', 'acquirer_setup', 'unsupported'],
    );
    assert.equal((await lookAt(stage, makeCode(), 'c-1')).details.reason, 'unsupported');
    assert.deepEqual(stage.calls(), []);
  }),
];

const scanning = [
  onProxyPay('an active code has no scans, and nothing else is asked', async (stage) => {
    const { look, id } = await make(stage);
    const { result, scans, railOrderId } = await look();
    assert.deepEqual([result, scans, railOrderId], ['made', [], id]);
    assert.deepEqual(stage.calls(), ['POST /charges', `GET /charges/${id}`]);
  }),
  onProxyPay('a used code brings its scan, as the rail’s transaction has it', async (stage) => {
    const { look, id } = await make(stage);
    assert.equal(await scan(stage, id, { status: 'accepted' }), 201);
    const [transaction] = stage.book.transactions.values();
    const { result, content, scans } = await look();
    assert.deepEqual([result, content], ['made', `000201MCX${id}`]);
    assert.deepEqual(scans, [
      {
        providerRef: transaction!.id,
        amountMinor: 150_000,
        currency: 'AOA',
        occurredAt: new Date(transaction!.status_datetime!),
        details: { clearingPeriod: '156' },
      },
    ]);
    assert.equal(stage.calls().at(-1), `GET /transactions/${transaction!.id}`);
  }),
  onProxyPay('a refused scan is nothing, and the code can still be paid', async (stage) => {
    const { look, id } = await make(stage);
    assert.equal(await scan(stage, id, { status: 'rejected', status_reason: 2001 }), 201);
    const refused = await look();
    assert.deepEqual([refused.result, refused.scans, refused.details.reason], ['made', [], undefined]);
    assert.equal(await scan(stage, id, { status: 'accepted' }), 201);
    assert.equal((await look()).scans.length, 1);
    assert.equal(await scan(stage, id, { status: 'accepted' }), 404);
  }),
  onProxyPay('asked twice, a scan is the same money', async (stage) => {
    const { look, id } = await make(stage);
    await stage.book.scan(id, ACCEPTED);
    assert.deepEqual(await look(), await look());
  }),
  onProxyPay('a scan of another amount is told as it was taken', async (stage) => {
    const { look, id } = await make(stage);
    await stage.book.scan(id, ACCEPTED);
    rewrite(stage, { amount: '1600.50' });
    assert.equal((await look()).scans[0]?.amountMinor, 160_050);
  }),
  onProxyPay('a scan that cannot be read is said to be missing, and comes with the next query', async (stage) => {
    const { look, id } = await make(stage);
    await stage.book.scan(id, ACCEPTED);
    const faults: FakeFault[] = ['error_before', 'drop_before', 'garbage', 'oversize', 404, 401];
    for (const fault of faults) {
      stage.fake.fault(fault, { path: '/opg/v1/transactions' });
      const { result, scans, details } = await look();
      assert.deepEqual([result, scans, details.reason], ['made', [], 'scan_unreadable'], String(fault));
    }
    assert.equal((await look()).scans.length, 1);
  }),
  onProxyPay('a scan that is not decided is nothing yet', async (stage) => {
    const { look, id } = await make(stage);
    const transaction = await stage.book.scan(id, ACCEPTED);
    transaction!.status = null;
    const { scans, details } = await look();
    assert.deepEqual([scans, details.reason], [[], undefined]);
  }),
  onProxyPay('another code’s scan, or another terminal’s, is not this one’s', async (stage) => {
    for (const changes of [{ charge_id: 'another' }, { pos_id: 112 }, { type: 'refund' }]) {
      const { look, id } = await make(stage);
      Object.assign((await stage.book.scan(id, ACCEPTED))!, changes);
      const { scans, details } = await look();
      assert.deepEqual([scans, details.reason], [[], 'scan_unreadable']);
    }
  }),
  onProxyPay(
    'a scan need not name its charge',
    async (stage) => {
      const { look, id } = await make(stage);
      (await stage.book.scan(id, ACCEPTED))!.charge_id = null;
      assert.equal((await look()).scans.length, 1);
    },
    { isUncertain: true },
  ),
  onProxyPay(
    'a used code without its transaction hides money: it is said to be missing',
    async (stage) => {
      const { look, id } = await make(stage);
      await stage.book.scan(id, ACCEPTED);
      for (const transaction_id of [null, 'a/b', {}]) {
        rewrite(stage, { transaction_id });
        const { result, scans, details } = await look();
        assert.deepEqual([result, scans, details.reason], ['made', [], 'scan_unreadable']);
      }
    },
    { isUncertain: true },
  ),
  onProxyPay('an expired code was made too', async (stage) => {
    const { look } = await make(stage);
    await stage.pass(OPG_CODE_LIFE_MS);
    const { result, scans, details } = await look();
    assert.deepEqual([result, scans, details.railStatus], ['made', [], 'expired']);
  }),
  onProxyPay('a status nobody knows is unknown, but its money is told', async (stage) => {
    const { look, id } = await make(stage);
    const transaction = await stage.book.scan(id, ACCEPTED);
    stage.book.write = (thing) => ('qrref' in thing ? { ...thing, status: 'frozen' } : thing);
    const { result, scans, details } = await look();
    assert.deepEqual([result, details.reason], ['unknown', 'status_unknown']);
    assert.equal(scans[0]?.providerRef, transaction!.id);
  }),
  onProxyPay('another code’s answer is not this one’s', async (stage) => {
    const { look, id } = await make(stage);
    rewrite(stage, { id: 'another' });
    const { result, railOrderId, details } = await look();
    assert.deepEqual([result, railOrderId, details.reason], ['unknown', id, 'other_qrcode']);
  }),
];

const failing = [
  onProxyPay('an expired token makes no code: declined, for the merchant to mend', async (stage) => {
    stage.book.token = 'the next one';
    const { result, failureCode, details } = await stage.gpo.createQrCode(makeCode());
    assert.deepEqual([result, failureCode, details.reason], ['declined', 'acquirer_setup', 'token_refused']);
    assert.equal(stage.book.charges.size, 0);
  }),
  onProxyPay('a making that goes wrong is unknown, before the effect and after it', async (stage) => {
    const faults: FakeFault[] = [400, 404, 429, 503, 'error_before', 'error_after', 'drop_before', 'drop_after'];
    for (const fault of [...faults, 'oversize', 'garbage'] satisfies FakeFault[]) {
      stage.fake.fault(fault);
      const { result, railOrderId, content, details } = await stage.gpo.createQrCode(makeCode());
      assert.deepEqual([result, railOrderId, content], ['unknown', null, null], String(fault));
      assert.ok(details.reason);
    }
    assert.equal(stage.calls().length, 10);
  }),
  onProxyPay('the merchant waits ten seconds for a code, whatever an account’s limit', async (stage) => {
    const gpo = openGpo({ ...stage.account, timeoutMs: 60_000 });
    stage.fake.fault('hang');
    const made = gpo.createQrCode(makeCode());
    await until(() => stage.book.charges.size === 1);
    await stage.pass(10_000);
    assert.equal((await made).details.reason, 'timeout');
  }),
  onProxyPay('a query that goes wrong is unknown, and not found is no word of the rail’s for it', async (stage) => {
    const { look } = await make(stage);
    const faults: FakeFault[] = [401, 404, 429, 503, 'error_after', 'drop_before', 'oversize', 'garbage', 303];
    for (const fault of faults) {
      stage.fake.fault(fault);
      const { result, scans, details } = await look();
      assert.deepEqual([result, scans], ['unknown', []], String(fault));
      assert.ok(details.reason);
    }
    assert.equal((await look()).result, 'made');
  }),
  onProxyPay('without the rail’s id nothing is asked about a code', async (stage) => {
    for (const railOrderId of [null, '', '..', 'a/b']) {
      const { result, details } = await lookAt(stage, makeCode(), railOrderId);
      assert.deepEqual([result, details], ['unknown', { reason: 'no_rail_id' }]);
    }
    assert.deepEqual(stage.calls(), []);
  }),
  onProxyPay(
    'the same key twice is one code at the rail',
    async (stage) => {
      const order = makeCode();
      const [first, second] = [await stage.gpo.createQrCode(order), await stage.gpo.createQrCode(order)];
      assert.ok(first.railOrderId);
      assert.equal(second.railOrderId, first.railOrderId);
    },
    { isUncertain: true, isLive: true },
  ),
];

/** Codes, from their making to their payment. */
export const OPG_QR_CASES: ContractCase<OpgBook>[] = [...making, ...scanning, ...failing];
