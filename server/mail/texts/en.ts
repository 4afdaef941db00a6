// The texts of mails in English.
import { rowsOf } from '../../../shared/receipt.ts';
import type { RoleName } from '../../../shared/roles.ts';
import type { LetterTexts } from '../texts.ts';

const ROLES: Record<RoleName, string> = {
  Viewer: 'a viewer',
  Cashier: 'a cashier',
  Developer: 'a developer',
  Administrator: 'an administrator',
  Owner: 'an owner',
};

const greet = (name: string) => (name ? `Hello ${name},` : 'Hello,');
const NOT_YOU = 'If this was not you, recover access to your account now and tell an owner of your shop.';

export const en: LetterTexts = {
  verify: ({ firstName, link }) => ({
    subject: 'Confirm your e-mail',
    greeting: greet(firstName),
    paragraphs: ['Your Balcão account is almost ready. Please confirm that this address is yours.'],
    button: { label: 'Confirm my e-mail', link },
    closing: [
      'The link works for 24 hours.',
      'If you did not create this account, ignore this e-mail: until it is confirmed, nobody can use it.',
    ],
  }),
  registered: ({ firstName, link }) => ({
    subject: 'You already have a Balcão account',
    greeting: greet(firstName),
    paragraphs: [
      'Somebody tried to create an account with this address, which already has one. Nothing changed: sign in with ' +
        'your password.',
    ],
    button: { label: 'I forgot my password', link },
    closing: ['If this was not you, ignore this e-mail.'],
  }),
  reset: ({ firstName, link }) => ({
    subject: 'Choose a new password',
    greeting: greet(firstName),
    paragraphs: ['You asked to recover access to your account. You can now choose a new password.'],
    button: { label: 'Choose my password', link },
    closing: [
      'The link works once, for 1 hour.',
      'If you did not ask for it, ignore this e-mail: your password stays as it is.',
    ],
  }),
  passwordChanged: ({ firstName }) => ({
    subject: 'Your password was changed',
    greeting: greet(firstName),
    paragraphs: ['The password of your Balcão account has just been changed.', NOT_YOU],
    closing: [],
  }),
  invite: ({ merchant, role, link }) => ({
    subject: `Invitation to ${merchant}`,
    greeting: greet(''),
    paragraphs: [
      `${merchant} gave you access to its shop on Balcão, as ${ROLES[role]}.`,
      'To use it, enter your name and choose a password.',
    ],
    button: { label: 'Accept the invitation', link },
    closing: [
      'The invitation is valid for 30 days.',
      'If you did not expect it, ignore this e-mail: nothing will happen.',
    ],
  }),
  granted: ({ merchant, role, link }) => ({
    subject: `You have access to ${merchant}`,
    greeting: greet(''),
    paragraphs: [
      `${merchant} gave you access to its shop on Balcão, as ${ROLES[role]}.`,
      'Sign in with the account you already have: you can now choose this shop.',
    ],
    button: { label: 'Open the console', link },
    closing: [
      'The invitation is valid for 30 days.',
      'If you did not expect it, ignore this e-mail: nothing will happen.',
    ],
  }),
  mfaEnabled: ({ firstName }) => ({
    subject: 'Two-step verification is on',
    greeting: greet(firstName),
    paragraphs: [
      'Besides your password, your Balcão account now asks for a code from your phone.',
      'Keep your recovery codes somewhere safe: they let you in if you lose the phone.',
      NOT_YOU,
    ],
    closing: [],
  }),
  mfaDisabled: ({ firstName }) => ({
    subject: 'Two-step verification was turned off',
    greeting: greet(firstName),
    paragraphs: ['Your Balcão account now asks only for your password again.', NOT_YOU],
    closing: [],
  }),
  recoveryCodeUsed: ({ firstName, left }) => ({
    subject: 'A recovery code was used',
    greeting: greet(firstName),
    paragraphs: [
      'Somebody signed in to your Balcão account with a recovery code instead of a code from your phone.',
      left === 0
        ? 'It was the last one. Set up two-step verification again to get new ones.'
        : `${left === 1 ? '1 code is' : `${left} codes are`} left. Each works once.`,
      NOT_YOU,
    ],
    closing: [],
  }),
  notices: ({ merchant, title, messages, more, link, settingsLink }) => ({
    subject: more + messages.length > 1 ? `${title} (${more + messages.length})` : title,
    greeting: `In your shop ${merchant}:`,
    paragraphs: [...messages, ...(more > 0 ? [`And ${more} more like ${more === 1 ? 'this' : 'these'}.`] : [])],
    button: { label: 'Open in Balcão', link },
    closing: ['If it happens again, the next e-mail about it comes in an hour.'],
    settings: { text: 'Choose in your account which notices you get by e-mail:', link: settingsLink },
  }),
  receipt: ({ receipt }) => ({
    subject: `Receipt from ${receipt.shop}`,
    greeting: greet(''),
    paragraphs: [`${receipt.shop} sent you the receipt of your payment.`],
    rows: rowsOf(receipt),
    closing: [receipt.note, 'If you did not make this payment, ignore this e-mail.'],
  }),
};
