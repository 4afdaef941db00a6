// Texts of the sign-in page, in every language. `{names}` are placeholders.
import type { Language } from '../../shared/language.ts';

const pt = {
  'door.title': 'Inicie sessão',
  'door.line': 'Com o e-mail e a palavra-passe que usa no Balcão.',
  'door.email': 'E-mail',
  'door.password': 'Palavra-passe',
  'door.button': 'Iniciar sessão',
  'door.forgot': 'Esqueci-me da palavra-passe',
  'door.register': 'Criar conta',
  'door.onward': 'Já iniciei sessão neste navegador: continuar',
  'door.code.title': 'Escreva o código',
  'door.code.line': 'Abra a sua aplicação de códigos. Um código de recuperação também serve.',
  'door.code': 'Código',
  'door.again': 'Voltar ao início',
  'door.wrong.password': 'O e-mail ou a palavra-passe não estão certos.',
  'door.wrong.code': 'Esse código não serve. Espere pelo seguinte, ou volte ao início.',
  'door.wrong.later': 'Foram demasiadas tentativas. Espere um pouco e tente outra vez.',
  'door.wrong.ended': 'A sua sessão terminou. Inicie sessão outra vez.',
  'door.reveal': 'Mostrar',
  'door.conceal': 'Ocultar',
  'door.wrong.kept':
    'A sua sessão terminou e o formulário não foi enviado. Inicie sessão: o que escreveu continua aqui.',
  'door.wrong.lost': 'A sua sessão terminou e o formulário não foi enviado. Inicie sessão e preencha-o outra vez.',
  'refused.invalid_token':
    'A sua sessão tinha terminado e nada foi enviado. Confirme o que escreveu e envie outra vez.',
};

const en: Record<keyof typeof pt, string> = {
  'door.title': 'Sign in',
  'door.line': 'Use your Balcão e-mail and password.',
  'door.email': 'E-mail',
  'door.password': 'Password',
  'door.button': 'Sign in',
  'door.forgot': 'I forgot my password',
  'door.register': 'Create an account',
  'door.onward': 'I am already signed in here: continue',
  'door.code.title': 'Enter the code',
  'door.code.line': 'Open your authenticator app. A recovery code works too.',
  'door.code': 'Code',
  'door.again': 'Start over',
  'door.wrong.password': 'The e-mail or the password is wrong.',
  'door.wrong.code': 'That code does not work. Wait for the next one, or start over.',
  'door.wrong.later': 'Too many attempts. Wait a moment and try again.',
  'door.wrong.ended': 'Your session has ended. Sign in again.',
  'door.reveal': 'Show',
  'door.conceal': 'Hide',
  'door.wrong.kept': 'Your session ended and the form was not sent. Sign in: what you typed is still here.',
  'door.wrong.lost': 'Your session ended and the form was not sent. Sign in and fill it in again.',
  'refused.invalid_token': 'Your session had ended and nothing was sent. Check what you typed and send it again.',
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
  'door.wrong.later': 'Trop de tentatives. Patientez un peu et réessayez.',
  'door.wrong.ended': 'Votre session est terminée. Reconnectez-vous.',
  'door.reveal': 'Afficher',
  'door.conceal': 'Masquer',
  'door.wrong.kept':
    'Votre session a expiré et le formulaire n’a pas été envoyé. Connectez-vous : votre saisie est conservée.',
  'door.wrong.lost':
    'Votre session a expiré et le formulaire n’a pas été envoyé. Connectez-vous et remplissez-le à nouveau.',
  'refused.invalid_token':
    'Votre session avait expiré et rien n’a été envoyé. Vérifiez votre saisie et envoyez-la à nouveau.',
};

export const signInTexts: Record<Language, Record<keyof typeof pt, string>> = { pt, en, fr };
