// Connections to addresses that merchants gave: made only to IP addresses that were checked, and only after they were.
import http from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { checkTarget, isAllowedAddress, pickResolver, type GuardOptions, type Refusal, type Target } from './guard.ts';
import { OutgoingError, type Agents } from './outgoing.ts';

export type GuardedAgents = {
  /** Keep connections for the next request to the same host and port. */
  kept: Agents;
  /** Make a connection for each request. */
  fresh: Agents;
  /** Closes every connection, those in use too, and makes no more. */
  destroy(): void;
};

/** An idle connection is kept this long, or as long as the other side says it keeps it, if that is less. */
const IDLE_MS = 60_000;
/** Kept idle at one host and port: several merchants may share it. */
const MAX_IDLE = 128;

/**
 * Agents for sendRequest. What may not be reached ends as OutgoingError `blocked`, without a connection. A name is resolved
 * once for each connection, every one of its addresses must be allowed, and only those are connected to: whatever
 * the name servers say a moment later changes nothing.
 */
export function createGuardedAgents(options: GuardOptions): GuardedAgents {
  const shared = { lookup: createLookup(options), timeout: IDLE_MS, maxFreeSockets: MAX_IDLE };
  let isClosed = false;
  const refuse = (target: Target) => (isClosed ? CLOSED : blockTarget(target, options));
  const make = (keepAlive: boolean): Agents => ({
    http: guardAgent(new http.Agent({ ...shared, keepAlive }), false, refuse),
    // Said aloud, since NODE_TLS_REJECT_UNAUTHORIZED=0 would switch it off for all who do not.
    https: guardAgent(new https.Agent({ ...shared, keepAlive, rejectUnauthorized: true }), true, refuse),
  });
  const [kept, fresh] = [make(true), make(false)];
  const destroy = () => {
    isClosed = true;
    for (const agent of [kept.http, kept.https, fresh.http, fresh.https]) agent.destroy();
  };
  return { kept, fresh, destroy };
}

/** Node asks no lookup for an IP address, and none knows the port: both are checked where the connection is made. */
function guardAgent<A extends http.Agent>(agent: A, isTls: boolean, refuse: (target: Target) => Error | null): A {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (target, answer) => {
    const refusal = refuse({ isTls, host: target.host ?? '', port: Number(target.port) });
    if (!refusal) return connect(target, answer);
    // With an error there is no stream, whatever the type says.
    answer?.(refusal, undefined as never);
    return undefined;
  };
  return agent;
}

const CLOSED = new OutgoingError('connection', { code: 'closed' });

function blockTarget(target: Target, options: GuardOptions): OutgoingError | null {
  const refusal = checkTarget(target, options);
  return refusal && block(target.host, refusal);
}

function createLookup(options: GuardOptions): LookupFunction {
  const resolve = pickResolver(options);
  return (host, wanted, answer) => {
    resolve(host).then(
      (addresses) => {
        const [first] = addresses;
        if (first === undefined || !addresses.every((address) => isAllowedAddress(address, options)))
          return answer(block(host, 'address'), '');
        if (!wanted.all) return answer(null, first, familyOf(first));
        answer(
          null,
          addresses.map((address) => ({ address, family: familyOf(address) })),
        );
      },
      (error) => answer(error, ''),
    );
  };
}

function familyOf(address: string): 4 | 6 {
  return address.includes(':') ? 6 : 4;
}

function block(host: string, refusal: Refusal): OutgoingError {
  return new OutgoingError('blocked', Object.assign(new Error(host), { code: refusal }));
}
