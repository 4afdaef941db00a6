// People: registered and verified by mail, signed in, their profile and sessions, a forgotten password, the pages behind mailed links.
import { linkIn, listInbox, tokenIn, type InboxLetter } from '../mail.ts';
import type { Tour } from './recorder.ts';

export const PASSWORD = 'mulemba kitanda roxo 57';
const OTHER_PASSWORD = 'outra ginguba azul 81';
export const ANA = 'ana@exemplo.ao';
const RUI = 'rui@exemplo.ao';

const open = { token: null };
const dead = 'x'.repeat(43);

/** The newest mail to somebody, kept as a step, once so many came. */
export async function keepLetter(tour: Tour, step: string, to: string, count: number): Promise<InboxLetter> {
  let letters = await listInbox(tour.app, to);
  for (let tries = 1; letters.length < count; tries++) {
    if (tries === 10) throw new Error(`there is no mail ${count} to ${to}`);
    await tour.pass();
    letters = await listInbox(tour.app, to);
  }
  const [letter] = letters as [InboxLetter];
  const { kind, subject, text } = letter;
  tour.keep(step, { kind, to, subject, text: text.split('\n') });
  return letter;
}

/** The password grant of the platform's own client. */
export const signIn = (username: string, more: Record<string, string> = {}) => ({
  token: null,
  body: { grant_type: 'password', client_id: 'web', username, password: PASSWORD, ...more },
});

export async function walkPeople(tour: Tour): Promise<void> {
  await register(tour);
  await walkProfile(tour);
  await walkSessions(tour);
  await walkRecovery(tour);
}

async function register(tour: Tour): Promise<void> {
  const { call } = tour;
  const ana = { email: ANA, password: PASSWORD, firstName: 'Ana', lastName: 'Domingos', phoneNumber: '923456789' };
  const wrong = { email: 'ana', password: 'curta', firstName: '', phoneNumber: '12', language: 'xx' };
  await call('registration with many faults', 'POST /api/auth/register', { ...open, body: wrong });
  await call('registration', 'POST /api/auth/register', { ...open, body: ana });
  const first = await keepLetter(tour, 'the mail to whoever registered', ANA, 1);
  await call('signing in before the address is proven', 'POST /oauth/token', signIn(ANA));
  await call('the mail is asked for again', 'POST /api/auth/verify-email/resend', { ...open, body: { email: ANA } });
  const second = await keepLetter(tour, 'the mail again', ANA, 2);
  await call('a link that is replaced', 'POST /api/auth/verify-email', { ...open, body: { token: tokenIn(first) } });
  await call('the address is proven', 'POST /api/auth/verify-email', { ...open, body: { token: tokenIn(second) } });
  await call('a link that is none', 'POST /api/auth/verify-email', { ...open, body: { token: dead } });
  await call('registration of a known address', 'POST /api/auth/register', { ...open, body: ana });
  await keepLetter(tour, 'the mail to whoever was registered', ANA, 3);
}

async function walkProfile(tour: Tour): Promise<void> {
  const { call, made } = tour;
  await call('signing in with a wrong password', 'POST /oauth/token', signIn(ANA, { password: 'nothing of the sort' }));
  const { json } = await call('signing in', 'POST /oauth/token', signIn(ANA));
  made['ana'] = json;
  const token = json.access_token;
  await call('the profile', 'GET /api/profile', { token });
  const change = {
    token,
    body: { firstName: 'Ana Maria', language: 'en' },
    headers: { 'idempotency-key': 'profile-1' },
  };
  await call('the profile is changed', 'PUT /api/profile', change);
  await call('the profile is changed again', 'PUT /api/profile', change);
  await call('the profile’s key with another body', 'PUT /api/profile', { ...change, body: { firstName: 'Eva' } });
  await call('the profile with faults', 'PUT /api/profile', {
    token,
    body: { firstName: '', phoneNumber: '1', language: 'x' },
  });
  const changed = { currentPassword: PASSWORD, password: OTHER_PASSWORD };
  await call('the password with a wrong one', 'POST /api/profile/password', {
    token,
    body: { ...changed, currentPassword: 'x' },
  });
  await call('the password is changed', 'POST /api/profile/password', { token, body: changed });
  await keepLetter(tour, 'the mail about the password', ANA, 4);
  await call('the password is changed back', 'POST /api/profile/password', {
    token,
    body: { currentPassword: OTHER_PASSWORD, password: PASSWORD },
  });
}

async function walkSessions(tour: Tour): Promise<void> {
  const { call, made } = tour;
  const refresh = { grant_type: 'refresh_token', client_id: 'web', refresh_token: made['ana'].refresh_token };
  const { json: fresh } = await call('a token is renewed', 'POST /oauth/token', { ...open, body: refresh });
  const second = await call('signing in a second time', 'POST /oauth/token', signIn(ANA));
  await call('signing in a third time', 'POST /oauth/token', signIn(ANA));
  made['ana'] = fresh;
  const token = fresh.access_token;
  const { json } = await call('the sessions', 'GET /api/profile/sessions?pageSize=10', { token });
  const other = json.data.find(({ isCurrent }: { isCurrent: boolean }) => !isCurrent);
  await call('a session is ended', `DELETE /api/profile/sessions/${other.id}`, { token });
  await call('a session that is none', 'DELETE /api/profile/sessions/00000000-0000-4000-8000-000000000099', { token });
  await call('all other sessions are ended', 'DELETE /api/profile/sessions', { token });
  await call('the token of a session that ended', 'POST /oauth/token', {
    ...open,
    body: { ...refresh, refresh_token: second.json.refresh_token },
  });
  await call('a renewal is repeated', 'POST /oauth/token', { ...open, body: refresh });
}

async function walkRecovery(tour: Tour): Promise<void> {
  const { call, made } = tour;
  await call('a password is forgotten', 'POST /api/auth/recover', { ...open, body: { email: ANA } });
  await call('a password of nobody is forgotten', 'POST /api/auth/recover', {
    ...open,
    body: { email: 'x@exemplo.ao' },
  });
  const token = tokenIn(await keepLetter(tour, 'the mail to whoever forgot', ANA, 6));
  await call('a new password that is weak', 'POST /api/auth/reset', { ...open, body: { token, password: '123' } });
  await call('a new password', 'POST /api/auth/reset', { ...open, body: { token, password: PASSWORD } });
  await call('the link again', 'POST /api/auth/reset', { ...open, body: { token, password: PASSWORD } });
  made['ana'] = (await call('signing in with the new password', 'POST /oauth/token', signIn(ANA))).json;
}

const HTML = { accept: 'text/html' };

/** The same by the pages of mailed links, as a browser without scripts. */
export async function walkAccountPages(tour: Tour): Promise<void> {
  const { call } = tour;
  const rui = { email: RUI, password: PASSWORD, firstName: 'Rui', lastName: 'Neto', language: 'fr' };
  await call('Rui registers', 'POST /api/auth/register', { ...open, body: rui });
  const verify = await keepLetter(tour, 'the mail to Rui', RUI, 1);
  await call('the page that proves an address', `GET ${linkIn(verify)}`, { ...open, headers: HTML });
  const proof = { token: tokenIn(verify), password: rui.password };
  await call('its form', 'POST /account/verify-email?lang=fr', { ...open, headers: HTML, form: proof });
  await call('its form again', 'POST /account/verify-email', { ...open, headers: HTML, form: proof });
  await call('the page to recover', 'GET /account/recover?lang=en', { ...open, headers: HTML });
  await call('the page to recover, with a fault', 'POST /account/recover', {
    ...open,
    headers: HTML,
    form: { email: 'x' },
  });
  await call('the page to recover, sent', 'POST /account/recover', { ...open, headers: HTML, form: { email: RUI } });
  const reset = await keepLetter(tour, 'the mail to recover', RUI, 2);
  await call('the page of a new password', `GET ${linkIn(reset)}`, { ...open, headers: HTML });
  const weak = { token: tokenIn(reset), password: 'curta' };
  await call('the page of a new password, with a fault', 'POST /account/reset', { ...open, headers: HTML, form: weak });
  const strong = { token: tokenIn(reset), password: PASSWORD };
  await call('the page of a new password, sent', 'POST /account/reset', { ...open, headers: HTML, form: strong });
  await call('a page of a dead link', `GET /account/invitation?token=${dead}`, { ...open, headers: HTML });
  tour.made['rui'] = (await call('Rui signs in', 'POST /oauth/token', signIn(RUI))).json;
}
