// The form of an account page: fields, errors and a button. A hidden field carries the link's token.
import type { AccountField, AccountPage, AccountView } from '../../shared/account.ts';
import { RevealButton } from './RevealButton.tsx';
import { accountTexts, type AccountTexts } from '../text/account.ts';

/** The form fields of each account page, in order. */
const FIELDS: Record<AccountPage, AccountField[]> = {
  register: ['firstName', 'lastName', 'email', 'phoneNumber', 'password'],
  resend: ['email'],
  'verify-email': ['password'],
  reset: ['password'],
  invitation: ['firstName', 'lastName', 'phoneNumber', 'password'],
  recover: ['email'],
};

/** The fields of a page. The browser that registered has typed the password already. */
const fieldsOf = ({ page, registrant }: Pick<AccountView, 'page' | 'registrant'>) =>
  registrant === null ? FIELDS[page] : [];

export const asksForPassword = (view: Pick<AccountView, 'page' | 'registrant'>) => fieldsOf(view).includes('password');

export function AccountForm({ page, lang, token, email, registrant, typed, wrong }: AccountView) {
  const t = accountTexts[lang];
  const fields = fieldsOf({ page, registrant });
  return (
    <form class="stack" method="post" action={`/account/${page}?lang=${lang}`}>
      {token && <input type="hidden" name="token" value={token} />}
      {email && fields.includes('password') && (
        // Password managers need the account's e-mail address next to the password.
        <input type="text" name="username" autocomplete="username" value={email} readOnly hidden />
      )}
      {fields.map((name) => (
        <Field key={name} name={name} t={t} typed={typed[name] ?? ''} wrong={wrong[name]} />
      ))}
      <button>{registrant === null ? t[`${page}.button`] : t['verify-email.known.button']}</button>
    </form>
  );
}

/** The HTML attributes by which browsers and password managers recognize the fields. */
const INPUTS: Record<
  AccountField,
  { type: 'text' | 'email' | 'tel' | 'password'; autocomplete: string; isOptional?: boolean }
> = {
  email: { type: 'email', autocomplete: 'email' },
  firstName: { type: 'text', autocomplete: 'given-name' },
  lastName: { type: 'text', autocomplete: 'family-name' },
  phoneNumber: { type: 'tel', autocomplete: 'tel-national', isOptional: true },
  password: { type: 'password', autocomplete: 'new-password' },
};

type FieldProps = { name: AccountField; t: AccountTexts; typed: string; wrong: string | undefined };

function Field({ name, t, typed, wrong }: FieldProps) {
  const { type, autocomplete, isOptional = false } = INPUTS[name];
  // The error text of a wrong password contains the hint, so the hint is not shown twice.
  const hint = name === 'password' && !wrong ? t['password.hint'] : null;
  const notes = [wrong && `${name}-error`, hint && `${name}-hint`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={name}>
        {t[`field.${name}`]}
        {isOptional && <span class="quiet optional">{` ${t['field.optional']}`}</span>}
      </label>
      <div class={wrong ? 'input wrong' : 'input'}>
        {name === 'phoneNumber' && <span aria-hidden="true">+244</span>}
        <input
          id={name}
          name={name}
          // Preact's types accept only one literal `type`.
          type={type as 'text'}
          autocomplete={autocomplete}
          required={!isOptional}
          defaultValue={typed}
          autofocus={wrong !== undefined}
          aria-invalid={wrong ? 'true' : undefined}
          aria-describedby={notes || undefined}
        />
        {name === 'password' && <RevealButton show={t['password.show']} hide={t['password.hide']} />}
      </div>
      {wrong && (
        <p class="error" id={`${name}-error`}>
          {t[`wrong.${wrong}` as keyof AccountTexts] ?? t['wrong.other']}
        </p>
      )}
      {hint && (
        <p class="small quiet" id={`${name}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}
