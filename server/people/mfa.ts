// /api/profile/mfa: enrols, confirms and disables two-step sign-in, and renews its recovery codes.
import QRCode from 'qrcode';
import type { Core } from '../core.ts';
import { em, type Db } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { actorOf, recordAudit } from '../audit/record.ts';
import { invalidFields, Problem } from '../http/problem.ts';
import { route, type Caller, type Route } from '../http/route.ts';
import { writeMail } from '../mail/write.ts';
import { User } from './entities.ts';
import { tryOnce } from './lockout.ts';
import { findPerson, requirePassword, TOO_MANY } from './profile.ts';
import { anyCodeRequest, codeRequest, enrolled, enrolment, recoveryCodes } from './schemas.ts';
import { endSessions } from './sessions.ts';
import { checkSecondFactor, makeRecoveryCodes, makeTotpSecret, useTotpCode } from './totp.ts';

const about = { tag: 'Profile', access: { kind: 'user' }, bucket: 'write' } as const;
const WRONG_CODE =
  'wrong_code at /code. Wrong codes count as failed sign-ins, which can lock you out for a while (429)';

/** Endpoints of two-step sign-in. They accept no Idempotency-Key, since stored answers would contain secrets. */
export function mfaRoutes(core: Core): Route[] {
  return [declareEnrol(core), declareConfirm(core), declareDisable(core), declareRenew(core)];
}

function declareEnrol(core: Core): Route {
  return route({
    ...about,
    method: 'POST',
    path: '/api/profile/mfa/totp',
    operationId: 'enrolTotp',
    summary: 'Start the setup of two-step sign-in',
    description:
      'Scan the QR code with an authenticator app, then confirm with a code that it shows. ' +
      'Two-step sign-in stays off until then. A second call replaces the secret.',
    body: enrolment,
    example: { password: 'sete-barcos-na-ilha' },
    refusals: { 400: 'wrong_password at /password', 409: 'mfa_enabled', 429: TOO_MANY },
    answers: { 201: { description: 'The secret, returned only once', schema: enrolled } },
    async run({ caller, body, address }) {
      const user = await findPerson(core, caller);
      if (user.totpConfirmedAt) throw new Problem('mfa_enabled');
      await requirePassword(core, user, { password: body.password, address }, '/password');
      const { secret, sealed, otpauthUri } = makeTotpSecret(core, user.email);
      await changeFactor(
        core,
        { caller, address, action: 'mfa.begun', set: { totpSecret: sealed, totpStep: null } },
        OFF,
      );
      return { status: 201, body: { secret, otpauthUri, qrCode: await drawCode(otpauthUri) } };
    },
  });
}

function declareConfirm(core: Core): Route {
  return route({
    ...about,
    method: 'POST',
    path: '/api/profile/mfa/totp/confirm',
    operationId: 'confirmTotp',
    summary: 'Turn two-step sign-in on',
    description:
      'Takes a code of the authenticator. Returns the recovery codes only once: store them safely. ' +
      'Ends every other session.',
    body: codeRequest,
    example: { code: '123456' },
    refusals: { 400: WRONG_CODE, 409: 'mfa_enabled, mfa_not_enrolled', 429: TOO_MANY },
    answers: { 200: { description: 'Two-step sign-in is on', schema: recoveryCodes } },
    async run({ caller, body, address }) {
      const user = await findPerson(core, caller);
      if (user.totpConfirmedAt) throw new Problem('mfa_enabled');
      if (!user.totpSecret) throw new Problem('mfa_not_enrolled');
      await requireCode(core, user, address, (db) => useTotpCode(db, core, user, body.code));
      const { codes, digests } = makeRecoveryCodes();
      const set = { totpConfirmedAt: core.clock.now(), recoveryCodes: digests };
      const secret = user.totpSecret;
      await changeFactor(core, { caller, address, action: 'mfa.enabled', set, secret }, OFF, async (db) => {
        // Enabling the second step ends the person's other sessions, which began with the password alone.
        await endSessions(db, user.id, core.clock.now(), caller.sessionId);
        await mailPerson(core, db, user, 'mfaEnabled');
      });
      return { status: 200, body: { recoveryCodes: codes } };
    },
  });
}

function declareDisable(core: Core): Route {
  return route({
    ...about,
    method: 'DELETE',
    path: '/api/profile/mfa/totp',
    operationId: 'disableTotp',
    summary: 'Turn two-step sign-in off',
    description: 'Requires a code of the authenticator or a recovery code.',
    body: anyCodeRequest,
    example: { code: '123456' },
    refusals: { 400: WRONG_CODE, 409: 'mfa_not_enrolled', 429: TOO_MANY },
    answers: { 204: { description: 'Two-step sign-in is off' } },
    async run({ caller, body, address }) {
      const user = await requireAnyCode(core, { caller, code: body.code, address });
      const set = { totpSecret: null, totpConfirmedAt: null, totpStep: null, recoveryCodes: [] };
      const secret = user.totpSecret;
      await changeFactor(core, { caller, address, action: 'mfa.disabled', set, secret }, ON, (db) =>
        mailPerson(core, db, user, 'mfaDisabled'),
      );
      return { status: 204 };
    },
  });
}

function declareRenew(core: Core): Route {
  return route({
    ...about,
    method: 'POST',
    path: '/api/profile/mfa/recovery-codes',
    operationId: 'renewRecoveryCodes',
    summary: 'Get new recovery codes',
    description: 'Replaces the old codes. Returns the new ones only once.',
    body: anyCodeRequest,
    example: { code: '123456' },
    refusals: { 400: WRONG_CODE, 409: 'mfa_not_enrolled', 429: TOO_MANY },
    answers: { 200: { description: 'The new recovery codes', schema: recoveryCodes } },
    async run({ caller, body, address }) {
      const user = await requireAnyCode(core, { caller, code: body.code, address });
      const { codes, digests } = makeRecoveryCodes();
      const set = { recoveryCodes: digests };
      await changeFactor(core, { caller, address, action: 'mfa.codes_renewed', set, secret: user.totpSecret }, ON);
      return { status: 200, body: { recoveryCodes: codes } };
    },
  });
}

/** Requires a second-factor code. @throws Problem mfa_not_enrolled, validation_failed (`/code`), too_many_failures */
async function requireAnyCode(
  core: Core,
  { caller, code, address }: { caller: Caller; code: string; address: string },
): Promise<User> {
  const user = await findPerson(core, caller);
  if (!user.totpConfirmedAt) throw new Problem('mfa_not_enrolled');
  await requireCode(core, user, address, (db) => checkSecondFactor(db, core, user, code));
  return user;
}

/** Checks a code in its own transaction, so that a later error does not make the code valid again. */
async function requireCode(
  core: Core,
  { email }: User,
  address: string,
  check: (db: Db) => Promise<boolean>,
): Promise<void> {
  const isRight = await tryOnce(
    core,
    { email, address, isCode: true },
    async () => (await inTransaction(core, check)) || null,
  );
  if (!isRight) throw invalidFields([{ pointer: '/code', code: 'wrong_code' }]);
}

/** Expected states of the user's row. If a concurrent request changed the state, the call fails with `else`. */
const OFF = { where: { totpConfirmedAt: null }, else: 'mfa_enabled' } as const;
const ON = { where: { totpConfirmedAt: { $ne: null } }, else: 'mfa_not_enrolled' } as const;

type FactorChange = {
  caller: Caller;
  address: string;
  action: string;
  set: Partial<Pick<User, 'totpSecret' | 'totpConfirmedAt' | 'totpStep' | 'recoveryCodes'>>;
  /** `secret`: the sealed secret against which the code was checked. Absent: any secret. */
  secret?: string | null | undefined;
};

/** Changes the second factor if the user's row has the expected state. @throws Problem mfa_enabled, mfa_not_enrolled */
async function changeFactor(
  core: Core,
  { caller, address, action, set, secret }: FactorChange,
  expected: typeof OFF | typeof ON,
  also?: (db: Db) => Promise<void>,
): Promise<void> {
  const at = core.clock.now();
  await inTransaction(core, async (db) => {
    const where = { id: String(caller.userId), ...(secret && { totpSecret: secret }), ...expected.where };
    const changed = await em(db).nativeUpdate(User, where, { ...set, updatedAt: at });
    if (changed === 0) throw new Problem(expected.else);
    await also?.(db);
    const actor = actorOf(caller, address);
    await recordAudit(db, { merchantId: null, actor, action, target: caller.userId, at });
  });
}

function mailPerson(core: Core, db: Db, user: User, template: 'mfaEnabled' | 'mfaDisabled'): Promise<void> {
  const { email: to, language, firstName } = user;
  return writeMail(core, db, { to, language, template, values: { firstName } });
}

/** Returns a text as a QR code: an SVG image in a data: URL. */
async function drawCode(content: string): Promise<string> {
  const svg = await QRCode.toString(content, { type: 'svg', errorCorrectionLevel: 'M' });
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
}
