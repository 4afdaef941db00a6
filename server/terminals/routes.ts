// The terminals API (decisions §6): three GETs, all of which may change what is recorded.
import { z } from 'zod';
import type { Core } from '../core.ts';
import { readPrefer } from '../http/idempotency.ts';
import { route, type Route } from '../http/route.ts';
import { askTerminal } from './ask.ts';
import { moveTerminal } from './move.ts';
import { moveQuery, terminalAnswer, viewTerminal } from './find.ts';
import type { Action } from './states.ts';

const byPosId = z.object({ posId: z.string().describe('As your acquirer named the terminal') });

/** What the three have in common. */
const TERMINAL_CALL = {
  method: 'GET',
  tag: 'Terminals',
  access: { kind: 'bearer', scope: 'terminals' },
  bucket: 'terminal',
  params: byPosId,
  changesState: true,
  prefers: 'return=representation adds posId, status, period, supervisorRequired',
} as const;

export function terminalRoutes(core: Core): Route[] {
  return [declareStatus(core), declareMove(core, 'open'), declareMove(core, 'close')];
}

function declareStatus(core: Core): Route {
  return route({
    ...TERMINAL_CALL,
    path: '/api/terminals/{posId}',
    operationId: 'readTerminal',
    summary: 'Status of a GPO terminal',
    description: 'Asks the provider and records what it tells. Without a clear answer the last known state is told.',
    answers: { 200: { description: 'The status', schema: terminalAnswer } },
    async run({ caller, params, ctx }) {
      const owned = { merchantId: caller.merchantId, posId: params.posId };
      const { terminal, isConfirmed } = await askTerminal(core, owned);
      return { status: 200, body: viewTerminal(terminal, readPrefer(ctx).wantsRepresentation, isConfirmed) };
    },
  });
}

function declareMove(core: Core, action: Action): Route {
  return route({
    ...TERMINAL_CALL,
    path: `/api/terminals/{posId}/${action}`,
    operationId: `${action}Terminal`,
    summary: `${action === 'open' ? 'Open' : 'Close'} a GPO terminal`,
    description:
      'May be repeated: a terminal that is there already, or on its way, is 200. When the provider’s answer is unknown the terminal is under way until the provider, asked again, tells.',
    query: moveQuery,
    refusals: {
      400: 'supervisor_required, prefetch_refused, or a malformed supervisorId',
      403: 'supervisor_refused, or the token lacks the scope',
      409: 'terminal_busy: it is on its way to the other state',
    },
    answers: { 200: { description: 'The state it is in then', schema: terminalAnswer } },
    async run({ caller, params, query, ctx }) {
      const { merchantId } = caller;
      const supervisorId = query.supervisorId ?? null;
      const terminal = await moveTerminal(core, { merchantId, posId: params.posId, action, supervisorId });
      return { status: 200, body: viewTerminal(terminal, readPrefer(ctx).wantsRepresentation) };
    },
  });
}
