// balcao keys: the key that signs access tokens, and the keys under which secrets are kept.
import { makeSigningKey } from '../oauth/tokens.ts';
import { recordAudit } from '../events/audit.ts';
import type { Action, Desk } from './action.ts';
import { CommandError, type Output } from './command.ts';
import { resealAll } from './reseal.ts';

export const keys = {
  'rotate-signing': {
    about: 'sign access tokens with a new key; tokens of the old one live out their hour',
    takes: [],
    async run({ core, actor }) {
      const kid = await makeSigningKey(core, { retireOthers: true, actor });
      return { text: `New signing key ${kid}; running nodes use it within 30 seconds.`, json: { kid } };
    },
  },
  reseal: {
    about: 'seal every kept secret again under the first key of SECRETS_KEYS, so that an old one can be taken out',
    takes: [],
    notes: `First every node must have the new key, and have it before the old one.
Run it again after a break: what is done stays done. docs/operate.md says what else an old key is good for.`,
    run: reseal,
  },
} satisfies Record<string, Action>;

async function reseal({ core, actor }: Desk): Promise<Output> {
  const { keyId, sealed, unopened } = await resealAll(core);
  const total = Object.values(sealed).reduce((sum, count) => sum + count, 0);
  const changes = { keyId, sealed, unopened: unopened.length };
  if (total > 0)
    await recordAudit(core, { merchantId: null, actor, action: 'secrets.resealed', changes, at: core.clock.now() });
  if (unopened.length > 0)
    throw new CommandError(
      `${total} secrets are sealed under ${keyId} now, but no key of SECRETS_KEYS opens ${unopened.length}:\n${unopened.map((where) => `  ${where}`).join('\n')}`,
    );
  const where = Object.entries(sealed).map(([table, count]) => `${table} ${count}`);
  const text = total === 0 ? `Everything is sealed under ${keyId}.` : `Sealed under ${keyId}: ${where.join(', ')}.`;
  return { text, json: { keyId, sealed, total } };
}
