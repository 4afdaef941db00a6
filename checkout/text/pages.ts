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
  | 'problem.search'
  | 'problem.search.button'
  | 'problem.none'
  | 'problem.all'
  | 'problem.docs',
  string
>;

export const pageTexts: Record<Lang, PageTexts> = {
  pt: {
    'missing.title': 'Este link de pagamento não é válido',
    'missing.line': 'Pode estar incompleto ou já ter terminado. Volte à loja e abra o pagamento de novo.',
    'trouble.title': 'Não foi possível abrir esta página',
    'trouble.line':
      'Se já confirmou no telemóvel, o pagamento continua: não o repita. Volte a abrir daqui a um momento.',
    'trouble.again': 'Abrir de novo',
    'refused.title': 'Não conseguimos ler este pedido',
    'refused.line': 'Este pedido não pagou nada, nem enviou nada ao seu telemóvel. Abra o pagamento para ver o estado.',
    'refused.open': 'Abrir o pagamento',
    'unlisted.title': 'Este site não está autorizado a mostrar este pagamento',
    'unlisted.line': 'Pode pagar na mesma, na página do pagamento.',
    'wrong.title': 'Erro: ',
    'shared.line': 'Abra para pagar a {merchant}.',
    'problem.title': 'Problemas',
    'problem.line':
      'O que a API responde quando não pode fazer o que lhe pedem. Os códigos não mudam; os textos são em inglês.',
    'problem.search': 'Procurar um problema',
    'problem.search.button': 'Procurar',
    'problem.none': 'Nada encontrado.',
    'problem.all': 'Todos os problemas',
    'problem.docs': 'Documentação da API',
  },
  en: {
    'missing.title': 'This payment link is not valid',
    'missing.line': 'It may be incomplete or expired. Go back to the shop and open the payment again.',
    'trouble.title': 'This page could not be opened',
    'trouble.line':
      'If you approved on your phone, the payment continues: do not repeat it. Open the page again in a moment.',
    'trouble.again': 'Open again',
    'refused.title': 'We could not read this request',
    'refused.line': 'It paid nothing, and sent nothing to your phone. Open the payment to see its status.',
    'refused.open': 'Open the payment',
    'unlisted.title': 'This site is not allowed to show this payment',
    'unlisted.line': 'You can still pay on the payment’s own page.',
    'wrong.title': 'Error: ',
    'shared.line': 'Open it to pay {merchant}.',
    'problem.title': 'Problems',
    'problem.line': 'The errors that the API returns. Codes do not change.',
    'problem.search': 'Find a problem',
    'problem.search.button': 'Search',
    'problem.none': 'Nothing found.',
    'problem.all': 'All problems',
    'problem.docs': 'API documentation',
  },
  fr: {
    'missing.title': 'Ce lien de paiement n’est pas valable',
    'missing.line': 'Il est peut-être incomplet ou expiré. Retournez à la boutique et ouvrez à nouveau le paiement.',
    'trouble.title': 'Cette page n’a pas pu s’ouvrir',
    'trouble.line':
      'Si vous avez confirmé sur le téléphone, le paiement continue : ne le répétez pas. Ouvrez-la à nouveau dans ' +
      'un instant.',
    'trouble.again': 'Ouvrir à nouveau',
    'refused.title': 'Cette demande n’a pas pu être lue',
    'refused.line': 'Elle n’a rien payé, ni rien envoyé à votre téléphone. Ouvrez le paiement pour voir où il en est.',
    'refused.open': 'Ouvrir le paiement',
    'unlisted.title': 'Ce site n’est pas autorisé à afficher ce paiement',
    'unlisted.line': 'Vous pouvez quand même payer, sur la page du paiement.',
    'wrong.title': 'Erreur : ',
    'shared.line': 'Ouvrez-le pour payer {merchant}.',
    'problem.title': 'Problèmes',
    'problem.line': 'Les erreurs que l’API renvoie. Les codes ne changent pas ; les textes sont en anglais.',
    'problem.search': 'Chercher un problème',
    'problem.search.button': 'Chercher',
    'problem.none': 'Rien trouvé.',
    'problem.all': 'Tous les problèmes',
    'problem.docs': 'Documentation de l’API',
  },
};
