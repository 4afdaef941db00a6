// Forms of screens: sending, fields with their errors, and the extra press before an irreversible action.
import type { ComponentChildren } from 'preact';
import { noteWrong, sayFault } from './faults.ts';
import { textsOf, type AnyScreenProps, type FormPage } from './parts.tsx';

type ActProps = {
  page: AnyScreenProps;
  /** The form's name in the screen's `acts`. */
  name: string;
  children?: ComponentChildren;
  button: ComponentChildren;
  /** The entity tag of the edited object. The API refuses the form if another person has changed that object. */
  tag?: string | undefined;
  /** The button's style: `plain` for an action that is not the main one of the screen. */
  tone?: 'plain' | 'plain danger';
  /** True if the form has file fields, which must follow the typed fields. */
  hasFiles?: boolean;
  /** The form's id, for a button outside of it. */
  id?: string;
  /** Parts of the form below its button. */
  after?: ComponentChildren;
};

/** A form of a screen. A repeated form has no effect, because both have the same key. */
export function ActForm({ page, name, children, button, tone, tag, hasFiles, id, after }: ActProps) {
  return (
    <form id={id} method="post" class="stack" encType={hasFiles ? 'multipart/form-data' : undefined}>
      <input type="hidden" name="act" value={name} />
      <input type="hidden" name="token" value={page.visitor.formToken} />
      <input type="hidden" name="key" value={keyOf(page, name)} />
      {tag && <input type="hidden" name="etag" value={tag} />}
      {children}
      <button class={tone}>{button}</button>
      {after}
    </form>
  );
}

/** Refusals before the operation ran. An earlier request with the same key may have succeeded. */
const BEFORE: ReadonlySet<string> = new Set(['idempotency_in_progress', 'too_many_requests', 'invalid_token']);

/** If the form's first request may have succeeded, the form keeps its key, so that another press repeats the first. */
function keyOf({ refused, key }: AnyScreenProps, name: string): string {
  if (!refused || refused.act !== name) return key;
  return ((refused.requestId || BEFORE.has(refused.code)) && refused.typed['key']) || key;
}

type FoldedProps = { page: AnyScreenProps; act: string; title: string; isOpen?: boolean; children: ComponentChildren };

/** A form folded below its title. It opens after a refusal by the server. @param isOpen true: open from the start */
export function Folded({ page, act, title, isOpen = false, children }: FoldedProps) {
  return (
    <details class="act" open={isOpen || page.refused?.act === act}>
      <summary>{title}</summary>
      {children}
    </details>
  );
}

/** A folded form for an irreversible action. It takes two presses, and its text states the consequence. */
export function FoldedAct({ sure, title, ...act }: ActProps & { sure: string; title: string }) {
  return (
    <Folded page={act.page} act={act.name} title={title}>
      <ActForm {...act}>
        <p class="small quiet">{sure}</p>
        {act.children}
      </ActForm>
    </Folded>
  );
}

/** The pointer of the first wrong value, in a field with several values. Otherwise the field's own pointer. */
export function firstWrong({ refused }: AnyScreenProps, name: string): string {
  return Object.keys(refused?.wrong ?? {}).find((pointer) => pointer.startsWith(`${name}/`)) ?? name;
}

/**
 * True if another person has changed the object, by its tag or revision, since this form was opened.
 * After such a conflict, each field shows its saved value too.
 */
const wasChanged = (refused: AnyScreenProps['refused']) =>
  refused?.code === 'precondition_failed' || refused?.code === 'link_changed';

type FieldProps = {
  page: FormPage;
  act: string;
  name: string;
  label: string;
  /** The JSON pointer of the field's faults, without the first slash, if it differs from `name`. */
  pointer?: string;
  hint?: string;
  /** The field's message for `invalid_format`. For an amount there is a default message. */
  format?: string;
  value?: string;
  type?: 'text' | 'tel' | 'email' | 'password' | 'url' | 'date' | 'time' | 'number';
  inputmode?: 'decimal' | 'tel' | 'text' | 'numeric';
  autocomplete?: string;
  maxLength?: number;
  required?: boolean;
  prefix?: string;
  /** The number of text lines of a multi-line field. */
  lines?: number;
  /** The options of a select field: the sent value and its label. */
  choices?: [value: string, text: string][];
};

/** Longer texts are not shown again after a refusal, because escaping takes time and the person still has the file. */
const MAX_SHOWN = 262_144;

/** A form field. After a refusal it shows the typed text again, with the error below. */
export function Field({
  page,
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
  const refused = page.refused?.act === act ? page.refused : null;
  const code = refused?.wrong[pointer];
  const t = textsOf(page);
  const id = `${act}-${name}`;
  const notes = [hint && `${id}-hint`, code && `${id}-error`].filter(Boolean).join(' ');
  // Passwords are not sent back to the page.
  const sent = refused?.typed[name] ?? value;
  const typed = input.type === 'password' || sent.length > MAX_SHOWN ? '' : sent;
  const isAmount = input.inputmode === 'decimal';
  const message = code && sayFault(page, { pointer, code, typed, format, isAmount });
  if (refused && message) noteWrong(refused, { id, label, message });
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
          {message}
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

type FileFieldProps = Pick<FieldProps, 'page' | 'act' | 'name' | 'label' | 'hint'> & {
  /** The pointer of the API's faults, if no other field shows them. */
  pointer?: string;
  accept: string;
  maxBytes: number;
  /** The message for a chosen file that is too large. */
  tooLarge: string;
  /** The chosen picture as a `data:` URL. After a refusal, the form keeps it for the next press. */
  picture?: string | null;
};

/**
 * A file field. With JavaScript, a text file fills the field of the same name.
 * A chosen picture is previewed, and a file that is too large is reported immediately.
 */
export function FileField({
  pointer: given,
  page,
  act,
  name,
  label,
  hint,
  accept,
  maxBytes,
  tooLarge,
  picture,
}: FileFieldProps) {
  const refused = page.refused?.act === act ? page.refused : null;
  const own = `${name}.file`;
  const others = given ?? (picture === undefined ? own : name);
  const pointer = refused?.wrong[own] ? own : others;
  const code = refused?.wrong[pointer];
  const id = `${act}-${name}-file`;
  const notes = [hint && `${id}-hint`, code && `${id}-error`].filter(Boolean).join(' ');
  const message = code === 'too_long' ? tooLarge : code && sayFault(page, { pointer, code });
  if (refused && message) noteWrong(refused, { id, label, message });
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
          {message}
        </p>
      )}
    </div>
  );
}

/** A checkbox. The browser sends `on`, or no value. After a conflict it also shows the saved value. */
export function Check({ page, act, name, label, isOn = false }: CheckProps) {
  const refused = page.refused?.act === act ? page.refused : null;
  const isTicked = refused ? name in refused.typed : isOn;
  const t = textsOf(page);
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

type CheckProps = Pick<FieldProps, 'page' | 'act' | 'name' | 'label'> & { isOn?: boolean };
