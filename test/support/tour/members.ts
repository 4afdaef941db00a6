// People of a merchant: granted access, invited by mail, listed, revoked; and what the audit keeps of it.
import { roleOf } from '../../../shared/roles.ts';
import { linkIn, tokenIn } from '../mail.ts';
import { MERCHANT } from './merchants.ts';
import { keepLetter, PASSWORD, signIn } from './people.ts';
import type { Tour } from './recorder.ts';

const EVA = 'eva@exemplo.ao';

export async function walkMembers(tour: Tour): Promise<void> {
  const { call, made } = tour;
  const users = `${MERCHANT}/users`;
  const whole = { prefer: 'return=representation' };
  await call('access with faults', `POST ${users}`, { body: { email: 'x', roleId: 'x' } });
  const cashier = { email: EVA, roleId: roleOf('Cashier').id };
  await call('access is granted', `POST ${users}`, { body: cashier, headers: { 'idempotency-key': 'access-1' } });
  await call('access is granted by the same key', `POST ${users}`, {
    body: cashier,
    headers: { 'idempotency-key': 'access-1' },
  });
  const letter = await keepLetter(tour, 'the invitation', EVA, 1);
  const token = tokenIn(letter);
  await call('the page of the invitation', `GET ${linkIn(letter)}`, { token: null, headers: { accept: 'text/html' } });
  const eva = { token, firstName: 'Eva', lastName: 'Lima', password: PASSWORD, language: 'pt' };
  await call('the invitation with faults', 'POST /api/auth/accept-invitation', {
    token: null,
    body: { ...eva, firstName: '', password: 'x' },
  });
  await call('the invitation is accepted', 'POST /api/auth/accept-invitation', { token: null, body: eva });
  await call('the invitation again', 'POST /api/auth/accept-invitation', { token: null, body: eva });
  const signedIn = await call('the invited signs in', 'POST /oauth/token', signIn(EVA));
  await call('the role changes', `POST ${users}`, { body: { ...cashier, roleId: roleOf('Owner').id }, headers: whole });
  await call('Rui is granted access', `POST ${users}`, {
    body: { email: 'rui@exemplo.ao', roleId: roleOf('Viewer').id },
    headers: whole,
  });
  await keepLetter(tour, 'the mail to somebody known', 'rui@exemplo.ao', 6);
  await call('a person looks without a fresh token', `GET ${MERCHANT}`, { token: signedIn.json.access_token });
  const { json } = await call('the people', `GET ${users}?pageSize=10`);
  const rui = json.data.find(({ email }: { email: string }) => email === 'rui@exemplo.ao');
  const last = json.data.find(({ role }: { role: string }) => role === 'Owner');
  await call('access is revoked', `DELETE ${users}/${rui.userId}`, { headers: { 'idempotency-key': 'access-2' } });
  await call('access is revoked again', `DELETE ${users}/${rui.userId}`);
  await call('access of the last owner is revoked', `DELETE ${users}/${last.userId}`);
  await call('another’s people', `GET /api/merchants/${made['stranger'].merchantId}/users`);
  await call('the audit', `GET ${MERCHANT}/audit?pageSize=50`);
  await call('the audit of one action', `GET ${MERCHANT}/audit?action=client.created`);
  await call('the audit with faults', `GET ${MERCHANT}/audit?from=x&pageSize=0`);
}
