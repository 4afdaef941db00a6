// The lines of the receipt.
import type { Page } from '../state.ts';

export function Receipt({ page }: { page: Page }) {
  return (
    <dl class="rows">
      {page.screen.rows.map(([label, value]) => (
        <div>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
