// The form fields of a rail account, generated from its connector's schema, and the conversion back to the API's body.
import type { FormField, RailAccount, RailConnector } from '../../../packages/client/src/contract.ts';
import type { ComponentChildren } from 'preact';
import type { ScreenProps } from '../../../shared/console.ts';
import { Field } from '../../form.tsx';
import { textsOf } from '../../parts.tsx';
import { findText, type ConsoleTexts } from '../../words.ts';

type Declared = { at: string; isRequired: boolean; schema: FormField };

/** Lists every field below `at`, at any depth. A field's JSON pointer is also its name in the form. */
function listFields(at: string, { properties = {}, required = [] }: FormField, isNeeded = true): Declared[] {
  return Object.entries(properties).flatMap(([name, schema]: [string, FormField]) => {
    const isRequired = isNeeded && required.includes(name);
    const place = `${at}/${name}`;
    return schema.properties ? listFields(place, schema, isRequired) : [{ at: place, isRequired, schema }];
  });
}

/** Settings that only one kind of account uses. The form of another kind does not ask for them. */
const ONLY_OF_KIND: Partial<Record<string, string>> = {
  'settings/methods/gpo': 'gpo',
  'settings/methods/umm': 'gpo',
  'settings/methods/ref': 'ppr',
};

const isOfKind = (at: string, kind: string) => (ONLY_OF_KIND[at] ?? kind) === kind;

/** True for provider URLs. They have a default that merchants rarely change. */
const isAddress = ({ at }: Declared) => at.endsWith('Url');

type Props = {
  page: ScreenProps<any>;
  act: string;
  connector: RailConnector;
  kind: string;
  account?: RailAccount;
  /** The fields that every rail account has, such as its label. */
  children: ComponentChildren;
};

/** Fields for the rail account's settings. Saved secrets are not shown, and an empty secret field keeps them. */
export function RailFields({ page, act, connector, kind, account, children }: Props) {
  const t = textsOf(page);
  const settings = listFields('settings', connector.settings).filter(({ at }) => isOfKind(at, kind));
  const addresses = settings.filter(isAddress);
  const secrets = listFields('secrets', connector.secrets);
  const draw = (field: Declared) => (
    <DeclaredField key={field.at} {...{ page, act, field }} value={valueAt(account, field.at)} isKept={!!account} />
  );
  const isRefused = page.refused?.act === act;
  return (
    <>
      {settings.filter((field) => !isAddress(field)).map(draw)}
      {account ? (
        <details class="act" open={isRefused}>
          <summary>{t['rail.secrets.change']}</summary>
          <div class="stack">
            <p class="small quiet">{t['rail.secrets.kept']}</p>
            {secrets.map(draw)}
          </div>
        </details>
      ) : (
        secrets.map(draw)
      )}
      {children}
      <details class="act" open={isRefused}>
        <summary>{t['rail.addresses']}</summary>
        <div class="stack">
          <p class="small quiet">{t['rail.addresses.about']}</p>
          {addresses.map(draw)}
        </div>
      </details>
    </>
  );
}

/** Fields of credentials that are no secrets. The form shows their text while a person types it. */
const PUBLIC_FIELDS = ['clientId', 'notificationHeader.name'];

type FieldProps = { page: ScreenProps<any>; act: string; field: Declared; value: string; isKept: boolean };

function DeclaredField({ page, act, field: { at, isRequired, schema }, value, isKept }: FieldProps) {
  const t = textsOf(page);
  const isSecret = at.startsWith('secrets/');
  const name = at.split('/').slice(1).join('.');
  const isPublic = PUBLIC_FIELDS.includes(name);
  const label = findText(t, `rail.field.${name}`) ?? name;
  const hint = findText(t, `rail.hint.${name}`);
  const choices = choicesOf(t, schema);
  const pointer = pointerOf(page, at);
  // A field that shows the fault of its group is required.
  const isRequiredHere = pointer !== at || (isRequired && !(isSecret && isKept));
  return (
    <Field
      page={page}
      act={act}
      name={schema.type === 'boolean' ? `${FLAG}${at}` : at}
      pointer={pointer}
      label={isRequiredHere ? label : `${label} ${t['rail.optional']}`}
      format={t['rail.wrong.format']}
      value={value}
      {...(hint && { hint })}
      {...(choices && { choices })}
      {...(isSecret && !isPublic && { type: 'password', autocomplete: 'new-password' })}
    />
  );
}

/** The pointer whose fault a field shows. The first field of a group shows a fault of the whole group. */
function pointerOf({ refused, data }: ScreenProps<any>, at: string): string {
  const group = at.slice(0, at.lastIndexOf('/'));
  if (!refused?.wrong[group] || refused.wrong[at]) return at;
  const connector: RailConnector | undefined = data.connectors?.data.find(
    ({ name }: RailConnector) => name === refused.typed['connector'],
  );
  const [kind] = at.split('/') as ['settings' | 'secrets'];
  const fields = connector ? listFields(kind, connector[kind]) : [];
  const accountKind = refused.typed['kind'] ?? '';
  const first = fields.find((field) => field.at.startsWith(`${group}/`) && isOfKind(field.at, accountKind));
  return first?.at === at ? group : at;
}

function choicesOf(t: ConsoleTexts, { type, enum: values }: FormField): [string, string][] | null {
  if (type === 'boolean')
    return [
      ['true', t['rail.yes']],
      ['false', t['rail.no']],
    ];
  return values?.map((value) => [value, findText(t, `rail.choice.${value}`) ?? value]) ?? null;
}

function valueAt(account: RailAccount | undefined, at: string): string {
  if (!account || !at.startsWith('settings/')) return '';
  const found = at
    .split('/')
    .reduce<unknown>((from, key) => (from as Record<string, unknown> | undefined)?.[key], account);
  return found === undefined ? '' : String(found);
}

/** The prefix of a yes-or-no field's name. */
const FLAG = 'flag/';

/** The parts of a field's name: `secrets/notificationHeader/name`. No connector has a deeper field. */
export const MAX_PARTS = 3;

/** The API request body of a rail account's form, without empty fields. A string is an invalid field's pointer. */
export function readRailForm(form: Record<string, string>): Record<string, unknown> | string {
  const { connector, kind, label = '', environment, priority = '', status } = form;
  const common = { connector, kind, label, environment, ...(status && { status }) };
  const order = priority.trim() === '' ? {} : { priority: Number(priority) };
  const typed: Tree = { settings: newTree() };
  for (const [name, value] of Object.entries(form)) {
    const at = name.replace(FLAG, '').split('/', MAX_PARTS + 1);
    const [root = ''] = at;
    if (value.trim() === '' || (root !== 'settings' && root !== 'secrets')) continue;
    if (!putAt(typed, at, name.startsWith(FLAG) ? value === 'true' : value.trim())) return root;
  }
  return { ...common, ...order, ...typed };
}

type Tree = { [key: string]: unknown };

/** Creates a tree without a prototype, so that a field name such as `__proto__` cannot change the prototype. */
const newTree = () => Object.create(null) as Tree;

/** Writes a value into the tree. False if the name is too deep, or if a part of it is a field with a value. */
function putAt(tree: Tree, at: string[], value: unknown): boolean {
  const last = at.at(-1) ?? '';
  if (at.length < 2 || at.length > MAX_PARTS) return false;
  let within: unknown = tree;
  for (const key of at.slice(0, -1)) {
    if (typeof within !== 'object') return false;
    within = (within as Tree)[key] ??= newTree();
  }
  if (typeof within !== 'object' || last in (within as Tree)) return false;
  (within as Tree)[last] = value;
  return true;
}
