// The texts of mails in French.
import { rowsOf } from '../../../shared/receipt.ts';
import type { RoleName } from '../../../shared/roles.ts';
import type { LetterTexts } from '../texts.ts';

const ROLES: Record<RoleName, string> = {
  Viewer: 'Consultation',
  Cashier: 'Caissier',
  Developer: 'Développeur',
  Administrator: 'Administrateur',
  Owner: 'Propriétaire',
};

const greet = (name: string) => (name ? `Bonjour ${name},` : 'Bonjour,');
const NOT_YOU =
  'Si ce n’était pas vous, récupérez tout de suite l’accès à votre compte et prévenez un propriétaire de votre ' +
  'boutique.';

export const fr: LetterTexts = {
  verify: ({ firstName, link }) => ({
    subject: 'Confirmez votre adresse',
    greeting: greet(firstName),
    paragraphs: [
      'Votre compte Balcão est presque prêt. Il reste à confirmer que cette adresse e-mail est bien la vôtre.',
    ],
    button: { label: 'Confirmer mon adresse', link },
    closing: [
      'Le lien est valable 24 heures.',
      'Si vous n’avez pas créé ce compte, ignorez cet e-mail\u00a0: sans confirmation, personne ne peut l’utiliser.',
    ],
  }),
  registered: ({ firstName, link }) => ({
    subject: 'Vous avez déjà un compte Balcão',
    greeting: greet(firstName),
    paragraphs: [
      'Quelqu’un a voulu créer un compte avec cette adresse, qui en a déjà un. Rien n’a changé\u00a0: connectez-vous ' +
        'avec votre mot de passe.',
    ],
    button: { label: 'J’ai oublié mon mot de passe', link },
    closing: ['Si ce n’était pas vous, ignorez cet e-mail.'],
  }),
  reset: ({ firstName, link }) => ({
    subject: 'Choisissez un nouveau mot de passe',
    greeting: greet(firstName),
    paragraphs: [
      'Vous avez demandé à récupérer l’accès à votre compte. Vous pouvez maintenant choisir un nouveau mot de passe.',
    ],
    button: { label: 'Choisir mon mot de passe', link },
    closing: [
      'Le lien est valable 1 heure et ne sert qu’une fois.',
      'Si vous n’avez rien demandé, ignorez cet e-mail\u00a0: votre mot de passe reste le même.',
    ],
  }),
  passwordChanged: ({ firstName }) => ({
    subject: 'Votre mot de passe a été changé',
    greeting: greet(firstName),
    paragraphs: ['Le mot de passe de votre compte Balcão vient d’être changé.', NOT_YOU],
    closing: [],
  }),
  invite: ({ merchant, role, link }) => ({
    subject: `Invitation de ${merchant}`,
    greeting: greet(''),
    paragraphs: [
      `${merchant} vous a donné accès à sa boutique sur Balcão, avec le rôle ${ROLES[role]}.`,
      'Pour l’utiliser, indiquez votre nom et choisissez un mot de passe.',
    ],
    button: { label: 'Accepter l’invitation', link },
    closing: [
      'L’invitation est valable 30 jours.',
      'Si vous ne l’attendiez pas, ignorez cet e-mail\u00a0: il ne se passera rien.',
    ],
  }),
  granted: ({ merchant, role, link }) => ({
    subject: `Vous avez accès à ${merchant}`,
    greeting: greet(''),
    paragraphs: [
      `${merchant} vous a donné accès à sa boutique sur Balcão, avec le rôle ${ROLES[role]}.`,
      'Connectez-vous avec votre compte actuel\u00a0: vous pouvez désormais choisir cette boutique.',
    ],
    button: { label: 'Ouvrir la console', link },
    closing: [
      'L’invitation est valable 30 jours.',
      'Si vous ne l’attendiez pas, ignorez cet e-mail\u00a0: il ne se passera rien.',
    ],
  }),
  mfaEnabled: ({ firstName }) => ({
    subject: 'La validation en deux étapes est activée',
    greeting: greet(firstName),
    paragraphs: [
      'En plus du mot de passe, votre compte Balcão demande maintenant un code de votre téléphone.',
      'Gardez vos codes de secours en lieu sûr\u00a0: ils servent si vous perdez le téléphone.',
      NOT_YOU,
    ],
    closing: [],
  }),
  mfaDisabled: ({ firstName }) => ({
    subject: 'La validation en deux étapes est désactivée',
    greeting: greet(firstName),
    paragraphs: ['Votre compte Balcão ne demande de nouveau que le mot de passe.', NOT_YOU],
    closing: [],
  }),
  recoveryCodeUsed: ({ firstName, left }) => ({
    subject: 'Un code de secours a été utilisé',
    greeting: greet(firstName),
    paragraphs: [
      'Quelqu’un s’est connecté à votre compte Balcão avec un code de secours au lieu du code du téléphone.',
      left === 0
        ? 'C’était le dernier. Activez de nouveau la validation en deux étapes pour en recevoir d’autres.'
        : `Il reste ${left} code${left === 1 ? '' : 's'}. Chacun ne sert qu’une fois.`,
      NOT_YOU,
    ],
    closing: [],
  }),
  notices: ({ merchant, title, messages, more, link, settingsLink }) => ({
    subject: more + messages.length > 1 ? `${title} (${more + messages.length})` : title,
    greeting: `Dans votre boutique ${merchant}\u00a0:`,
    paragraphs: [...messages, ...(more > 0 ? [`Et ${more} ${more === 1 ? 'autre' : 'autres'} du même genre.`] : [])],
    button: { label: 'Ouvrir dans Balcão', link },
    closing: ['Si cela se reproduit, le prochain e-mail à ce sujet part dans une heure.'],
    settings: { text: 'Choisissez dans votre compte les avis que vous recevez par e-mail\u00a0:', link: settingsLink },
  }),
  receipt: ({ receipt }) => ({
    subject: `Reçu de ${receipt.shop}`,
    greeting: greet(''),
    paragraphs: [`${receipt.shop} vous a envoyé le reçu de votre paiement.`],
    rows: rowsOf(receipt),
    closing: [receipt.note, 'Si vous n’avez pas fait ce paiement, ignorez cet e-mail.'],
  }),
};
