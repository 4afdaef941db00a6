// People: registration, email verification, sign-in, profile, sessions, password reset, and the pages of mailed links.
import { linkIn, listInbox, tokenIn, type InboxLetter } from '../../support/mail.ts';
import type { Tour } from './recorder.ts';

export const PASSWORD = 'mulemba kitanda roxo 57';
const OTHER_PASSWORD = 'outra ginguba azul 81';
export const ANA = 'ana@exemplo.ao';
const RUI = 'rui@exemplo.ao';

const open = { token: null };
const dead = 'x'.repeat(43);

/** Waits for the nth mail to an email address and returns the mail. */
export async function receiveLetter(tour: Tour, to: string, nth: number): Promise<InboxLetter> {
  for (let tries = 1; tries < 10; tries++) {
    const letters = await listInbox(tour.app, to);
    if (letters.length >= nth) return letters[0] as InboxLetter;
    await tour.pass();
  }
  throw new Error(`there is no mail ${nth} to ${to}`);
}

/** Signs in by the password grant with the platform's own API client. */
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
  await call('POST /api/auth/register', 400, { ...open, body: wrong });
  await call('POST /api/auth/register', 201, { ...open, body: ana });
  const first = await receiveLetter(tour, ANA, 1);
  await call('POST /api/auth/verify-email/resend', 200, { ...open, body: { email: ANA } });
  const second = await receiveLetter(tour, ANA, 2);
  await call('POST /api/auth/verify-email', 400, { ...open, body: { token: tokenIn(first) } });
  await call('POST /api/auth/verify-email', 200, { ...open, body: { token: tokenIn(second) } });
  await call('POST /api/auth/register', 201, { ...open, body: ana });
  await receiveLetter(tour, ANA, 3);
}

async function walkProfile(tour: Tour): Promise<void> {
  const { call, made } = tour;
  const { json } = await call('POST /oauth/token', 200, signIn(ANA));
  made['ana'] = json;
  const token = json.access_token;
  await call('GET /api/profile', 200, { token });
  const change = {
    token,
    body: { firstName: 'Ana Maria', language: 'en' },
    key: 'profile-1',
  };
  await call('PUT /api/profile', 200, change);
  await call('PUT /api/profile', 422, { ...change, body: { firstName: 'Eva' } });
  await call('PUT /api/profile', 400, { token, body: { firstName: '', phoneNumber: '1', language: 'x' } });
  const changed = { currentPassword: PASSWORD, password: OTHER_PASSWORD };
  await call('POST /api/profile/password', 400, { token, body: { ...changed, currentPassword: 'x' } });
  await call('POST /api/profile/password', 200, { token, body: changed });
  await receiveLetter(tour, ANA, 4);
  await call('POST /api/profile/password', 200, {
    token,
    body: { currentPassword: OTHER_PASSWORD, password: PASSWORD },
  });
}

async function walkSessions(tour: Tour): Promise<void> {
  const { call, made } = tour;
  const refresh = { grant_type: 'refresh_token', client_id: 'web', refresh_token: made['ana'].refresh_token };
  const { json: fresh } = await call('POST /oauth/token', 200, { ...open, body: refresh });
  await call('POST /oauth/token', 200, signIn(ANA));
  await call('POST /oauth/token', 200, signIn(ANA));
  made['ana'] = fresh;
  const token = fresh.access_token;
  const { json } = await call('GET /api/profile/sessions?pageSize=10', 200, { token });
  const other = json.data.find(({ isCurrent }: { isCurrent: boolean }) => !isCurrent);
  await call(`DELETE /api/profile/sessions/${other.id}`, 204, { token });
  await call('DELETE /api/profile/sessions/00000000-0000-4000-8000-000000000099', 404, { token });
  await call('DELETE /api/profile/sessions', 204, { token });
}

async function walkRecovery(tour: Tour): Promise<void> {
  const { call, made } = tour;
  await call('POST /api/auth/recover', 200, { ...open, body: { email: ANA } });
  const token = tokenIn(await receiveLetter(tour, ANA, 6));
  await call('POST /api/auth/reset', 400, { ...open, body: { token, password: '123' } });
  await call('POST /api/auth/reset', 200, { ...open, body: { token, password: PASSWORD } });
  await call('POST /api/auth/reset', 400, { ...open, body: { token, password: PASSWORD } });
  made['ana'] = (await call('POST /oauth/token', 200, signIn(ANA))).json;
}

const page = { token: null, accept: 'text/html' };

/** Opens the pages of mailed links and sends their forms as a browser without scripts does. */
export async function walkAccountPages(tour: Tour): Promise<void> {
  const { call } = tour;
  const rui = { email: RUI, password: PASSWORD, firstName: 'Rui', lastName: 'Neto', language: 'fr' };
  await call('POST /api/auth/register', 201, { ...open, body: rui });
  const verify = await receiveLetter(tour, RUI, 1);
  await call(`GET ${linkIn(verify)}`, 200, { ...page });
  const proof = { token: tokenIn(verify), password: rui.password };
  await call('POST /account/verify-email?lang=fr', 200, { ...page, form: proof });
  await call('POST /account/verify-email', 400, { ...page, form: proof });
  await call('GET /account/recover?lang=en', 200, { ...page });
  await call('POST /account/recover', 400, { ...page, form: { email: 'x' } });
  await call('POST /account/recover', 200, { ...page, form: { email: RUI } });
  const reset = await receiveLetter(tour, RUI, 2);
  await call(`GET ${linkIn(reset)}`, 200, { ...page });
  const weak = { token: tokenIn(reset), password: 'curta' };
  await call('POST /account/reset', 400, { ...page, form: weak });
  const strong = { token: tokenIn(reset), password: PASSWORD };
  await call('POST /account/reset', 200, { ...page, form: strong });
  await call(`GET /account/invitation?token=${dead}`, 400, { ...page });
  tour.made['rui'] = (await call('POST /oauth/token', 200, signIn(RUI))).json;
}
