// Whose session it is, where else they may go, and where they are signed in; in every language, `{names}` are filled in.
import type { Language } from '../../shared/language.ts';

const pt = {
  'account.title': 'Conta',
  'account.merchants': 'Os seus comerciantes',
  'account.merchants.none': 'Ainda não tem acesso a nenhum comerciante. Crie o seu, ou peça um convite.',
  'account.here': 'está aqui',
  'account.enter': 'Entrar',
  'account.create': 'Criar um comerciante',
  'account.create.name': 'Nome do comerciante',
  'done.create': 'O comerciante foi criado. Entre nele abaixo.',
  'account.language': 'Língua',
  'account.language.button': 'Mudar',
  'done.language': 'Mudado.',
  'account.sessions': 'Onde tem sessão aberta',
  'account.session.now': 'esta',
  'account.end': 'Terminar',
  'done.end': 'A sessão terminou.',
  'account.endOthers': 'Terminar todas as outras',
  'done.endOthers': 'As outras sessões terminaram.',
  'account.out': 'Sair',
};

const en: Record<keyof typeof pt, string> = {
  'account.title': 'Account',
  'account.merchants': 'Your merchants',
  'account.merchants.none': 'You have no access to any merchant yet. Create yours, or ask for an invitation.',
  'account.here': 'you are here',
  'account.enter': 'Enter',
  'account.create': 'Create a merchant',
  'account.create.name': 'Name of the merchant',
  'done.create': 'The merchant was created. Enter it below.',
  'account.language': 'Language',
  'account.language.button': 'Change',
  'done.language': 'Changed.',
  'account.sessions': 'Where you are signed in',
  'account.session.now': 'this one',
  'account.end': 'End',
  'done.end': 'The session has ended.',
  'account.endOthers': 'End all others',
  'done.endOthers': 'The other sessions have ended.',
  'account.out': 'Sign out',
};

const fr: Record<keyof typeof pt, string> = {
  'account.title': 'Compte',
  'account.merchants': 'Vos commerçants',
  'account.merchants.none': 'Vous n’avez accès à aucun commerçant. Créez le vôtre, ou demandez une invitation.',
  'account.here': 'vous êtes ici',
  'account.enter': 'Entrer',
  'account.create': 'Créer un commerçant',
  'account.create.name': 'Nom du commerçant',
  'done.create': 'Le commerçant a été créé. Entrez-y ci-dessous.',
  'account.language': 'Langue',
  'account.language.button': 'Changer',
  'done.language': 'Changée.',
  'account.sessions': 'Où vous êtes connecté',
  'account.session.now': 'celle-ci',
  'account.end': 'Terminer',
  'done.end': 'La session est terminée.',
  'account.endOthers': 'Terminer toutes les autres',
  'done.endOthers': 'Les autres sessions sont terminées.',
  'account.out': 'Se déconnecter',
};

export const accountTexts: Record<Language, Record<keyof typeof pt, string>> = { pt, en, fr };
