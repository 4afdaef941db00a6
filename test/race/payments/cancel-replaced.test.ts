import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Reply, type TestApp } from '../../support/app.ts';
import { createRefused, expectOnePayable, switchOver } from '../../support/fallback.ts';
import { approved, notify, NOTIFY_ENV, readAttempts, readPayment } from '../../support/notify.ts';
import { moneyFor, notifyPprPayment } from '../../support/ppr.ts';

let app: TestApp;
let twin: TestApp;
beforeAll(async () => {
  const env = { ...NOTIFY_ENV, PPR_KEY: 'one key for both nodes' };
  app = await startTestApp({ env });
  twin = await app.startTwin();
});

const cancel = (node: TestApp, { id }: { id: string }): Promise<Reply> =>
  node.call(`/api/payments/${id}/cancel`, { method: 'POST' });
const lastPush = async ({ id }: { id: string }) => (await readAttempts(app, id)).at(-1);
const secondOf = async ({ id }: { id: string }) =>
  (await app.sql('select id, status, reference from payments where replaces_id = $1', [id]))[0];

describe('a cancel of the replacing reference', () => {
  test('and a concurrent approval of the refused push record the money and leave no payment payable', async () => {
    for (let round = 0; round < 6; round++) {
      const first = await createRefused(app);
      const { id } = await lastPush(first);
      await switchOver(app, first);
      const second = await secondOf(first);
      const acts = [() => notify(app, id, approved()), () => cancel(twin, second)];
      await Promise.all((round % 2 ? acts : acts.toReversed()).map((act) => act()));
      const [chain] = (await expectOnePayable(app)).filter((one) => one.reference === first.reference);
      expect(chain).toMatchObject({ first: 'Paid', second: 'Canceled', flags: [] });
    }
  });

  test('and concurrent money for the reference leave the payment Paid', async () => {
    for (let round = 0; round < 6; round++) {
      const first = await createRefused(app);
      await switchOver(app, first);
      const second = await secondOf(first);
      const money = moneyFor(twin, { entity: '00999', reference: second.reference });
      const acts = [() => notifyPprPayment(twin, money), () => cancel(app, second)];
      const replies = await Promise.all((round % 2 ? acts : acts.toReversed()).map((act) => act()));
      const { status } = replies[round % 2 ? 1 : 0] as Reply;
      expect([200, 409]).toContain(status);
      expect(await readPayment(app, second.id)).toMatchObject({
        status: 'Paid',
        amountPaid: 1500,
        late: status === 200,
      });
      await expectOnePayable(app);
    }
  });

  test('and a concurrent cancel of the replaced payment leave both payments Canceled', async () => {
    const first = await createRefused(app);
    await switchOver(app, first);
    const second = await secondOf(first);
    const [one] = await Promise.all([cancel(app, first), cancel(twin, second)]);
    if (one.status !== 200) expect(one).toMatchObject({ status: 409, json: { replacedBy: second.id } });
    expect(await secondOf(first)).toMatchObject({ status: 'Canceled' });
    expect((await cancel(app, first)).status).toBe(200);
  });
});
