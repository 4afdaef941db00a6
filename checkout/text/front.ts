// The texts of the page at `/`, and of the page for an unknown address.
import type { Language } from '../../shared/language.ts';

type FrontTexts = Record<
  'front.line' | 'front.payer' | 'front.signIn' | 'front.docs' | 'nowhere.title' | 'nowhere.line',
  string
>;

export const frontTexts: Record<Language, FrontTexts> = {
  pt: {
    'front.line': 'Pagamentos em Angola por Multicaixa Express, código QR e referência.',
    'front.payer': 'Veio pagar? Abra o link que a loja lhe enviou.',
    'front.signIn': 'Entrar na sua loja',
    'front.docs': 'Documentação para programadores',
    'nowhere.title': 'Esta página não existe',
    'nowhere.line': 'O endereço pode estar incompleto ou ter mudado.',
  },
  en: {
    'front.line': 'Payments in Angola by Multicaixa Express, QR code and reference.',
    'front.payer': 'Here to pay? Open the link that the shop sent you.',
    'front.signIn': 'Sign in to your shop',
    'front.docs': 'Documentation for developers',
    'nowhere.title': 'This page does not exist',
    'nowhere.line': 'The address may be incomplete, or may have changed.',
  },
  fr: {
    'front.line': 'Paiements en Angola par Multicaixa Express, code QR et référence.',
    'front.payer': 'Vous venez payer\u00a0? Ouvrez le lien que la boutique vous a envoyé.',
    'front.signIn': 'Accéder à votre boutique',
    'front.docs': 'Documentation pour développeurs',
    'nowhere.title': 'Cette page n’existe pas',
    'nowhere.line': 'L’adresse est peut-être incomplète, ou elle a changé.',
  },
};
