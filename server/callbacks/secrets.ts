// Signing secrets of webhooks: the first one, and those that follow it, sealed together.
import type { Keyring } from '../secrets.ts';
import { SEALED_SECRETS, type SigningSecret } from './message.ts';
import { makeSecret } from './sign.ts';

/** Signatures that a webhook carries at most; whoever rotates more often loses the oldest. */
const MAX_SECRETS = 8;

const HOUR_MS = 3_600_000;

/** The first secret of a webhook, and the column it is kept in. */
export function sealFirst(keyring: Keyring): { secret: string; sealed: string } {
  const secret = makeSecret();
  return { secret, sealed: seal(keyring, [{ secret, until: null }]) };
}

/** All that are kept, the newest first; some of them may be over. */
function openSecrets(keyring: Keyring, sealed: string): SigningSecret[] {
  return JSON.parse(keyring.open(sealed, SEALED_SECRETS)) as SigningSecret[];
}

/** A new secret before the others, none of which signs longer than the overlap from now. */
export function sealNext(
  keyring: Keyring,
  sealed: string,
  { now, overlapHours }: { now: Date; overlapHours: number },
): { secret: string; sealed: string; until: Date } {
  const secret = makeSecret();
  const until = new Date(now.getTime() + overlapHours * HOUR_MS);
  const others = openSecrets(keyring, sealed)
    .map((old) => ({ ...old, until: earlier(old.until, until) }))
    .filter((old) => old.until > now.toISOString());
  return { secret, sealed: seal(keyring, [{ secret, until: null }, ...others].slice(0, MAX_SECRETS)), until };
}

function earlier(until: string | null, limit: Date): string {
  const iso = limit.toISOString();
  return until !== null && until < iso ? until : iso;
}

function seal(keyring: Keyring, secrets: SigningSecret[]): string {
  return keyring.seal(JSON.stringify(secrets), SEALED_SECRETS);
}
