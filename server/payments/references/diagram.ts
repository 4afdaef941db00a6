// The state diagram of docs/references.md (mermaid), drawn from the table of transitions.
import { REFERENCE_STATUSES } from '../../../shared/reference.ts';
import { drawDiagram, type Move } from '../diagram.ts';
import { FIRST_REFERENCE_STATUS, REFERENCE_TRANSITIONS } from './states.ts';

/** A line for the way in, each transition, and the end. */
export function drawReferenceStates(): string {
  const moves = Object.entries(REFERENCE_TRANSITIONS).flatMap(([event, { from, to, about }]) =>
    from.map((status): Move => ({ from: status, to, event, about })),
  );
  return drawDiagram({ [FIRST_REFERENCE_STATUS]: 'created, payable' }, moves, REFERENCE_STATUSES);
}
