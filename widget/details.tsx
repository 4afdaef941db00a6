// A payment by reference in the widget: what to type in, copied at a touch, and where.
/** @jsxRuntime classic */
/** @jsx h */
import type { TargetedMouseEvent } from 'preact';
import type { Payer, PayerState } from '../shared/payer.ts';
import type { Details } from '../shared/details.ts';
import { h } from './draw.ts';

export function drawDetails(
  { rows, places }: Details,
  copied: PayerState['copied'],
  say: (key: string) => string,
  copy: Payer['copy'],
) {
  return (
    <div class="stack">
      <dl class="rows details">
        {rows.map((row) => (
          <div>
            <dt>{row.label}</dt>
            <dd class={row.part === 'until' ? '' : 'digits'}>
              {row.groups.map((group) => (
                <span>{group}</span>
              ))}
            </dd>
            {row.copies && (
              <dd class="copy">
                <button
                  part="copy"
                  class={copied === row.part ? 'plain success' : 'plain'}
                  onClick={({ currentTarget }: TargetedMouseEvent<HTMLButtonElement>) =>
                    copy(row, currentTarget.parentElement!.previousElementSibling!)
                  }
                >
                  {say(copied === row.part ? 'copy.done' : 'copy.button')}
                  <span class="unseen">{` ${row.label}`}</span>
                </button>
              </dd>
            )}
          </div>
        ))}
      </dl>
      {places[0] && (
        <div class="where small">
          <h3>{say('details.where')}</h3>
          <dl>
            {places.map(([place, path]) => (
              <div>
                <dt>{place}</dt>
                <dd lang="pt">{path}</dd>
              </div>
            ))}
          </dl>
          <p class="quiet">{say('details.wait')}</p>
        </div>
      )}
    </div>
  );
}
