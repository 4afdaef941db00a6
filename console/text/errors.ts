// Texts of the list of refused API requests, in every language.
import type { Language } from '../../shared/language.ts';

const pt = {
  'errors.title': 'Erros da API',
  'errors.about': 'O que foi recusado aos seus sistemas nos últimos sete dias. Nenhum conteúdo é guardado.',
  'errors.all': 'Todos',
  'errors.status': 'Por código HTTP',
  'errors.none': 'Nada foi recusado. Se um pedido falhar, aparece aqui com o campo que estava errado.',
  'errors.none.found': 'Nenhum destes.',
  'errors.when': 'Quando',
  'errors.code': 'Código',
  'errors.request': 'Pedido',
  'errors.faults': 'Campos',
  'errors.id': 'X-Request-Id',
};

const en: Record<keyof typeof pt, string> = {
  'errors.title': 'API errors',
  'errors.about': 'What your systems were refused in the last seven days. No contents are kept.',
  'errors.all': 'All',
  'errors.status': 'By HTTP status',
  'errors.none': 'Nothing was refused. A request that fails shows here, with the field that was wrong.',
  'errors.none.found': 'None of these.',
  'errors.when': 'When',
  'errors.code': 'Code',
  'errors.request': 'Request',
  'errors.faults': 'Fields',
  'errors.id': 'X-Request-Id',
};

const fr: Record<keyof typeof pt, string> = {
  'errors.title': 'Erreurs de l’API',
  'errors.about': 'Ce qui a été refusé à vos systèmes ces sept derniers jours. Aucun contenu n’est gardé.',
  'errors.all': 'Tous',
  'errors.status': 'Par statut HTTP',
  'errors.none': 'Rien n’a été refusé. Une demande qui échoue apparaît ici, avec le champ en cause.',
  'errors.none.found': 'Aucun de ceux-ci.',
  'errors.when': 'Quand',
  'errors.code': 'Code',
  'errors.request': 'Demande',
  'errors.faults': 'Champs',
  'errors.id': 'X-Request-Id',
};

export const errorsTexts: Record<Language, Record<keyof typeof pt, string>> = { pt, en, fr };
