// The "try it" form of an operation: sends the request as the sandbox's demo client. It is hidden without a script.
import type { DocsOperation } from '../../shared/docs.ts';

export function Trial({ operation: { id, method, path, summary, trial } }: { operation: DocsOperation }) {
  if (!trial) return null;
  const { fields, body, needsToken, isKeyed } = trial;
  return (
    <details hidden data-try>
      <summary>
        Try it<span class="unseen">: {summary}</span>
      </summary>
      <form
        class="stack"
        data-method={method}
        data-path={path}
        {...(needsToken && { 'data-needs-token': '' })}
        {...(isKeyed && { 'data-keyed': '' })}
      >
        {fields.map(({ name, place, isRequired }) => (
          <div class="field">
            <label for={`${id}-${name}`}>
              <code>{name}</code> {!isRequired && <span class="quiet small">optional</span>}
            </label>
            <div class="input">
              <input
                id={`${id}-${name}`}
                name={name}
                data-place={place}
                required={isRequired}
                autocomplete="off"
                spellcheck={false}
              />
            </div>
          </div>
        ))}
        {body !== null && (
          <div class="field">
            <label for={`${id}-body`}>Body</label>
            <textarea id={`${id}-body`} name="body" rows={Math.min(14, body.split('\n').length)} spellcheck={false}>
              {body}
            </textarea>
          </div>
        )}
        <button>Send</button>
        <div role="status" data-answer />
      </form>
    </details>
  );
}
