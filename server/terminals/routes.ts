// The terminals API: three GET endpoints, each of which may change the stored state.
import { z } from 'zod';
import type { Core } from '../core.ts';
import { readPrefer } from '../http/idempotency.ts';
import { route, type Route } from '../http/route.ts';
import { queryTerminalState } from './query.ts';
import { moveTerminal } from './move.ts';
import { moveQuery, terminalAnswer, viewTerminal } from './find.ts';
import type { Action } from './states.ts';

const byPosId = z.object({ posId: z.string().describe('The acquirer’s name of the terminal') });

/** Common declaration of the three terminal endpoints. */
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
    summary: 'Read the status of a GPO terminal',
    description: 'Queries the provider and records the state. Without a clear answer it returns the last known state.',
    answers: { 200: { description: 'The status', schema: terminalAnswer } },
    async run({ caller, params, ctx }) {
      const owned = { merchantId: caller.merchantId, posId: params.posId };
      const { terminal, isConfirmed } = await queryTerminalState(core, owned);
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
      'Safe to repeat: a terminal that already has the state, or is changing to it, answers 200. ' +
      'If the provider’s answer is unknown, the terminal stays Opening or Closing until a later query.',
    query: moveQuery,
    refusals: {
      400: 'supervisor_required, prefetch_refused, or a malformed supervisorId',
      403: 'supervisor_refused, or the token lacks the scope',
      409: 'terminal_busy: the terminal is changing to the other state',
    },
    answers: { 200: { description: 'The terminal’s new state', schema: terminalAnswer } },
    async run({ caller, params, query, ctx }) {
      const { merchantId } = caller;
      const supervisorId = query.supervisorId ?? null;
      const terminal = await moveTerminal(core, { merchantId, posId: params.posId, action, supervisorId });
      return { status: 200, body: viewTerminal(terminal, readPrefer(ctx).wantsRepresentation) };
    },
  });
}
