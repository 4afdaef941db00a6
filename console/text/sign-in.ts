// Texts of the sign-in page, in every language. `{names}` are placeholders.
import type { Language } from '../../shared/language.ts';

const pt = {
  'door.title': 'Entre na sua conta',
  'door.line': 'Com o e-mail e a palavra-passe que usa na Balcão.',
  'door.email': 'E-mail',
  'door.password': 'Palavra-passe',
  'door.button': 'Entrar',
  'door.forgot': 'Esqueci-me da palavra-passe',
  'door.register': 'Criar conta',
  'door.onward': 'Já entrei neste navegador: continuar',
  'door.code.title': 'Escreva o código',
  'door.code.line': 'Abra a sua aplicação de códigos. Um código de recuperação também serve.',
  'door.code': 'Código',
  'door.again': 'Voltar ao início',
  'door.wrong.password': 'O e-mail ou a palavra-passe não estão certos.',
  'door.wrong.code': 'Esse código não serve. Espere pelo seguinte, ou volte ao início.',
  'door.wrong.later': 'Foram demasiadas tentativas. Espere um pouco e tente outra vez.',
  'door.wrong.ended': 'A sua sessão terminou. Entre outra vez.',
  'door.wrong.elsewhere': 'Abra esta página de novo e tente outra vez.',
};

const en: Record<keyof typeof pt, string> = {
  'door.title': 'Sign in',
  'door.line': 'With your Balcão e-mail and password.',
  'door.email': 'E-mail',
  'door.password': 'Password',
  'door.button': 'Sign in',
  'door.forgot': 'I forgot my password',
  'door.register': 'Create an account',
  'door.onward': 'I am signed in here: go on',
  'door.code.title': 'Type the code',
  'door.code.line': 'Open your authenticator. A recovery code works too.',
  'door.code': 'Code',
  'door.again': 'Start again',
  'door.wrong.password': 'The e-mail or the password is not right.',
  'door.wrong.code': 'That code does not work. Wait for the next one, or start again.',
  'door.wrong.later': 'Too many attempts. Wait a little and try again.',
  'door.wrong.ended': 'Your session has ended. Sign in again.',
  'door.wrong.elsewhere': 'Open this page again and retry.',
};

const fr: Record<keyof typeof pt, string> = {
  'door.title': 'Connectez-vous',
  'door.line': 'Avec l’e-mail et le mot de passe de votre compte Balcão.',
  'door.email': 'E-mail',
  'door.password': 'Mot de passe',
  'door.button': 'Se connecter',
  'door.forgot': 'J’ai oublié mon mot de passe',
  'door.register': 'Créer un compte',
  'door.onward': 'Je suis déjà connecté ici : continuer',
  'door.code.title': 'Saisissez le code',
  'door.code.line': 'Ouvrez votre application de codes. Un code de secours convient aussi.',
  'door.code': 'Code',
  'door.again': 'Recommencer',
  'door.wrong.password': 'L’e-mail ou le mot de passe n’est pas correct.',
  'door.wrong.code': 'Ce code ne convient pas. Attendez le suivant, ou recommencez.',
  'door.wrong.later': 'Trop d’essais. Attendez un peu et réessayez.',
  'door.wrong.ended': 'Votre session est terminée. Reconnectez-vous.',
  'door.wrong.elsewhere': 'Ouvrez à nouveau cette page et réessayez.',
};

export const signInTexts: Record<Language, Record<keyof typeof pt, string>> = { pt, en, fr };
