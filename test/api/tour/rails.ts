// Rail accounts: the tour creates, tests, changes and removes one. It is disabled, so that no payment uses it.
import { idleBody, withoutSecrets } from '../../support/rail-accounts.ts';
import { MERCHANT } from './merchants.ts';
import type { Tour } from './recorder.ts';

export async function walkRails(tour: Tour): Promise<void> {
  const { call } = tour;
  const path = `${MERCHANT}/rail-accounts`;
  const body = idleBody({ status: 'disabled' });
  const wrong = { ...body, kind: 'gpo', label: '', environment: 'live', settings: { baseUrl: 'https://10.0.0.1' } };
  await call(`POST ${path}`, 400, { body: wrong });
  const { json } = await call(`POST ${path}`, 201, { body });
  await call('GET /api/rail-connectors', 200);
  await call(`GET ${path}`, 200);
  await call(`GET ${path}/${json.id}`, 200);
  await call(`GET ${path}/${json.id}`, 404, { token: await tour.strangerToken() });
  await call(`POST ${path}/${json.id}/test`, 200);
  const change = { ...withoutSecrets(body), label: 'Kamba, outra' };
  await call(`PUT ${path}/${json.id}`, 200, { body: change });
  await call(`PUT ${path}/${json.id}`, 400, { body: { ...change, connector: 'ombala' } });
  await call(`DELETE ${path}/${json.id}`, 204);
  await call(`DELETE ${path}/${json.id}`, 404);
}
