// The state diagrams of docs/architecture.md and docs/references.md in Mermaid, drawn from the tables of transitions.
import { FIRST_REFERENCE_STATUS, REFERENCE_TRANSITIONS } from '../../server/payments/reference/states.ts';
import { FIRST_STATUS, TRANSITIONS } from '../../server/payments/core/states.ts';
import { REFERENCE_STATUSES } from '../../shared/reference.ts';
import { isFinal, PAYMENT_STATUSES, type PaymentStatus } from '../../shared/status.ts';

type Move = { from: string; to: string; event: string; about: string };

/** A line for each start, each transition, and each end without transitions. */
export function drawStates(): string {
  const starts = {
    [FIRST_STATUS.checkout]: 'created, the payer comes first',
    [FIRST_STATUS.push]: 'created, the rail is asked',
  };
  return drawDiagram(starts, listMoves(), PAYMENT_STATUSES.filter(isFinal));
}

/** @param starts the first statuses and their reasons. @param finals ends if no transition leaves them */
function drawDiagram(starts: Record<string, string>, moves: Move[], finals: readonly string[]): string {
  const ends = finals.filter((status) => moves.some(({ to }) => to === status));
  const lines = [
    ...Object.entries(starts).map(([status, about]) => `[*] --> ${status}: ${about}`),
    // A semicolon would end the label.
    ...moves.map(({ from, to, event, about }) => `${from} --> ${to}: ${event} (${about.replaceAll(';', ',')})`),
    ...ends.filter((status) => !moves.some(({ from }) => from === status)).map((status) => `${status} --> [*]`),
  ];
  return ['stateDiagram-v2', ...lines.map((line) => `  ${line}`)].join('\n');
}

/** The transitions from reachable statuses only. */
function listMoves(): Move[] {
  const reached = new Set<PaymentStatus>(Object.values(FIRST_STATUS));
  for (const status of reached) {
    for (const { from, to } of Object.values(TRANSITIONS)) if (isOneOf(from, status)) reached.add(to);
  }
  return PAYMENT_STATUSES.filter((status) => reached.has(status)).flatMap((status) =>
    Object.entries(TRANSITIONS)
      .filter(([, { from }]) => isOneOf(from, status))
      .map(([event, { to, about }]) => ({ from: status, to, event, about })),
  );
}

function isOneOf(statuses: readonly PaymentStatus[], status: PaymentStatus): boolean {
  return statuses.includes(status);
}

/** A line for the start, each transition, and the end. */
export function drawReferenceStates(): string {
  const moves = Object.entries(REFERENCE_TRANSITIONS).flatMap(([event, { from, to, about }]) =>
    from.map((status): Move => ({ from: status, to, event, about })),
  );
  return drawDiagram({ [FIRST_REFERENCE_STATUS]: 'created, payable' }, moves, REFERENCE_STATUSES);
}
