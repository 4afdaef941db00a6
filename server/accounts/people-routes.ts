// The API of people (decisions §5): accounts of their own, and what they see and change of themselves.
import type { Core } from '../core.ts';
import type { Route } from '../http/route.ts';
import { declareAccept } from './invitation.ts';
import { mfaRoutes } from './mfa.ts';
import { declarePassword } from './profile-password.ts';
import { sessionRoutes } from './profile-sessions.ts';
import { profileRoutes } from './profile.ts';
import { declareRecover, declareReset } from './recover.ts';
import { declareRegister } from './register.ts';
import { declareResend, declareVerify } from './verify-email.ts';

export function peopleRoutes(core: Core): Route[] {
  return [
    declareRegister(core),
    declareVerify(core),
    declareResend(core),
    declareRecover(core),
    declareReset(core),
    declareAccept(core),
    ...profileRoutes(core),
    declarePassword(core),
    ...sessionRoutes(core),
    ...mfaRoutes(core),
  ];
}
