// Two-step sign-in: the tour turns it on, uses it, uses recovery codes, and turns it off.
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
  await call(`POST ${totp}/confirm`, 409, { token, body: { code: '123456' } });
  await call(`POST ${totp}`, 400, { token, body: { password: 'x' } });
  const enrolled = await call(`POST ${totp}`, 201, { token, body: { password: 'mulemba kitanda roxo 57' } });
  const authenticator = new TOTP({ secret: Secret.fromBase32(enrolled.json.secret) });
  const codeNow = () => authenticator.generate({ timestamp: tour.app.clock.now().getTime() });
  await call(`POST ${totp}/confirm`, 400, { token, body: { code: 'abcdef' } });
  await call(`POST ${totp}/confirm`, 200, { token, body: { code: codeNow() } });
  await call(`POST ${totp}`, 409, { token, body: { password: 'mulemba kitanda roxo 57' } });

  await tour.pass(STEP_MS);
  const asked = await call('POST /oauth/token', 400, signIn(RUI));
  const second = { grant_type: GRANT, client_id: 'web', mfa_token: asked.json.mfa_token };
  await call('POST /oauth/token', 200, { token: null, body: { ...second, otp: codeNow() } });
  await tour.pass(STEP_MS);
  const codes = await call('POST /api/profile/mfa/recovery-codes', 200, { token, body: { code: codeNow() } });
  await call('GET /api/profile', 200, { token });
  const [code] = codes.json.recoveryCodes;
  await call(`DELETE ${totp}`, 400, { token, body: { code: 'abcdef' } });
  await call(`DELETE ${totp}`, 204, { token, body: { code } });
  await call(`DELETE ${totp}`, 409, { token, body: { code } });
}
