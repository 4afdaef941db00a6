// The state diagram of the README (mermaid), drawn from the table of transitions.
import { isFinal, PAYMENT_STATUSES, type PaymentStatus } from '../../shared/status.ts';
import { FIRST_STATUS, TRANSITIONS } from './states.ts';

type Move = { from: PaymentStatus; to: PaymentStatus; event: string; about: string };

/** A line for each way in, each transition, and each end that nothing leads out of. */
export function drawStates(): string {
  const moves = listMoves();
  const isEnd = (status: PaymentStatus) => isFinal(status) && !moves.some(({ from }) => from === status);
  const ends = PAYMENT_STATUSES.filter((status) => isEnd(status) && moves.some(({ to }) => to === status));
  const lines = [
    `[*] --> ${FIRST_STATUS.checkout}: created, the payer comes first`,
    `[*] --> ${FIRST_STATUS.push}: created, the rail is asked`,
    // A semicolon would end the label.
    ...moves.map(({ from, to, event, about }) => `${from} --> ${to}: ${event} (${about.replaceAll(';', ',')})`),
    ...ends.map((status) => `${status} --> [*]`),
  ];
  return ['stateDiagram-v2', ...lines.map((line) => `  ${line}`)].join('\n');
}

/** Every transition that can happen: the table may already lead out of a status that nothing leads to yet. */
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
