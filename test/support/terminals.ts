// A merchant with a terminal, and simulated rails on which a test can set the status of terminals.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Clock } from '../../server/clock.ts';
import type { TerminalOutcome, TerminalStatus } from '../../server/providers/provider.ts';
import type { TestApp } from './app.ts';
import { listen } from './listen.ts';
import { startProxy, type Proxy } from './proxy.ts';
import { startRail } from './rail.ts';
import { stopLater } from './stop-later.ts';

type TerminalState = { status: string; period: number; supervisors: string[] };

export type TerminalRail = {
  env: { GPO_URL: string; GPO_KEY: string };
  calls: Proxy;
  /** Sets a terminal, by default open in period 1. The proxy must not hold calls. */
  set(posId: string, change: Partial<TerminalState> & { notify?: boolean }): Promise<void>;
  /** Returns the terminal's status and period, for instance `OPEN 1`. */
  read(posId: string): Promise<string>;
  /** Returns the gateway's calls about a terminal: `open`, `close`, `query`. */
  callsTo(posId: string): string[];
  stop(): Promise<void>;
};

export async function startSimulatedTerminals(gatewayUrl: () => string, clock: Clock): Promise<TerminalRail> {
  const { env, calls, setTerminal, stop } = await startRail({ gatewayUrl, clock });
  return {
    env,
    calls,
    async set(posId, { period, ...change }) {
      if (period !== undefined) throw new Error('the simulator counts periods itself');
      await setTerminal(posId, change as Parameters<typeof setTerminal>[1]);
    },
    async read(posId) {
      const { status, period } = await setTerminal(posId, {});
      return `${status} ${period}`;
    },
    callsTo: (posId) => listCalls(calls, posId),
    stop,
  };
}

/** Starts a rail with terminals in any status and period. The rail does not know terminals named `missing-…`. */
export async function startScriptedTerminals(): Promise<TerminalRail> {
  const terminals = new Map<string, TerminalState>();
  const at = (posId: string) => terminals.get(posId) ?? { status: 'OPEN', period: 1, supervisors: [] };
  const serve = async (req: IncomingMessage, res: ServerResponse) => {
    const answer = (status: number, body: object) =>
      void res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const body = Buffer.concat(await req.toArray()).toString();
    const [, posId = '', action] = /^\/v1\/terminals\/([^/]+)(?:\/(open|close))?$/.exec(req.url ?? '') ?? [];
    if (posId.startsWith('missing-')) return answer(404, { code: 'UNKNOWN_TERMINAL' });
    const { supervisors, ...state } = at(posId);
    if (action) {
      const { supervisorId } = JSON.parse(body) as { supervisorId: string | null };
      if (supervisors.length > 0 && !supervisorId) return answer(400, { code: 'SUPERVISOR_REQUIRED' });
      if (supervisors.length > 0 && !supervisors.includes(supervisorId ?? ''))
        return answer(403, { code: 'WRONG_SUPERVISOR' });
      const goal = action === 'open' ? 'OPEN' : 'CLOSED';
      if (action === 'open' && state.status !== goal) state.period++;
      state.status = goal;
      terminals.set(posId, { ...state, supervisors });
    }
    const supervisorRequired = supervisors.length > 0;
    return answer(200, { posId, status: state.status, period: String(state.period), supervisorRequired });
  };
  const server = createServer((req, res) => void serve(req, res).catch(() => res.destroy()));
  const url = await listen(server);
  const calls = await startProxy(() => url);
  return stopLater({
    env: { GPO_URL: calls.url, GPO_KEY: 'a key nobody checks here' },
    calls,
    set: async (posId, change) => void terminals.set(posId, { ...at(posId), ...change }),
    read: async (posId) => `${at(posId).status} ${at(posId).period}`,
    callsTo: (posId) => listCalls(calls, posId),
    async stop() {
      await calls.stop();
      server.close().closeAllConnections();
    },
  });
}

function listCalls({ seen }: Proxy, posId: string): string[] {
  return seen.flatMap(({ path }) => {
    const [, name, action = 'query'] = /^\/v1\/terminals\/([^/]+)(?:\/(\w+))?$/.exec(path) ?? [];
    return name === posId ? [action] : [];
  });
}

export type TerminalFixture = Awaited<ReturnType<typeof openTerminalFixture>>;

export async function openTerminalFixture(app: TestApp, posId = `pos-${randomUUID()}`) {
  const { token, merchantId, clientId, secret } = await app.addMerchant({ gpoPosIds: [posId] });
  return {
    posId,
    token,
    merchantId,
    /** Calls the terminal API. `''` reads the status, and `open?supervisorId=…` opens the terminal. */
    async call(action = '', options: { node?: TestApp; headers?: Record<string, string>; method?: string } = {}) {
      const { node = app, headers = { prefer: 'return=representation' }, method = 'GET' } = options;
      const fresh = await node.token(clientId, secret);
      return node.call(`/api/terminals/${posId}${action && `/${action}`}`, { method, token: fresh, headers });
    },
    row: async () => (await app.sql('select * from terminals where pos_id = $1', [posId]))[0],
    events: () => app.sql(`select type, status, details from events where merchant_id = $1 order by seq`, [merchantId]),
  };
}

export function terminalOutcome(status: TerminalStatus, period: string): TerminalOutcome {
  return { result: 'told', status, period, supervisorRequired: false, refusal: null, details: {} };
}
