// A host that accepts the calls of several rail accounts but never responds.
import { beforeAll, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { sendJson, startHost, type HostileHost } from '../../support/receiver.ts';
import { create, creepUntil, isCalling, purchase } from '../../support/payments.ts';
import { createPush, enterAppyPay, openMerchant } from '../../support/rail-accounts.ts';

const ACCOUNTS = 3;
/** There are more pushes than a node has job slots, so that calls without a response could occupy all slots. */
const PUSHES_EACH = 40;
/** The simulator approves pushes to this phone after one second and sends no notification. */
const SILENT = '900000007';

let app: TestApp;
let host: HostileHost;
beforeAll(async () => {
  app = await startTestApp();
  host = await startHost(({ path }, res) => {
    if (path === '/oauth2/token') sendJson(res, { token_type: 'Bearer', expires_in: '3599', access_token: 'a-token' });
  });
});

/** Counts the attempts at the silent host whose poll is overdue. */
const countOverdue = async () =>
  (await app.sql(`select count(*)::int as n from attempts where rail <> 'gpo' and due_at <= $1`, [app.clock.now()]))[0]
    .n;

test('polls of other merchants stay on time while the host of three rail accounts never responds', async () => {
  for (let nth = 0; nth < ACCOUNTS; nth++) {
    const merchant = await openMerchant(app);
    const settings = { baseUrl: `${host.url}/v2.0`, tokenUrl: `${host.url}/oauth2/token` };
    await enterAppyPay(merchant, { settings });
    for (let push = 0; push < PUSHES_EACH; push++) await createPush(merchant);
  }
  const sent = () => host.calls.filter(({ method, path }) => method === 'POST' && path === '/v2.0/charges').length;
  await until(() => sent() === ACCOUNTS * PUSHES_EACH, 'the pushes being sent');
  await creepUntil(app, () => !isCalling(app), 'the end of the pushes');
  await creepUntil(app, async () => (await countOverdue()) > ACCOUNTS * PUSHES_EACH * 0.8, 'the polls coming due');

  const payment = await create(app, purchase(SILENT));
  // The first poll of the attempt is due after two seconds. Then the clock stands still, so no call of the host ends.
  const end = app.clock.now().getTime() + 3_500;
  const isPaid = async () => {
    if (app.clock.now().getTime() < end) await app.clock.advance(100);
    return (await read(payment.id)).status === 'Paid';
  };
  await until(isPaid, 'the push being Paid');
});

const read = async (id: string) => (await app.call(`/api/payments/${id}`)).json;
