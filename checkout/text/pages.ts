// The texts of pages without a payment, which no script needs: wrong link, errors, and the list of problems.
import type { Lang } from '../../shared/checkout.ts';

type PageTexts = Record<
  | 'missing.title'
  | 'missing.line'
  | 'trouble.title'
  | 'trouble.line'
  | 'trouble.again'
  | 'refused.title'
  | 'refused.line'
  | 'refused.open'
  | 'unlisted.title'
  | 'unlisted.line'
  | 'wrong.title'
  | 'shared.line'
  | 'problem.title'
  | 'problem.line'
  | 'problem.all'
  | 'problem.docs',
  string
>;

export const pageTexts: Record<Lang, PageTexts> = {
  pt: {
    'missing.title': 'Este link de pagamento não é válido',
    'missing.line': 'Pode ter ficado incompleto ou já ter terminado. Volte à loja e abra o pagamento de novo.',
    'trouble.title': 'Esta página não abriu agora',
    'trouble.line':
      'Se já confirmou no telemóvel, o pagamento continua: não o repita. Volte a abrir daqui a um momento.',
    'trouble.again': 'Abrir de novo',
    'refused.title': 'Não conseguimos ler este pedido',
    'refused.line': 'Por ele nada foi pago, nem pedido ao seu telemóvel. Abra o pagamento para ver como está.',
    'refused.open': 'Abrir o pagamento',
    'unlisted.title': 'Este site não está autorizado a mostrar este pagamento',
    'unlisted.line': 'Pode pagar na mesma, na página do pagamento.',
    'wrong.title': 'Erro: ',
    'shared.line': 'Abra para pagar a {merchant}.',
    'problem.title': 'Problemas',
    'problem.line':
      'O que a API responde quando não faz o que lhe pediram. O código é estável; os textos são em inglês.',
    'problem.all': 'Todos os problemas',
    'problem.docs': 'O que a API sabe fazer',
  },
  en: {
    'missing.title': 'This payment link is not valid',
    'missing.line': 'It may be incomplete, or over. Go back to the shop and open the payment again.',
    'trouble.title': 'This page did not open just now',
    'trouble.line': 'If you approved on your phone, the payment goes on: do not repeat it. Open it again in a moment.',
    'trouble.again': 'Open again',
    'refused.title': 'We could not read this request',
    'refused.line': 'It paid nothing, and asked nothing of your phone. Open the payment to see how it stands.',
    'refused.open': 'Open the payment',
    'unlisted.title': 'This site is not allowed to show this payment',
    'unlisted.line': 'You can still pay, on the payment’s own page.',
    'wrong.title': 'Error: ',
    'shared.line': 'Open it to pay {merchant}.',
    'problem.title': 'Problems',
    'problem.line': 'What the API answers when it does not do what it was asked. Codes are stable.',
    'problem.all': 'All problems',
    'problem.docs': 'What the API can do',
  },
  fr: {
    'missing.title': 'Ce lien de paiement n’est pas valable',
    'missing.line': 'Il est peut-être incomplet ou terminé. Retournez à la boutique et ouvrez à nouveau le paiement.',
    'trouble.title': 'Cette page ne s’est pas ouverte',
    'trouble.line':
      'Si vous avez confirmé sur le téléphone, le paiement continue : ne le répétez pas. Ouvrez-la à nouveau dans ' +
      'un instant.',
    'trouble.again': 'Ouvrir à nouveau',
    'refused.title': 'Cette demande n’a pas pu être lue',
    'refused.line': 'Elle n’a rien payé, ni rien demandé à votre téléphone. Ouvrez le paiement pour voir où il en est.',
    'refused.open': 'Ouvrir le paiement',
    'unlisted.title': 'Ce site n’est pas autorisé à afficher ce paiement',
    'unlisted.line': 'Vous pouvez tout de même payer, sur la page du paiement.',
    'wrong.title': 'Erreur : ',
    'shared.line': 'Ouvrez-le pour payer {merchant}.',
    'problem.title': 'Problèmes',
    'problem.line':
      'Ce que l’API répond quand elle ne fait pas ce qu’on lui demande. Les codes sont stables, les textes en anglais.',
    'problem.all': 'Tous les problèmes',
    'problem.docs': 'Ce que l’API sait faire',
  },
};
