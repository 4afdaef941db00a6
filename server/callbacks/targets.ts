// Where merchants may be called: the public internet, and in the sandbox its own page for trying callbacks.
import type { Core } from '../core.ts';
import { checkResolves, checkUrl, type GuardOptions } from '../http/guard.ts';
import { createGuardedAgents } from '../http/guarded-agents.ts';
import type { OutgoingRequest } from '../http/outgoing.ts';

export type Targets = {
  /** Why a URL is refused, in a word; null: it may be called. */
  check(url: string): Promise<string | null>;
  /** What a request to the URL needs: its address, and the connections that it may use. */
  aim(url: string): Pick<OutgoingRequest, 'url' | 'agents' | 'freshAgents'>;
  close(): void;
};

/** @param localUrl this node, as it reaches itself */
export function createTargets({ config, publicUrl }: Pick<Core, 'config' | 'publicUrl'>, localUrl: string): Targets {
  const guard: GuardOptions = { allowLoopback: config.isSandbox && config.CALLBACK_ALLOW_LOOPBACK };
  const agents = createGuardedAgents(guard);
  // Nothing else there: what the page's forms do is not for machines.
  const isOwn = (url: string) => config.isSandbox && url === `${publicUrl}/sandbox/callbacks/hook`;
  return {
    async check(url) {
      if (isOwn(url)) return null;
      return checkUrl(url, guard) ?? (await checkResolves(url, guard));
    },
    aim(url) {
      if (isOwn(url)) return { url: `${localUrl}${url.slice(publicUrl.length)}` };
      return { url, agents: agents.kept, freshAgents: agents.fresh };
    },
    close: () => agents.destroy(),
  };
}
