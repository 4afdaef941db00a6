// The faults of a refused form: the message of each wrong field, and the fields that the summary links to.
import type { FormRefusal } from '../shared/console.ts';
import { readingsOf } from '../shared/money.ts';
import type { FormPage } from './parts.tsx';
import { fill, findText, TEXTS } from './words.ts';

/** A wrong field: the id of its control, its label and its message. */
export type WrongField = { id: string; label: string; message: string };

const wrongFields = new WeakMap<FormRefusal, Map<string, WrongField>>();

/** Records a wrong field while its form is rendered. The summary above the forms is rendered afterwards. */
export function noteWrong(refused: FormRefusal, field: WrongField): void {
  const noted = wrongFields.get(refused) ?? new Map<string, WrongField>();
  wrongFields.set(refused, noted.set(field.id, field));
}

/** The wrong fields that the screen shows, in the order of the page. */
export const wrongFieldsOf = (refused: FormRefusal): WrongField[] => [...(wrongFields.get(refused)?.values() ?? [])];

type Fault = {
  pointer: string;
  code: string;
  typed?: string;
  /** The field's own message for `invalid_format`. */
  format?: string | undefined;
  isAmount?: boolean;
};

/** The message of a fault: the rule that the value breaks. An amount with two readings shows both. */
export function sayFault(page: FormPage, { pointer, code, typed = '', format, isAmount }: Fault): string {
  const t = TEXTS[page.visitor.lang];
  const readings = isAmount ? readingsOf(typed) : null;
  if (readings) return fill(t['wrong.amount_readings'], { a: readings[0] ?? '', b: readings[1] ?? '' });
  if (code === 'invalid_format' && format) return format;
  const params = page.refused?.faults.find((each) => each.pointer === `/${pointer}` && each.code === code)?.params;
  const { isList, ...values } = { ...params } as Record<string, string | number>;
  const length = !isList && values['maximum'] !== undefined && findText(t, `wrong.${code}.characters`);
  return fill(length || (findText(t, `wrong.${code}`) ?? findText(t, `refused.${code}`) ?? t['wrong.other']), values);
}
