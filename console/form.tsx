// Forms of screens: how an act is sent, its fields with what is wrong beside each, and the step that makes sure.
import type { ComponentChildren } from 'preact';
import { find } from './words.ts';
import { textsOf, type AnyDrawn } from './parts.tsx';

type ActProps = {
  drawn: AnyDrawn;
  /** Of the act, as its screen's rules call it. */
  name: string;
  children?: ComponentChildren;
  button: ComponentChildren;
  /** The entity tag of what is changed, as it is drawn here: whoever else has changed it meanwhile is not overwritten. */
  tag?: string | undefined;
  /** Of the button: `plain` for what is not the first thing to do. */
  look?: 'plain' | 'plain danger';
  /** It has fields for files, after whatever is typed. */
  hasFiles?: boolean;
};

/** A form of a screen: what it does is looked up there by its name; sent twice it is done once. */
export function ActForm({ drawn, name, children, button, look, tag, hasFiles }: ActProps) {
  return (
    <form method="post" class="stack" encType={hasFiles ? 'multipart/form-data' : undefined}>
      <input type="hidden" name="act" value={name} />
      <input type="hidden" name="token" value={drawn.visitor.formToken} />
      <input type="hidden" name="key" value={keyOf(drawn, name)} />
      {tag && <input type="hidden" name="etag" value={tag} />}
      {children}
      <button class={look}>{button}</button>
    </form>
  );
}

/** Where it is not known whether it was done, another press is still the same one. */
function keyOf({ refused, key }: AnyDrawn, name: string): string {
  return (refused?.requestId && refused.act === name && refused.typed['key']) || key;
}

type FoldedProps = { drawn: AnyDrawn; act: string; title: string; isOpen?: boolean; children: ComponentChildren };

/** An act's form behind its title, until it is wanted or was refused. @param isOpen from the beginning */
export function Folded({ drawn, act, title, isOpen = false, children }: FoldedProps) {
  return (
    <details class="act" open={isOpen || drawn.refused?.act === act}>
      <summary>{title}</summary>
      {children}
    </details>
  );
}

/** The same of what cannot be undone: it takes two presses, and says what it does. */
export function FoldedAct({ sure, title, ...act }: ActProps & { sure: string; title: string }) {
  return (
    <Folded drawn={act.drawn} act={act.name} title={title}>
      <ActForm {...act}>
        <p class="small quiet">{sure}</p>
        {act.children}
      </ActForm>
    </Folded>
  );
}

/** Of a field with several values, the pointer of the first that is wrong; the field's own where none is. */
export function firstWrong({ refused }: AnyDrawn, name: string): string {
  return Object.keys(refused?.wrong ?? {}).find((pointer) => pointer.startsWith(`${name}/`)) ?? name;
}

/** Refused as somebody else has changed it meanwhile, by its tag or its revision: what is saved now stands beside what was typed. */
const wasChanged = (refused: AnyDrawn['refused']) =>
  refused?.code === 'precondition_failed' || refused?.code === 'link_changed';

type FieldProps = {
  drawn: AnyDrawn;
  act: string;
  name: string;
  label: string;
  /** Where the API calls it otherwise: the JSON pointer of its faults, without the first slash. */
  pointer?: string;
  hint?: string;
  /** Said where what was typed has not the form that is asked for; an amount's unless it is given. */
  format?: string;
  value?: string;
  type?: 'text' | 'tel' | 'email' | 'password' | 'url' | 'date' | 'time' | 'number';
  inputmode?: 'decimal' | 'tel' | 'text' | 'numeric';
  autocomplete?: string;
  maxLength?: number;
  required?: boolean;
  prefix?: string;
  /** Of several lines; how many. */
  lines?: number;
  /** To choose from: what is sent, and what is read. */
  choices?: [value: string, text: string][];
};

/** A page repeats no longer text. Escaping each character takes time, and the person has the file. */
const MAX_SHOWN = 262_144;

/** What was typed stands there again where it was refused, with why beside it. */
export function Field({
  drawn,
  act,
  name,
  label,
  pointer = name,
  hint,
  format,
  value = '',
  prefix,
  choices,
  ...input
}: FieldProps) {
  const refused = drawn.refused?.act === act ? drawn.refused : null;
  const code = refused?.wrong[pointer];
  const t = textsOf(drawn);
  const id = `${act}-${name}`;
  const notes = [hint && `${id}-hint`, code && `${id}-error`].filter(Boolean).join(' ');
  // A secret is never sent back.
  const sent = refused?.typed[name] ?? value;
  const typed = input.type === 'password' || sent.length > MAX_SHOWN ? '' : sent;
  const about = {
    id,
    name,
    'aria-invalid': code ? 'true' : undefined,
    'aria-describedby': notes || undefined,
  } as const;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class={code ? 'input wrong' : 'input'}>
        {prefix && <span aria-hidden="true">{prefix}</span>}
        <Control {...about} typed={typed} choices={choices} {...input} />
      </div>
      {hint && (
        <p class="small quiet" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {wasChanged(refused) && typed !== value && (
        <p class="small">
          {t['changed.now']} <strong>{choices?.find(([each]) => each === value)?.[1] ?? (value || '—')}</strong>
        </p>
      )}
      {code && (
        <p class="error" id={`${id}-error`}>
          {(code === 'invalid_format' && format) || (find(t, `wrong.${code}`) ?? t['wrong.other'])}
        </p>
      )}
    </div>
  );
}

type ControlProps = Pick<FieldProps, 'lines'> & {
  choices: FieldProps['choices'] | undefined;
  id: string;
  name: string;
  typed: string;
};

function Control({ typed, lines, choices, ...about }: ControlProps) {
  if (lines) return <textarea {...about} rows={lines} defaultValue={typed} />;
  if (!choices) return <input autocomplete="off" {...about} defaultValue={typed} />;
  return (
    <select {...about}>
      {choices.map(([value, text]) => (
        <option key={value} value={value} selected={value === typed}>
          {text}
        </option>
      ))}
    </select>
  );
}

type FileFieldProps = Pick<FieldProps, 'drawn' | 'act' | 'name' | 'label' | 'hint'> & {
  accept: string;
  maxBytes: number;
  /** Said of a file that is larger. */
  tooLarge: string;
  /** A picture, as a `data:` URL: what was chosen before the form was refused, kept for the next press. */
  picture?: string | null;
};

/** A file to choose. With a script a text is read into the field of its name, a picture is shown, and what is too large is said at once. */
export function FileField({ drawn, act, name, label, hint, accept, maxBytes, tooLarge, picture }: FileFieldProps) {
  const t = textsOf(drawn);
  const wrong = drawn.refused?.act === act ? drawn.refused.wrong : {};
  const code = wrong[`${name}.file`] ?? (picture !== undefined ? wrong[name] : undefined);
  const id = `${act}-${name}-file`;
  const notes = [hint && `${id}-hint`, code && `${id}-error`].filter(Boolean).join(' ');
  const kept = code ? null : picture;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {kept && <input type="hidden" name={name} value={kept} />}
      {picture !== undefined && <img class="chosen" src={kept ?? undefined} alt="" hidden={!kept} />}
      <input
        id={id}
        type="file"
        name={`${name}.file`}
        accept={accept}
        data-max={maxBytes}
        data-over={tooLarge}
        data-into={picture === undefined ? `${act}-${name}` : undefined}
        aria-invalid={code ? 'true' : undefined}
        aria-describedby={notes || undefined}
      />
      {hint && (
        <p class="small quiet" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {code && (
        <p class="error" id={`${id}-error`}>
          {code === 'too_long' ? tooLarge : (find(t, `wrong.${code}`) ?? t['wrong.other'])}
        </p>
      )}
    </div>
  );
}

/** A choice of yes or no; sent as `on`, or not at all. Where somebody else has changed it meanwhile it says how it is now. */
export function Check({ drawn, act, name, label, isOn = false }: CheckProps) {
  const refused = drawn.refused?.act === act ? drawn.refused : null;
  const isTicked = refused ? name in refused.typed : isOn;
  const t = textsOf(drawn);
  return (
    <>
      <label class="check">
        <input type="checkbox" name={name} defaultChecked={isTicked} />
        {label}
      </label>
      {wasChanged(refused) && isTicked !== isOn && (
        <p class="small">
          {t['changed.now']} <strong>{isOn ? t['changed.ticked'] : t['changed.unticked']}</strong>
        </p>
      )}
    </>
  );
}

type CheckProps = Pick<FieldProps, 'drawn' | 'act' | 'name' | 'label'> & { isOn?: boolean };
