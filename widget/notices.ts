// The few words the widget brings along: those for when it has not heard from the gateway yet.
import type { Lang } from '../shared/checkout.ts';

export type NoticeName = 'opening' | 'offline' | 'missing';

export const NOTICES: Record<Lang, Record<NoticeName, string>> = {
  pt: {
    opening: 'A abrir…',
    offline: 'Sem ligação: abre assim que houver rede.',
    missing: 'Este pagamento já não está disponível.',
  },
  en: {
    opening: 'Opening…',
    offline: 'No connection: it opens as soon as there is network.',
    missing: 'This payment is no longer available.',
  },
  fr: {
    opening: 'Ouverture…',
    offline: 'Pas de connexion : il s’ouvre dès que le réseau revient.',
    missing: 'Ce paiement n’est plus disponible.',
  },
};
