// The details of a payment by reference: the values with copy buttons, and the places to pay.
import type { Detail } from '../details.ts';
import { VERBATIM, type Acts, type Scene } from './scene.ts';

export function ReferenceDetails({ scene, acts }: { scene: Scene; acts: Acts }) {
  const { say, screen, isLive } = scene;
  const { details } = screen.value;
  const [, Heading] = scene.headings;
  if (!details) return null;
  return (
    <>
      <dl class="rows details">
        {details.rows.map((row) => (
          <div>
            <dt>{row.label}</dt>
            <dd class={row.part === 'until' ? '' : 'digits'} {...VERBATIM}>
              {row.groups.map((group) => (
                <span>{group}</span>
              ))}
            </dd>
            {isLive.value && row.copies && <CopyButton scene={scene} row={row} acts={acts} />}
          </div>
        ))}
      </dl>
      {details.places[0] && (
        <section class="where small">
          <Heading>{say('details.where')}</Heading>
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

function CopyButton({ scene: { say, state, partOf }, row, acts }: { scene: Scene; row: Detail; acts: Acts }) {
  const isCopied = state.value.copied === row.part;
  return (
    <dd class="copy">
      <button
        type="button"
        part={partOf('copy')}
        class={isCopied ? 'plain success' : 'plain'}
        onClick={({ currentTarget }) => acts.copy(row, currentTarget.parentElement!.previousElementSibling!)}
      >
        {say(isCopied ? 'copy.done' : 'copy.button')}
        <span class="unseen">{` ${row.label}`}</span>
      </button>
    </dd>
  );
}
