// Members of a merchant: the tour grants access, invites by mail, lists and revokes. It also reads the audit.
import { roleOf } from '../../../shared/roles.ts';
import { linkIn, tokenIn } from '../../support/mail.ts';
import { MERCHANT } from './merchants.ts';
import { receiveLetter, PASSWORD, signIn } from './people.ts';
import type { Tour } from './recorder.ts';

const EVA = 'eva@exemplo.ao';

export async function walkMembers(tour: Tour): Promise<void> {
  const { call, made } = tour;
  const users = `${MERCHANT}/users`;
  const prefer = 'return=representation';
  await call(`POST ${users}`, 400, { body: { email: 'x', roleId: 'x' } });
  const cashier = { email: EVA, roleId: roleOf('Cashier').id };
  await call(`POST ${users}`, 200, { body: cashier });
  const letter = await receiveLetter(tour, EVA, 1);
  const token = tokenIn(letter);
  await call(`GET ${linkIn(letter)}`, 200, { token: null, accept: 'text/html' });
  const eva = { token, firstName: 'Eva', lastName: 'Lima', password: PASSWORD, language: 'pt' };
  await call('POST /api/auth/accept-invitation', 400, { token: null, body: { ...eva, firstName: '', password: 'x' } });
  await call('POST /api/auth/accept-invitation', 200, { token: null, body: eva });
  await call('POST /api/auth/accept-invitation', 400, { token: null, body: eva });
  await call('POST /oauth/token', 200, signIn(EVA));
  await call(`POST ${users}`, 200, { body: { ...cashier, roleId: roleOf('Owner').id }, prefer });
  await call(`POST ${users}`, 200, { body: { email: 'rui@exemplo.ao', roleId: roleOf('Viewer').id }, prefer });
  await receiveLetter(tour, 'rui@exemplo.ao', 6);
  const { json } = await call(`GET ${users}?pageSize=10`, 200);
  const rui = json.data.find(({ email }: { email: string }) => email === 'rui@exemplo.ao');
  const last = json.data.find(({ role }: { role: string }) => role === 'Owner');
  await call(`DELETE ${users}/${rui.userId}`, 200);
  await call(`DELETE ${users}/${rui.userId}`, 404);
  await call(`DELETE ${users}/${last.userId}`, 409);
  await call(`GET /api/merchants/${made['stranger'].merchantId}/users`, 404);
  await call(`GET ${MERCHANT}/audit?pageSize=50`, 200);
  await call(`GET ${MERCHANT}/audit?from=x&pageSize=0`, 400);
}
