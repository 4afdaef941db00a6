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
    elsewhere: 'Abrir noutra página',
  },
  en: {
    opening: 'Opening…',
    offline: 'No connection: it opens once you are online.',
    failing: 'The payment did not open: we will try again.',
    missing: 'This payment is no longer available.',
    dialog: 'Payment',
    close: 'Close',
    elsewhere: 'Open on another page',
  },
  fr: {
    opening: 'Ouverture…',
    offline: 'Pas de connexion : il s’ouvrira avec le réseau.',
    failing: 'Le paiement ne s’est pas ouvert : nous réessayons.',
    missing: 'Ce paiement n’est plus disponible.',
    dialog: 'Paiement',
    close: 'Fermer',
    elsewhere: 'Ouvrir sur une autre page',
  },
};
