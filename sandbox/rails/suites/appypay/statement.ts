// Cases: the charges of a day as its books, each kind of account its own; what they cannot tell is left open.
import assert from 'node:assert/strict';
import type { StatementPage, StatementRail } from '../../../../server/providers/statement.ts';
import { actOn, fakeOf, gpoOf, listApiCalls, pprOf, pushAndAct, qrOf, referenceOf, type AppyPayCase } from './rig.ts';
import type { AppyPayRig } from './rig.ts';

const DAY = '2026-03-02';
const DAY_MS = 24 * 3_600_000;
const LIST = { path: '/v2.0/charges', method: 'GET' };

const statementOf = ({ connector, account }: AppyPayRig, kind: 'gpo' | 'ppr' = 'gpo') =>
  connector.open({ ...account, kind }).statement as StatementRail;

/** Every page of a day. */
async function readDay(rig: AppyPayRig, kind: 'gpo' | 'ppr' = 'gpo', period = DAY): Promise<StatementPage> {
  const all: StatementPage = { result: 'told', movements: [], unreadable: [], next: null };
  let after: string | null = null;
  do {
    const page: StatementPage = await statementOf(rig, kind).listMovements({ period }, after);
    assert.equal(page.result, 'told');
    all.movements.push(...page.movements);
    all.unreadable.push(...page.unreadable);
    after = page.next;
  } while (after !== null);
  return all;
}

const refsOf = ({ movements }: StatementPage) => movements.map(({ providerRef }) => providerRef);

export const statementCases: AppyPayCase[] = [
  {
    name: 'the books of a day are its approved charges with our name for the attempt; they have no period',
    isUncertain: true,
    async run(rig) {
      const id = await pushAndAct(rig, 'a', 'approve');
      for (const action of ['refuse', 'time out', 'fail']) await pushAndAct(rig, action, action);
      await gpoOf(rig).createQrCode(qrOf('q'));
      await actOn(rig, fakeOf(rig).book.qrCodes[0]!.id, 'scan');
      const { movements, unreadable } = await readDay(rig);
      const [railKey, codeKey] = ['a', 'q'].map((own) => rig.connector.keyOf?.(own));
      const common = { kind: 'payment', ownId: null, currency: 'AOA', period: null };
      const occurredAt = rig.account.clock.now();
      assert.deepEqual(unreadable, []);
      assert.deepEqual(movements, [
        { ...common, providerRef: id, amountMinor: 1500_00, railKey, occurredAt },
        { ...common, providerRef: movements[1]?.providerRef, amountMinor: 250_00, railKey: codeKey, occurredAt },
      ]);
    },
  },
  {
    name: 'pushes and codes are one account’s, references the other’s',
    async run(rig) {
      const push = await pushAndAct(rig, 'a', 'approve');
      const expiresAt = new Date(rig.account.clock.now().getTime() + 30 * DAY_MS);
      await pprOf(rig).register(referenceOf('r', { expiresAt }));
      const charge = fakeOf(rig).book.charges.at(-1)!.id;
      await actOn(rig, charge, 'pay');
      assert.deepEqual([refsOf(await readDay(rig)), refsOf(await readDay(rig, 'ppr'))], [[push], [charge]]);
    },
  },
  {
    name: 'whether days are of making or of paying nobody says: references are looked for 35 days back, pushes one',
    isUncertain: true,
    async run(rig) {
      for (const kind of ['gpo', 'ppr'] as const) await readDay(rig, kind);
      const asked = listApiCalls(rig, 'GET').map(({ query }) => [query.get('dateFrom'), query.get('dateTo')]);
      assert.deepEqual(asked, [
        ['2026-03-01', '2026-03-03'],
        ['2026-01-26', '2026-03-03'],
      ]);
    },
  },
  {
    name: 'every page is read, however short the rail makes them',
    async run(rig) {
      const ids = [];
      for (let n = 0; n < 5; n++) ids.push(await pushAndAct(rig, `a${n}`, 'approve'));
      fakeOf(rig).book.pageSize = 2;
      assert.deepEqual(refsOf(await readDay(rig)), ids);
    },
  },
  {
    name: 'what became of a refund does not undo the charge’s money',
    isUncertain: true,
    async run(rig) {
      const id = await pushAndAct(rig, 'a', 'approve');
      const charge = fakeOf(rig).book.charges[0]!;
      const [event] = charge.transactionEvents.slice(-1);
      charge.transactionEvents.push({ ...event, type: 'Refund', responseStatus: { code: 209, successful: false } });
      assert.deepEqual(refsOf(await readDay(rig)), [id]);
      assert.equal(statementOf(rig).listsRefunds, false);
    },
  },
  {
    name: 'money that cannot be read, or is taken back by another word, is unreadable and never left out',
    async run(rig) {
      const { book } = fakeOf(rig);
      for (const own of ['a', 'b', 'c']) await pushAndAct(rig, own, 'approve');
      const [plain, second, third] = book.charges;
      second!.amount = '12,5';
      third!.transactionEvents.push({
        ...third!.transactionEvents.at(-1),
        responseStatus: { code: 201, successful: false },
      });
      const { movements, unreadable } = await readDay(rig);
      assert.deepEqual([movements.map(({ providerRef }) => providerRef), unreadable.length], [[plain!.id], 2]);
    },
  },
  {
    name: 'a period that is no day has no list there, and nobody asks',
    async run(rig) {
      assert.equal((await statementOf(rig).listMovements({ period: '156' }, null)).result, 'unlisted');
      assert.equal(listApiCalls(rig).length, 0);
    },
  },
  {
    name: 'a list that is refused, cut short or no list is unknown',
    async run(rig) {
      for (const fault of [500, 404, 'garbage', 'drop_after', 'oversize'] as const) {
        fakeOf(rig).fault(fault, { ...LIST, times: 1 });
        const { result, next } = await statementOf(rig).listMovements({ period: DAY }, null);
        assert.deepEqual([fault, result, next], [fault, 'unknown', null]);
      }
    },
  },
  {
    name: 'one charge is there, is not there, or nobody knows',
    async run(rig) {
      const paid = await pushAndAct(rig, 'a', 'approve');
      const refused = await pushAndAct(rig, 'b', 'refuse');
      const find = (id: string) => statementOf(rig).findMovement!(id);
      const there = await find(paid);
      assert.equal(there !== 'unknown' && there?.amountMinor, 1500_00);
      assert.deepEqual([await find(refused), await find('no-such-charge')], [null, null]);
      for (const fault of [500, 'garbage', 'drop_after'] as const) {
        fakeOf(rig).fault(fault, LIST);
        assert.equal(await find(paid), 'unknown');
      }
      fakeOf(rig).book.charges[0]!.amount = 'x';
      assert.equal(await find(paid), 'unknown');
    },
  },
];
