// Texts of the till on a bad connection, and of the page without a connection. `{names}` are placeholders.
import type { Language } from '../../shared/language.ts';

const pt = {
  'line.sending': 'A pedir…',
  'line.unsent': 'Ainda não pedido.',
  'line.unsent.away': 'Sem rede: carregue outra vez quando houver.',
  'line.unsent.back': 'Já há rede: carregue outra vez.',
  'line.unknown': 'Não se sabe se foi pedido.',
  'line.unknown.hint': 'Carregue outra vez: o cliente não paga duas vezes.',
  'shell.waiting': 'À espera da rede. Pode escrever já.',
  'away.title': 'Sem rede',
  'away.line': 'Esta página precisa de rede. Volta a abrir assim que a houver.',
  'away.again': 'Tentar de novo',
};

const en: Record<keyof typeof pt, string> = {
  'line.sending': 'Sending…',
  'line.unsent': 'Not asked yet.',
  'line.unsent.away': 'No connection: press again once it is back.',
  'line.unsent.back': 'The connection is back: press again.',
  'line.unknown': 'Not known if asked.',
  'line.unknown.hint': 'Press again: the customer does not pay twice.',
  'shell.waiting': 'Waiting for a connection. You can type now.',
  'away.title': 'No connection',
  'away.line': 'This page needs a connection. It opens by itself once there is one.',
  'away.again': 'Try again',
};

const fr: Record<keyof typeof pt, string> = {
  'line.sending': 'Envoi…',
  'line.unsent': 'Pas encore demandé.',
  'line.unsent.away': 'Sans connexion\u00a0: appuyez de nouveau quand elle revient.',
  'line.unsent.back': 'La connexion est revenue\u00a0: appuyez de nouveau.',
  'line.unknown': 'On ne sait pas si c’est demandé.',
  'line.unknown.hint': 'Appuyez de nouveau\u00a0: le client ne paie pas deux fois.',
  'shell.waiting': 'En attente de connexion. Vous pouvez déjà saisir.',
  'away.title': 'Pas de connexion',
  'away.line': 'Cette page a besoin d’une connexion. Elle s’ouvrira toute seule.',
  'away.again': 'Réessayer',
};

export const shellTexts: Record<Language, Record<keyof typeof pt, string>> = { pt, en, fr };
