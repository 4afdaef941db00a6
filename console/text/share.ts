// Texts of sharing: buttons, and the messages that customers receive. `{names}` are placeholders.
import type { Language } from '../../shared/language.ts';

const pt = {
  'share.whatsapp': 'WhatsApp',
  'share.whatsapp.to': 'WhatsApp para {phone}',
  'share.sheet': 'Partilhar…',
  'share.copy': 'Copiar texto',
  'share.text': 'Ver o texto',
  'share.open': 'Abrir',
  'share.newTab': '(abre noutro separador)',
  'share.link.pay': 'Pague aqui, sem criar conta:',
  'share.link.until': 'Pode pagar até {when}.',
  'share.amount': 'Montante: {amount}',
  'share.amount.open': 'Montante: o que quiser',
  'share.reference.entity': 'Entidade: {entity}',
  'share.reference.digits': 'Referência: {reference}',
  'share.reference.until': 'Pagar até: {when}',
  'share.reference.how':
    'Como pagar: num caixa automático ou na aplicação Multicaixa Express, em Pagamentos › Pagamento por Referência.',
};

const en: Record<keyof typeof pt, string> = {
  'share.whatsapp': 'WhatsApp',
  'share.whatsapp.to': 'WhatsApp to {phone}',
  'share.sheet': 'Share…',
  'share.copy': 'Copy text',
  'share.text': 'See the text',
  'share.open': 'Open',
  'share.newTab': '(opens in a new tab)',
  'share.link.pay': 'Pay here, no account needed:',
  'share.link.until': 'You can pay until {when}.',
  'share.amount': 'Amount: {amount}',
  'share.amount.open': 'Amount: you choose',
  'share.reference.entity': 'Entity: {entity}',
  'share.reference.digits': 'Reference: {reference}',
  'share.reference.until': 'Pay by: {when}',
  'share.reference.how':
    'How to pay: at an ATM or in the Multicaixa Express app, under Pagamentos › Pagamento por Referência.',
};

const fr: Record<keyof typeof pt, string> = {
  'share.whatsapp': 'WhatsApp',
  'share.whatsapp.to': 'WhatsApp au {phone}',
  'share.sheet': 'Partager…',
  'share.copy': 'Copier le texte',
  'share.text': 'Voir le texte',
  'share.open': 'Ouvrir',
  'share.newTab': '(s’ouvre dans un nouvel onglet)',
  'share.link.pay': 'Payez ici, sans créer de compte\u00a0:',
  'share.link.until': 'Vous pouvez payer jusqu’au {when}.',
  'share.amount': 'Montant\u00a0: {amount}',
  'share.amount.open': 'Montant\u00a0: à votre choix',
  'share.reference.entity': 'Entité\u00a0: {entity}',
  'share.reference.digits': 'Référence\u00a0: {reference}',
  'share.reference.until': 'À payer avant le\u00a0: {when}',
  'share.reference.how':
    'Comment payer\u00a0: à un distributeur ou dans l’application Multicaixa Express, ' +
    'sous Pagamentos › Pagamento por Referência.',
};

export const shareTexts: Record<Language, Record<keyof typeof pt, string>> = { pt, en, fr };
