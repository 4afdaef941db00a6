// One operation of the API reference: description, commands, parameters, body, responses and errors.
import type { DocsOperation } from '../../shared/docs.ts';
import { Command } from './Command.tsx';
import { Trial } from './Trial.tsx';
import { Fields, Shape } from './Fields.tsx';
import { Markup, markInline } from './Markup.tsx';

export function Operation({ operation, tryAs }: { operation: DocsOperation; tryAs: string | null }) {
  const { id, summary, description, access, limit, parameters, body, curl, samples } = operation;
  return (
    <article id={id} class="card pad stack" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>
        <a href={`#${id}`}>{summary}</a>
      </h2>
      <p class="address">
        <Address operation={operation} />
      </p>
      {description && (
        <div class="words">
          <Markup text={description} />
        </div>
      )}
      {(access || limit) && (
        <p class="quiet small">
          {markInline(access)} {limit && <>Limit {markInline(limit)}.</>}
        </p>
      )}
      <Command text={curl} of={summary} />
      {samples.map(({ language, text }) => (
        <details>
          <summary>{language}</summary>
          <Command text={text} of={summary} language={language} />
        </details>
      ))}
      {tryAs && <Trial operation={operation} />}
      {parameters.map(({ place, fields }) => (
        <section>
          <h3>{place}</h3>
          <Fields fields={fields} side="request" />
        </section>
      ))}
      {body && (
        <section>
          <h3>
            Body <span class="quiet small">{body.types.join(' or ')}</span>
          </h3>
          <Shape shape={body.shape} side="request" />
        </section>
      )}
      <Outcomes operation={operation} />
    </article>
  );
}

/** Method and path of an operation. A line may break before each segment of the path. */
export function Address({ operation: { method, path } }: { operation: Pick<DocsOperation, 'method' | 'path'> }) {
  return (
    <>
      <span class={`method ${method.toLowerCase()}`}>{method}</span>{' '}
      <code>
        {path.split(/(?<=.)(?=\/)/).map((part) => (
          <>
            {part}
            <wbr />
          </>
        ))}
      </code>
    </>
  );
}

function Outcomes({ operation: { summary, answers, refusals } }: { operation: DocsOperation }) {
  return (
    <>
      <section>
        <h3>Responses</h3>
        {answers.map(({ status, about, types, shape, example }) => {
          const line = (
            <>
              <b>{status}</b> {markInline(about)} <span class="quiet small">{types.join(' or ')}</span>
            </>
          );
          if (!shape) return <p class="outcome">{line}</p>;
          return (
            <details>
              <summary>{line}</summary>
              <Shape shape={shape} side="response" />
              {example && <Command text={example} of={summary} language="Example" />}
            </details>
          );
        })}
      </section>
      {refusals.length > 0 && (
        <section>
          <h3>Errors</h3>
          <dl class="refusals">
            {refusals.map(({ status, about }) => (
              <div>
                <dt>{status}</dt>
                <dd>{markInline(about)}</dd>
              </div>
            ))}
          </dl>
        </section>
      )}
    </>
  );
}
