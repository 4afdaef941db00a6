// Words that the agreement of 1990 changed, with the form of Angola, which did not adopt it.

/** Each pattern matches a whole word from its beginning. `*` stands for any ending. */
export const ORTHOGRAPHY: readonly (readonly [wrong: string, right: string])[] = [
  ['(?:re|des|in|inter|retro)?ativ*', 'activ…'],
  ['(?:des)?atual*|atua|atuam|atuar|atuação', 'actual…'],
  ['(?:in)?dire[tç]*', 'direct…, direcç…'],
  ['extrat*', 'extract…'],
  ['fatur*', 'factur…'],
  ['(?:in)?corre[tç]*', 'correct…, correcç…'],
  ['prote[tç]*', 'protect…, protecç…'],
  ['(?:re|con|per)ceç*', 'recepç…, concepç…, percepç…'],
  ['(?:inter|re|trans|fr|infr|red|co)?aç(?:ão|ões)', '…acção'],
  ['(?:sub|con|ex|a|abs|dis|re)?traç(?:ão|ões)', '…tracção'],
  ['transaci*|acion*|fracion*|confecion*', 'transacci…, accion…, fraccion…'],
  ['ato|atos', 'acto'],
  ['contato|contatos|contatar', 'contacto'],
  ['fato|fatos', 'facto'],
  ['el[eé]tr*', 'electr…, eléctr…'],
  ['(?:ob|pro|in|tra|sub)je[tç]*', '…ject…, …jecç…'],
  ['efet*', 'efect…'],
  ['[oó]tim*', 'optim…, óptim…'],
  ['adot*|adoç*', 'adopt…, adopç…'],
  ['exce[tç]*', 'except…, excepç…'],
  ['seção|seções', 'secção'],
  ['sele(?:ç|cion|t)*', 'selecç…, seleccion…'],
  ['setor|setores|setorial', 'sector'],
  ['dete[tç]*', 'detect…'],
  ['afet*', 'afect…'],
  ['reflet*', 'reflect…'],
  ['(?:res|pers|pros)petiv*', '…pectiv…'],
  ['(?:in)?exat*', 'exact…'],
  ['cole[tç]*|colecion*', 'colect…, colecç…'],
  ['inspe[tç]*|inspecion*', 'inspecç…'],
  ['aspeto|aspetos|espet[aá]*', 'aspecto, espect…'],
  ['arquitet*|noturn*|teto|letivo|letiva', 'arquitect…, nocturn…, tecto, lectivo'],
  ['retific*', 'rectific…'],
  ['carater*|caráter|caraterístic*', 'caracter…, carácter'],
  ['fator|fatores|vetor|vetores|lecion*', 'factor, vector, leccion…'],
  ['infraestrutur*', 'infra-estrutur…'],
  ['veem|leem|deem|creem|reveem|preveem', 'vêem, lêem, dêem, crêem'],
  ['dia a dia|fim de semana|fins de semana', 'dia-a-dia, fim-de-semana'],
  ['h[áã]o? de|hás de|hei de', 'há-de, hão-de'],
  ['registro|registros|registrar|registrad[oa]s?', 'regist…'],
  ['usuários?|celulares|cadastr*|deletar|deletad[oa]s?', 'utilizador, telemóveis, regist…, elimin…'],
];

/** Months and other words whose capital letter counts. */
export const CAPITALS =
  /(?<![\p{L}-])(?:janeiro|fevereiro|março|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro)(?!\p{L})/u;

/** Patterns of phrases in which a refused word has another meaning, and of values of the specification. */
export const EXCEPTIONS: readonly string[] = [
  'multicaixa express',
  'rede multicaixa',
  'valor fiscal',
  'destes valores',
  'valores da lista',
  'cabeçalho[^:]*: valor',
  'comerciante GPO',
  'GPO merchant',
  'não é uma factura',
  'entrançada à mão',
  '^reembolso$',
  '^dona$',
  '^ATM, com',
];
