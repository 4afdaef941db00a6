// A payment by reference: what to type in, where, and how to take it along: copied, or as it stands.
import type { Detail } from '../../shared/details.ts';
import type { Page } from '../state.ts';

type Copy = (row: Detail, shown: Element) => void;

export function ReferenceDetails({ page, copy }: { page: Page; copy: Copy }) {
  const { say, screen, isLive } = page;
  const { details } = screen;
  if (!details) return null;
  return (
    <>
      <dl class="rows details">
        {details.rows.map((row) => (
          <div>
            <dt>{row.label}</dt>
            <dd class={row.part === 'until' ? '' : 'digits'}>
              {row.groups.map((group) => (
                <span>{group}</span>
              ))}
            </dd>
            {isLive && row.copies && <CopyButton page={page} row={row} copy={copy} />}
          </div>
        ))}
      </dl>
      {details.places[0] && (
        <section class="where small">
          <h2>{say('details.where')}</h2>
          <dl>
            {details.places.map(([place, path]) => (
              <div>
                <dt>{place}</dt>
                <dd lang="pt">{path}</dd>
              </div>
            ))}
          </dl>
          <p class="quiet">{say('details.wait')}</p>
        </section>
      )}
    </>
  );
}

function CopyButton({ page: { say, state }, row, copy }: { page: Page; row: Detail; copy: Copy }) {
  const isCopied = state.copied === row.part;
  return (
    <dd class="copy">
      <button
        type="button"
        class={isCopied ? 'plain success' : 'plain'}
        onClick={({ currentTarget }) => copy(row, currentTarget.parentElement!.previousElementSibling!)}
      >
        {say(isCopied ? 'copy.done' : 'copy.button')}
        <span class="unseen">{` ${row.label}`}</span>
      </button>
    </dd>
  );
}
