// Texts of the till on a bad line, and of the page without a connection. `{names}` are placeholders.
import type { Language } from '../../shared/language.ts';

const pt = {
  'line.sending': 'A pedir…',
  'line.unsent': 'Ainda não pedido.',
  'line.unsent.hint': 'Sem rede, nada foi enviado. O que escreveu fica aqui: carregue outra vez quando houver rede.',
  'line.unknown': 'Não se sabe se foi pedido.',
  'line.unknown.hint': 'A rede caiu a meio. Carregue outra vez: é o mesmo pedido, e o cliente não paga duas vezes.',
  'shell.waiting': 'À espera da rede. Pode escrever já.',
  'away.title': 'Sem rede',
  'away.line': 'Esta página precisa de rede. Abre-se sozinha quando a houver.',
  'away.again': 'Tentar de novo',
};

const en: Record<keyof typeof pt, string> = {
  'line.sending': 'Sending…',
  'line.unsent': 'Not asked yet.',
  'line.unsent.hint':
    'There is no connection and nothing was sent. Your entries stay here: press again once it is back.',
  'line.unknown': 'It is not known if this was asked.',
  'line.unknown.hint':
    'The connection broke. Press again: it is the same request, and the customer does not pay twice.',
  'shell.waiting': 'Waiting for a connection. You can type now.',
  'away.title': 'No connection',
  'away.line': 'This page needs a connection. It opens by itself once there is one.',
  'away.again': 'Try again',
};

const fr: Record<keyof typeof pt, string> = {
  'line.sending': 'Envoi…',
  'line.unsent': 'Pas encore demandé.',
  'line.unsent.hint': 'Sans connexion, rien n’a été envoyé. Votre saisie reste ici\u00a0: appuyez de nouveau ensuite.',
  'line.unknown': 'On ne sait pas si la demande est partie.',
  'line.unknown.hint':
    'La connexion a été coupée. Appuyez de nouveau\u00a0: c’est la même demande, et le client ne paie pas deux fois.',
  'shell.waiting': 'En attente de connexion. Vous pouvez déjà saisir.',
  'away.title': 'Pas de connexion',
  'away.line': 'Cette page a besoin d’une connexion. Elle s’ouvrira toute seule.',
  'away.again': 'Réessayer',
};

export const shellTexts: Record<Language, Record<keyof typeof pt, string>> = { pt, en, fr };
