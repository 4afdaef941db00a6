// A payment slip, as cash machines print it and banks send it: the payer's proof.
import { showReference } from '../../shared/reference.ts';
import type { SlipView } from '../../shared/sandbox.ts';
import { writeLuandaTime } from '../../shared/luanda.ts';

/** One payment slip. All its values come from the rail. */
export function Slip(slip: SlipView) {
  const { transactionId, entity, reference, merchant, amountText, paidAt, period, number, terminal } = slip;
  const rows = [
    ['Entidade', entity],
    ['Referência', showReference(reference)],
    ['Montante', amountText],
    null,
    ['Data (Luanda)', showDate(paidAt)],
    ['Terminal', `${terminal.type} ${terminal.id}`],
    ['Local', terminal.location],
    ['Período', `${period} · n.º ${number}`],
    ['Transacção', transactionId],
  ];
  return (
    <article class="slip" aria-label={`Talão ${transactionId}`}>
      <p class="center">
        <strong>{merchant ?? `Entidade ${entity}`}</strong>
        <br />
        Pagamento por referência
      </p>
      <dl>
        {rows.map((row) =>
          row ? (
            <div class={row[0] === 'Montante' ? 'sum' : ''}>
              <dt>{row[0]}</dt>
              <dd>{row[1]}</dd>
            </div>
          ) : null,
        )}
      </dl>
      <p class="center">Sandbox · sem valor</p>
    </article>
  );
}

/** A decorative icon of a payment slip. */
export function SlipMark() {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d="M3 7V3.5h18V7M6 5.5v15l2-1.5 2 1.5 2-1.5 2 1.5 2-1.5 2 1.5v-15M9 9.500h6M9 13h4" />
    </svg>
  );
}

/** Formats a date as `02/03/2026 10:00`. */
function showDate(iso: string): string {
  return writeLuandaTime(new Date(iso)).replace(/^(\d+)-(\d+)-(\d+)T(.{5}).*/, '$3/$2/$1 $4');
}
