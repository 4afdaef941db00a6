// The only texts inside the widget's script: messages before the gateway's first response, and texts of the dialog.
import type { Lang } from '../shared/checkout.ts';

export type NoticeName = 'opening' | 'offline' | 'failing' | 'missing' | 'dialog' | 'close' | 'elsewhere';

export const NOTICES: Record<Lang, Record<NoticeName, string>> = {
  pt: {
    opening: 'A abrir…',
    offline: 'Sem ligação: abre assim que houver rede.',
    failing: 'O pagamento não abriu: voltamos a tentar.',
    missing: 'Este pagamento já não está disponível.',
    dialog: 'Pagamento',
    close: 'Fechar',
    elsewhere: 'Abrir o pagamento numa página própria',
  },
  en: {
    opening: 'Opening…',
    offline: 'No connection: it opens as soon as you are online.',
    failing: 'The payment did not open: we will try again.',
    missing: 'This payment is no longer available.',
    dialog: 'Payment',
    close: 'Close',
    elsewhere: 'Open the payment on its own page',
  },
  fr: {
    opening: 'Ouverture…',
    offline: 'Pas de connexion : il s’ouvre dès que le réseau revient.',
    failing: 'Le paiement ne s’est pas ouvert : nous réessayons.',
    missing: 'Ce paiement n’est plus disponible.',
    dialog: 'Paiement',
    close: 'Fermer',
    elsewhere: 'Ouvrir le paiement sur sa propre page',
  },
};
