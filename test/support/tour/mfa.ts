// Sign-in in two steps: set up, asked for, its recovery codes, turned off.
import { Secret, TOTP } from 'otpauth';
import { signIn } from './people.ts';
import type { Tour } from './recorder.ts';

const RUI = 'rui@exemplo.ao';
const STEP_MS = 30_000;
const GRANT = 'urn:balcao:params:oauth:grant-type:mfa-otp';

export async function walkTwoSteps(tour: Tour): Promise<void> {
  const { call, made } = tour;
  const { access_token: token } = made['rui'];
  const totp = '/api/profile/mfa/totp';
  await call('two steps: confirmed before they are set up', `POST ${totp}/confirm`, {
    token,
    body: { code: '123456' },
  });
  await call('two steps: with a wrong password', `POST ${totp}`, { token, body: { password: 'x' } });
  const enrolled = await call('two steps: set up', `POST ${totp}`, {
    token,
    body: { password: 'mulemba kitanda roxo 57' },
  });
  const authenticator = new TOTP({ secret: Secret.fromBase32(enrolled.json.secret) });
  const codeNow = () => authenticator.generate({ timestamp: tour.app.clock.now().getTime() });
  await call('two steps: confirmed with a wrong code', `POST ${totp}/confirm`, { token, body: { code: 'abcdef' } });
  await call('two steps: confirmed', `POST ${totp}/confirm`, { token, body: { code: codeNow() } });
  await call('two steps: set up while on', `POST ${totp}`, { token, body: { password: 'mulemba kitanda roxo 57' } });

  await tour.pass(STEP_MS);
  const asked = await call('two steps: the first one', 'POST /oauth/token', signIn(RUI));
  const second = { grant_type: GRANT, client_id: 'web', mfa_token: asked.json.mfa_token };
  await call('two steps: a wrong second one', 'POST /oauth/token', { token: null, body: { ...second, otp: 'abcdef' } });
  await call('two steps: the second one', 'POST /oauth/token', { token: null, body: { ...second, otp: codeNow() } });
  await tour.pass(STEP_MS);
  const codes = await call('two steps: new recovery codes', 'POST /api/profile/mfa/recovery-codes', {
    token,
    body: { code: codeNow() },
  });
  await call('two steps: the profile', 'GET /api/profile', { token });
  const [code] = codes.json.recoveryCodes;
  await call('two steps: turned off with a wrong code', `DELETE ${totp}`, { token, body: { code: 'abcdef' } });
  await call('two steps: turned off by a recovery code', `DELETE ${totp}`, { token, body: { code } });
  await call('two steps: turned off again', `DELETE ${totp}`, { token, body: { code } });
}
