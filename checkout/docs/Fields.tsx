// The fields of a request or a response, nested as in the JSON.
import type { DocsField, DocsShape } from '../../shared/docs.ts';
import { markInline } from './Markup.tsx';

/** The fields of a request are marked if required. The fields of a response are marked if they may be missing. */
export type Side = 'request' | 'response';

/** The type of a JSON body, and its fields. */
export function Shape({ shape, side }: { shape: DocsShape; side: Side }) {
  return (
    <>
      {shape.fields.length === 0 && shape.variants.length === 0 && <p class="quiet small">{shape.type}</p>}
      <Inside shape={shape} side={side} />
    </>
  );
}

export function Fields({ fields, side }: { fields: DocsField[]; side: Side }) {
  return (
    <dl class="fields">
      {fields.map((field) => (
        <div>
          <dt>
            <code>{field.name}</code> <span class="quiet small">{field.type}</span>
            {side === 'request' && field.isRequired && <span class="small must"> required</span>}
            {side === 'response' && !field.isRequired && <span class="small quiet"> · may be missing</span>}
          </dt>
          <dd>
            <About field={field} />
            <Inside shape={field} side={side} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function About({ field: { about, notes } }: { field: DocsField }) {
  if (!about && notes.length === 0) return null;
  return (
    <p>
      {about && markInline(/[.!?]$/.test(about) || notes.length === 0 ? about : `${about}.`)}
      {notes.length > 0 && <span class="quiet"> {markInline(notes.join(' · '))}</span>}
    </p>
  );
}

function Inside({ shape: { fields, variants }, side }: { shape: DocsShape; side: Side }) {
  return (
    <>
      {fields.length > 0 && <Fields fields={fields} side={side} />}
      {variants.map((variant) => (
        <>
          <p class="variant">{markInline(variant.title)}</p>
          <Fields fields={variant.fields} side={side} />
        </>
      ))}
    </>
  );
}
