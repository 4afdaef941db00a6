// Money for references: paid at machines, more than once, too late, with another amount, untold until asked for; and their end.
import { sendNews, writeNews, moneyFor } from '../ppr.ts';
import { askRail, payReference } from './payers.ts';
import type { Tour } from './recorder.ts';
import { PPR } from './references.ts';

export async function walkReferenceMoney(tour: Tour): Promise<void> {
  await payOnce(tour);
  await payOften(tour);
  await payOddly(tour);
  await endThem(tour);
}

async function payOnce(tour: Tour): Promise<void> {
  const { call, made } = tour;
  const [payment] = await payReference(tour, made['dynamic']);
  await call('a reference that was paid', `GET ${PPR}/${made['dynamic'].reference}`);
  await call('a reference that was paid, as a payment', `GET /api/payments/${made['dynamic'].internalId}`);
  await call('the paid reference’s history', `GET ${PPR}/${made['dynamic'].reference}/history`);
  await call('the paid reference is canceled', `POST ${PPR}/${made['dynamic'].reference}/cancel`);
  await askRail(tour, `/atm/payments/${payment.transactionId}/repeat`, { newId: true });
  await tour.pass();
  await call('a reference whose money was told again', `GET ${PPR}/${made['dynamic'].reference}`);
  await payReference(tour, made['legacy'], { channel: 'POS' });
  await call('a legacy reference that was paid', `GET ${PPR}/${made['legacy'].reference}`);
  await payReference(tour, made['byPayment'], { channel: 'MB' });
  await call('a payment by reference that was paid', `GET /api/payments/${made['byPayment'].internalId}`);
}

async function payOften(tour: Tour): Promise<void> {
  const { call, made } = tour;
  const { reference, internalId } = made['charging'];
  for (const [amount, channel] of [
    ['0.10', 'ATM'],
    ['1500.50', 'IB'],
    ['10000000.00', 'MB'],
  ] as const) {
    await payReference(tour, made['charging'], { amount, channel });
    await tour.pass();
  }
  await call('an open reference that was paid often', `GET ${PPR}/${reference}`);
  await call('an open reference that was paid often, as a payment', `GET /api/payments/${internalId}`);
  await call('an open reference is closed', `POST ${PPR}/${reference}/cancel`);
  await call('an open reference that was closed', `GET ${PPR}/${reference}`);
}

async function payOddly(tour: Tour): Promise<void> {
  const { call } = tour;
  const create = async (name: string, reference: string) =>
    (await call(`a reference to be ${name}`, `POST ${PPR}`, { body: { amount: 100, reference } })).json;
  const twice = await create('paid twice', '001000041');
  await payReference(tour, twice);
  await payReference(tour, twice, { fault: 'late' });
  await call('a reference that was paid twice', `GET /api/payments/${twice.internalId}`);
  const wrong = await create('paid with another amount', '001000042');
  await payReference(tour, wrong, { fault: 'wrong_amount', amount: '50.00' });
  await call('a reference that was paid with another amount', `GET /api/payments/${wrong.internalId}`);
  const late = await create('paid late', '001000043');
  await call('a reference is canceled before its money', `POST ${PPR}/${late.reference}/cancel`);
  await payReference(tour, late, { fault: 'late' });
  await call('a reference that was paid late', `GET /api/payments/${late.internalId}`);
  await call('the late reference’s history', `GET ${PPR}/${late.reference}/history`);
  const untold = await create('paid without a word', '001000044');
  await payReference(tour, untold, { fault: 'lost' });
  await call('money is asked for', `POST /api/payments/${untold.internalId}/sync`, {
    headers: { prefer: 'return=representation' },
  });
  await call('a reference whose money was asked for', `GET ${PPR}/${untold.reference}`);
  const nowhere = moneyFor(
    tour.app,
    { entity: '00999', reference: '001009999' },
    { transactionId: '900000000000000099' },
  );
  const { status, text } = await sendNews(tour.app, writeNews(nowhere));
  await tour.pass();
  tour.keep('the rail’s word of money for nobody', { status, text });
  const body = writeNews(nowhere);
  await call('the rail’s word of money, unsigned', 'POST /rails/ppr/notifications', { token: null, body });
}

async function endThem(tour: Tour): Promise<void> {
  const { call, app } = tour;
  const expiryDate = new Date(app.clock.now().getTime() + 125_000).toISOString();
  const short = await call('a reference for two minutes', `POST ${PPR}`, {
    body: { amount: 7, reference: '001000051', expiryDate },
  });
  await tour.pass(140_000);
  await call('a reference whose time has passed', `GET ${PPR}/${short.json.reference}`);
  await call('its history to the end', `GET ${PPR}/${short.json.reference}/history`);
}
