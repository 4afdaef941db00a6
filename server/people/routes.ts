// The API of people: registration, sign-in links, and a person's own profile, sessions and second factor.
import type { Core } from '../core.ts';
import type { Route } from '../http/route.ts';
import { declareAccept } from './invitation.ts';
import { mfaRoutes } from './mfa.ts';
import { declarePassword, profileRoutes, sessionRoutes } from './profile.ts';
import { declareRecover, declareReset } from './recover.ts';
import { declareRegister, declareResend, declareVerify } from './register.ts';

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
