// The lines of the receipt, and the way to keep it.
import type { Page } from '../state.ts';

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
      {page.isLive && (
        <button type="button" class="plain" onClick={() => window.print()}>
          {page.say('paid.print')}
        </button>
      )}
    </>
  );
}
