// The lines of the receipt, and the ways to keep it.
import type { Page } from '../state.ts';
import { Keep } from './Keep.tsx';

export function Receipt({ page }: { page: Page }) {
  return (
    <>
      <dl class="rows">
        {page.screen.rows.map(([label, value]) => (
          <div>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Keep page={page} />
    </>
  );
}
