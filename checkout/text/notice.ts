// The texts of the privacy notice for payers, in every language.
import type { Language } from '../../shared/language.ts';

const pt = {
  title: 'Os seus dados neste pagamento',
  'who.title': 'Quem os pede',
  'who.line':
    '{merchant}, a quem paga. {operator} trata-os por conta da loja, com o sistema que lhe mostra esta página e a ' +
    'de pagamento.',
  'why.title': 'Que dados, e para quê',
  'why.line':
    'O número de telemóvel, para lhe pedir o pagamento no Multicaixa Express. Nome, e-mail ou NIF, só se a loja os ' +
    'pedir: para o comprovativo, a factura e para lhe responder. O endereço de rede do seu aparelho, por ' +
    'segurança. O pedido de pagamento passa pela rede Multicaixa e pelo seu banco.',
  'long.title': 'Durante quanto tempo',
  'long.line':
    'Até {time}, com o pagamento a que pertencem, como documento da contabilidade da loja. O seu PIN e os dados do ' +
    'seu cartão nunca passam por aqui.',
  'ask.title': 'A quem perguntar',
  'ask.none': 'Pergunte na loja onde comprou.',
  'rights.title': 'Os seus direitos',
  'rights.line':
    'Pode pedir para ver os seus dados, para os corrigir ou apagar, e opor-se ao seu uso. O que a lei manda ' +
    'guardar com o pagamento fica até ao fim do prazo. Se não lhe responderem, pode queixar-se à Agência de ' +
    'Protecção de Dados (www.apd.ao). A lei é a n.º 22/11, de 17 de Junho.',
  'own.title': '{merchant} acrescenta',
  'missing.title': 'Esta página não existe',
  'missing.line': 'Abra-a a partir da página de pagamento, em «Os seus dados».',
};

export type NoticeTexts = typeof pt;

const en: NoticeTexts = {
  title: 'Your data in this payment',
  'who.title': 'Who asks for it',
  'who.line':
    'The shop you pay: {merchant}. {operator} processes it for the shop, with the system that shows you this page ' +
    'and the payment page.',
  'why.title': 'Which data, and why',
  'why.line':
    'Your mobile number, to send you the payment request in Multicaixa Express. Name, e-mail or tax number, only if ' +
    'the shop asks: for the receipt, the invoice, and to answer you. Your device’s network address, for security. ' +
    'The request passes through the Multicaixa network and your bank.',
  'long.title': 'For how long',
  'long.line':
    'For up to {time}, with the payment it belongs to, as part of the shop’s accounting records. Your PIN and your ' +
    'card details never pass through here.',
  'ask.title': 'Who to ask',
  'ask.none': 'Ask the shop where you bought.',
  'rights.title': 'Your rights',
  'rights.line':
    'You can ask to see your data, to have it corrected or erased, and object to its use. What the law requires the ' +
    'shop to keep with the payment stays until that period ends. If nobody answers you, you can complain to the ' +
    'data protection agency, Agência de Protecção de Dados (www.apd.ao). The law is no. 22/11 of 17 June.',
  'own.title': '{merchant} adds',
  'missing.title': 'This page does not exist',
  'missing.line': 'Open it from the payment page, under “Your data”.',
};

const fr: NoticeTexts = {
  title: 'Vos données dans ce paiement',
  'who.title': 'Qui les demande',
  'who.line':
    '{merchant}, la boutique que vous payez. {operator} les traite pour elle, avec le système qui vous montre cette ' +
    'page et celle du paiement.',
  'why.title': 'Quelles données, et pourquoi',
  'why.line':
    'Votre numéro de mobile, pour vous demander le paiement dans Multicaixa Express. Nom, e-mail ou numéro fiscal, ' +
    'seulement si la boutique les demande : pour le reçu, la facture et pour vous répondre. L’adresse réseau de ' +
    'votre appareil, pour la sécurité. La demande passe par le réseau Multicaixa et par votre banque.',
  'long.title': 'Combien de temps',
  'long.line':
    'Jusqu’à {time}, avec le paiement auquel elles appartiennent, comme pièce de la comptabilité de la boutique. ' +
    'Votre code PIN et les données de votre carte ne passent jamais par ici.',
  'ask.title': 'À qui s’adresser',
  'ask.none': 'Adressez-vous à la boutique où vous avez acheté.',
  'rights.title': 'Vos droits',
  'rights.line':
    'Vous pouvez demander à voir vos données, à les faire corriger ou effacer, et vous opposer à leur usage. Ce que ' +
    'la loi oblige à garder avec le paiement reste jusqu’à la fin du délai. Sans réponse, vous pouvez saisir ' +
    'l’Agência de Protecção de Dados (www.apd.ao). La loi est la n.º 22/11 du 17 juin.',
  'own.title': '{merchant} ajoute',
  'missing.title': 'Cette page n’existe pas',
  'missing.line': 'Ouvrez-la depuis la page de paiement, sous « Vos données ».',
};

export const noticeTexts: Record<Language, NoticeTexts> = { pt, en, fr };
