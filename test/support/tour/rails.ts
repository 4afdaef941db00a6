// Rail accounts: a contract entered, tried where nobody answers, changed, taken away. It is off all the while, so that nothing goes by it.
import { idleBody, withoutSecrets } from '../rail-accounts.ts';
import { MERCHANT } from './merchants.ts';
import type { Tour } from './recorder.ts';

export async function walkRails(tour: Tour): Promise<void> {
  const { call } = tour;
  const path = `${MERCHANT}/rail-accounts`;
  const body = idleBody({ status: 'disabled' });
  const wrong = { ...body, kind: 'gpo', label: '', environment: 'live', settings: { baseUrl: 'https://10.0.0.1' } };
  await call('a rail account with faults', `POST ${path}`, { body: wrong });
  await call('a rail account of no connector', `POST ${path}`, { body: { ...body, connector: 'stripe' } });
  const { json } = await call('a rail account is entered', `POST ${path}`, { body });
  await call('the rail connectors', 'GET /api/rail-connectors');
  await call('the rail accounts', `GET ${path}`);
  await call('a rail account', `GET ${path}/${json.id}`);
  await call('another’s rail account', `GET ${path}/${json.id}`, { token: await tour.strangerToken() });
  await call('a rail account is tried', `POST ${path}/${json.id}/test`);
  const change = { ...withoutSecrets(body), label: 'Kamba, outra' };
  await call('a rail account is changed', `PUT ${path}/${json.id}`, { body: change });
  await call('a rail account of another connector', `PUT ${path}/${json.id}`, {
    body: { ...change, connector: 'ombala' },
  });
  await call('a rail account is taken away', `DELETE ${path}/${json.id}`);
  await call('a rail account is taken away again', `DELETE ${path}/${json.id}`);
}
