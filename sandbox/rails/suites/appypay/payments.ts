// Cases: what was paid to references, asked of one or read from the window that moves on.
import assert from 'node:assert/strict';
import type { PaymentsPage } from '../../../../server/providers/provider.ts';
import { writeStatus } from '../../appypay-book.ts';
import {
  ENTITY,
  actOn,
  fakeOf,
  gpoOf,
  listApiCalls,
  pprOf,
  pushAndAct,
  pushOf,
  referenceOf,
  type AppyPayCase,
  type AppyPayRig,
} from './rig.ts';

const DAY_MS = 24 * 3_600_000;
const LIST = { path: '/v2.0/charges', method: 'GET' };

/** Registers a reference and has it paid; the id of the money. */
async function pay(rig: AppyPayRig, referenceId: string, reference: string): Promise<string> {
  const id = await register(rig, referenceId, reference);
  await actOn(rig, id, 'pay');
  return id;
}

async function register(rig: AppyPayRig, referenceId: string, reference: string): Promise<string> {
  const expiresAt = new Date(rig.account.clock.now().getTime() + 30 * DAY_MS);
  assert.equal((await pprOf(rig).register(referenceOf(referenceId, { reference, expiresAt }))).result, 'active');
  return fakeOf(rig).book.charges.at(-1)?.id ?? '';
}

/** Reads on from this cursor until it stays where it is. */
async function readAll(rig: AppyPayRig, after: string | null): Promise<PaymentsPage & { next: string }> {
  const all: PaymentsPage = { result: 'told', payments: [], unreadable: [], next: after };
  for (let isMore = true; isMore;) {
    const page = await pprOf(rig).listPayments(all.next);
    assert.equal(page.result, 'told');
    all.payments.push(...page.payments);
    all.unreadable.push(...page.unreadable);
    isMore = page.next !== all.next;
    all.next = page.next;
  }
  return all as PaymentsPage & { next: string };
}

const refsOf = ({ payments }: Pick<PaymentsPage, 'payments'>) => payments.map(({ providerRef }) => providerRef);

export const paymentCases: AppyPayCase[] = [
  {
    name: 'asked about one reference it tells what was paid, with our id of it',
    isUncertain: true,
    async run(rig) {
      const id = await pay(rig, 'r', '123456789');
      const { result, payments } = await pprOf(rig).query(referenceOf('r'));
      assert.equal(result, 'told');
      assert.deepEqual(payments, [
        {
          providerRef: id,
          entity: ENTITY,
          reference: '123456789',
          amountMinor: 12_500_50,
          currency: 'AOA',
          occurredAt: rig.account.clock.now(),
          details: { providerTransactionId: 'P2', railTime: '2026-03-02T09:00:00.0005991' },
          referenceId: 'r',
        },
      ]);
    },
  },
  {
    name: 'a reference that nobody has paid is told without payments',
    async run(rig) {
      await register(rig, 'r', '123456789');
      assert.deepEqual(await pprOf(rig).query(referenceOf('r')), { result: 'told', payments: [] });
    },
  },
  {
    name: 'a reference that came in bulk cannot be asked about by our name: its list tells',
    isUncertain: true,
    async run(rig) {
      await pprOf(rig).register(referenceOf('r', { type: 'Charging' }));
      await actOn(rig, '123456789', 'pay');
      assert.deepEqual(await pprOf(rig).query(referenceOf('r')), { result: 'unsupported', payments: [] });
      const { payments } = await readAll(rig, null);
      assert.deepEqual(
        payments.map(({ reference, amountMinor }) => [reference, amountMinor]),
        [['123456789', 12_500_50]],
      );
    },
  },
  {
    name: 'a payment of one reference that cannot be read, or is of other digits, leaves it unknown',
    async run(rig) {
      await pay(rig, 'r', '123456789');
      const [charge] = fakeOf(rig).book.charges;
      assert.ok(charge?.reference);
      charge.amount = 'many';
      assert.deepEqual(await pprOf(rig).query(referenceOf('r')), { result: 'unknown', payments: [] });
      charge.amount = 12500.5;
      assert.equal((await pprOf(rig).query(referenceOf('r'))).result, 'told');
      charge.reference.referenceNumber = '987654321';
      assert.equal((await pprOf(rig).query(referenceOf('r'))).result, 'unknown');
      fakeOf(rig).fault('error_before', LIST);
      assert.equal((await pprOf(rig).query(referenceOf('r'))).result, 'unknown');
    },
  },
  {
    name: 'the list tells paid references, and no pushes, codes or open ones',
    async run(rig) {
      await pushAndAct(rig, 'a', 'approve');
      await gpoOf(rig).send(pushOf('b'));
      await register(rig, 'open', '111111111');
      const id = await pay(rig, 'r', '123456789');
      const page = await readAll(rig, null);
      assert.deepEqual([refsOf(page), page.unreadable], [[id], []]);
    },
  },
  {
    name: 'a payment is dated by when we learned of it, as its own time has no zone',
    isUncertain: true,
    async run(rig) {
      await pay(rig, 'r', '123456789');
      await rig.pass(60_000);
      const [payment] = (await readAll(rig, null)).payments;
      assert.deepEqual(payment?.occurredAt, rig.account.clock.now());
      assert.equal(payment?.details.railTime, '2026-03-02T09:00:00.0005991');
    },
  },
  {
    name: 'the window is days of Luanda, wide at first, and its cursor is short printable text',
    isUncertain: true,
    async run(rig) {
      const { next } = await pprOf(rig).listPayments(null);
      const { query } = listApiCalls(rig).at(-1) ?? {};
      assert.deepEqual([query?.get('dateFrom'), query?.get('dateTo')], ['2026-01-26', '2026-03-03']);
      assert.deepEqual([query?.get('skip'), query?.get('limit')], ['0', '100']);
      assert.match(next ?? '', /^[\x20-\x7e]{1,256}$/);
    },
  },
  {
    name: 'pages follow one another until one is empty, however short they are; then the cursor stays',
    async run(rig) {
      fakeOf(rig).book.pageSize = 2;
      const ids = [];
      for (let index = 0; index < 5; index++) ids.push(await pay(rig, `r${index}`, `10000000${index}`));
      const all = await readAll(rig, null);
      assert.deepEqual(refsOf(all), ids);
      const rest = await pprOf(rig).listPayments(all.next);
      assert.deepEqual([rest.payments, rest.next], [[], all.next]);
      const late = await pay(rig, 'late', '100000009');
      assert.deepEqual(refsOf(await readAll(rig, all.next)), [late]);
    },
  },
  {
    name: 'what is paid late is found by the next sweep, though its charge was read before',
    async run(rig) {
      const id = await register(rig, 'r', '123456789');
      const { next, payments } = await readAll(rig, null);
      assert.deepEqual(payments, []);
      await actOn(rig, id, 'pay');
      await rig.pass(5 * 60_000);
      const again = await readAll(rig, next);
      assert.deepEqual(refsOf(again), [id]);
      assert.notEqual(again.next, next);
    },
  },
  {
    name: 'a sweep begins where the last one began, less four days, however long nobody asked',
    async run(rig) {
      const { next } = await readAll(rig, null);
      await rig.pass(6 * 60_000);
      const second = await readAll(rig, next);
      assert.equal(listApiCalls(rig).at(-1)?.query.get('dateFrom'), '2026-02-26');
      await rig.pass(10 * DAY_MS);
      const [before] = [await pay(rig, 'r', '123456789')];
      const third = await readAll(rig, second.next);
      // A new day begins with a deep sweep: from the day of the last one, 35 days back.
      assert.equal(listApiCalls(rig).at(-1)?.query.get('dateFrom'), '2026-01-26');
      assert.ok(refsOf(third).includes(before));
    },
  },
  {
    name: 'a reference that is paid weeks after its making is found by the first sweep of a day',
    isUncertain: true,
    async run(rig) {
      const id = await register(rig, 'r', '123456789');
      let { next } = await readAll(rig, null);
      await rig.pass(20 * DAY_MS);
      ({ next } = await readAll(rig, next));
      await rig.pass(6 * 60_000);
      ({ next } = await readAll(rig, next));
      await actOn(rig, id, 'pay');
      await rig.pass(DAY_MS);
      assert.deepEqual(refsOf(await readAll(rig, next)), [id]);
    },
  },
  {
    name: 'what the clearing file tells once more is the same money',
    async run(rig) {
      const id = await pay(rig, 'r', '123456789');
      const { next } = await readAll(rig, null);
      fakeOf(rig).book.charges[0]?.transactionEvents.push({ responseStatus: writeStatus(100) });
      await rig.pass(5 * 60_000);
      const again = await readAll(rig, next);
      assert.deepEqual([refsOf(again), again.payments[0]?.amountMinor], [[id], 12_500_50]);
    },
  },
  {
    name: 'entries that are no payment we can read are kept for a person, and hold nobody up',
    async run(rig) {
      const ids = [];
      for (let index = 0; index < 6; index++) ids.push(await pay(rig, `r${index}`, `10000000${index}`));
      const [amount, digits, entity, contradicted, silent] = fakeOf(rig).book.charges;
      assert.ok(amount && digits?.reference && entity?.reference && contradicted && silent);
      amount.amount = '';
      // A number may have lost its first zeros.
      digits.reference.referenceNumber = 123456789;
      entity.reference.entity = 'entity';
      contradicted.transactionEvents.push({ responseStatus: writeStatus(209) });
      silent.transactionEvents = [];
      const page = await readAll(rig, null);
      assert.deepEqual([refsOf(page), page.unreadable.length], [[ids[5]], 5]);
      assert.deepEqual(
        page.unreadable.map((entry) => (JSON.parse(entry) as { id: string }).id),
        ids.slice(0, 5),
      );
    },
  },
  {
    name: 'an entity written as a number is still five digits',
    async run(rig) {
      await pay(rig, 'r', '123456789');
      const [charge] = fakeOf(rig).book.charges;
      assert.ok(charge?.reference);
      charge.reference.entity = 10116;
      assert.deepEqual(
        (await readAll(rig, null)).payments.map(({ entity }) => entity),
        [ENTITY],
      );
    },
  },
  {
    name: 'a page that was lost moves no cursor',
    async run(rig) {
      await pay(rig, 'r', '123456789');
      for (const fault of ['error_before', 'drop_before', 'garbage', 404] as const) {
        fakeOf(rig).fault(fault, LIST);
        const page = await pprOf(rig).listPayments(null);
        assert.deepEqual(page, { result: 'unknown', payments: [], unreadable: [], next: null });
      }
    },
  },
  {
    name: 'a cursor that is not ours is no cursor: the window is read from its beginning',
    async run(rig) {
      const id = await pay(rig, 'r', '123456789');
      for (const cursor of ['', 'x', '2026-03-02 2026-13-41T99:00:00.000Z 0', '0'.repeat(300)]) {
        assert.deepEqual(refsOf(await pprOf(rig).listPayments(cursor)), [id]);
      }
    },
  },
  {
    name: 'with a clock that was set back the cursor stays, and nothing is lost',
    async run(rig) {
      const { next } = await readAll(rig, null);
      await rig.pass(-3_600_000);
      assert.equal((await readAll(rig, next)).next, next);
      await rig.pass(3_600_000 + 5 * 60_000);
      const id = await pay(rig, 'r', '123456789');
      assert.ok(refsOf(await readAll(rig, next)).includes(id));
    },
  },
];
