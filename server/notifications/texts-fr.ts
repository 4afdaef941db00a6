// The texts of merchants' notifications in French.
import type { Wording } from './texts.ts';

export const FR: Wording = {
  'callback.endpoint_failing': [
    'Les callbacks n’arrivent plus',
    'Les {failures} dernières livraisons à {host} ont échoué. Nous réessayons pendant 72 heures, et rien n’est perdu ' +
      'd’ici là. Vérifiez que votre serveur répond en moins de 10 secondes par 2xx et "Success": true.',
  ],
  'callback.endpoint_recovered': [
    'Les callbacks arrivent de nouveau',
    '{host} confirme de nouveau les callbacks. Ce qui attendait est en cours de livraison\u00a0; vous n’avez rien à ' +
      'faire.',
  ],
  'callback.abandoned': [
    'Callbacks non livrés',
    'Ce jour-là, nous avons abandonné au moins un callback que votre serveur n’a pas confirmé. L’argent a bien été ' +
      'reçu. Voyez lesquels par GET /api/callbacks?status=Abandoned et renvoyez-les par POST /api/callbacks/replay.',
  ],
  'webhook.endpoint_failing': [
    'Un webhook est en échec',
    'Les {failures} dernières livraisons à {host} ont échoué. Nous réessayons pendant 72 heures. Vérifiez que le ' +
      'serveur répond en moins de 10 secondes par 2xx.',
  ],
  'webhook.endpoint_recovered': [
    'Un webhook fonctionne de nouveau',
    '{host} répond de nouveau. Les événements en attente sont en cours de livraison\u00a0; vous n’avez rien à faire.',
  ],
  'payment.overpaid': [
    'Paiement en trop',
    'Le paiement {reference}, de {asked}, a reçu {received}\u00a0: plus que demandé. Remboursez la différence, ou ' +
      'convenez avec le client de ce qu’elle devient.',
  ],
  'payment.overpaid.capture': [
    'Autorisation débitée en trop',
    'L’autorisation {reference}, de {asked}, a été débitée plus d’une fois. Comparez les captures avec votre vente ' +
      'et convenez avec le client du remboursement du surplus.',
  ],
  'payment.overpaid.hold': [
    'Reçu en trop',
    'Le paiement {reference}, de {asked}, contient plus d’argent que demandé. Consultez-le et convenez avec le ' +
      'client du remboursement de la différence.',
  ],
  'payment.amount_mismatch': [
    'Montant reçu différent du montant demandé',
    'Le paiement {reference}, de {asked}, a reçu {received}, ce qui n’est pas le montant demandé. L’argent est ' +
      'enregistré. Demandez le reste au client ou convenez du remboursement.',
  ],
  'payment.amount_mismatch.capture': [
    'Capture d’un montant différent',
    'Sur l’autorisation {reference}, de {asked}, un montant différent a été débité. Consultez la capture et réglez ' +
      'la différence avec le client.',
  ],
  'payment.amount_mismatch.hold': [
    'Autorisation d’un montant différent',
    'Pour l’autorisation {reference}, de {asked}, la banque a réservé un autre montant\u00a0: {held}. Vous pouvez ' +
      'capturer jusqu’au montant réservé.',
  ],
  'payment.late': [
    'Paiement arrivé en retard',
    '{received} sont arrivés pour le paiement {reference}, de {asked}, après sa clôture. L’argent est à vous. Livrez ' +
      'l’achat ou convenez avec le client du remboursement.',
  ],
  'payment.late.capture': [
    'Autorisation débitée en retard',
    'L’autorisation {reference}, de {asked}, a été débitée après sa clôture. L’argent est à vous. Livrez l’achat ou ' +
      'convenez avec le client du remboursement.',
  ],
  'payment.late.hold': [
    'Autorisation arrivée en retard',
    'L’autorisation {reference}, de {asked}, a été approuvée après avoir été considérée comme échouée. Le montant ' +
      'est réservé\u00a0: capturez-le, ou annulez l’autorisation pour le libérer.',
  ],
  'payment.stuck': [
    'Paiement sans réponse',
    'Depuis des jours nous demandons au prestataire ce qu’est devenu le paiement {reference}, de {asked}, sans ' +
      'réponse. Ne livrez pas et ne débitez pas de nouveau avant d’être sûr\u00a0: contactez l’opérateur en citant ' +
      'la référence.',
  ],
  'payment.stuck.hold': [
    'Autorisation non libérée',
    'Le délai de l’autorisation {reference}, de {asked}, est passé, et le prestataire a refusé de libérer le montant ' +
      'réservé. Il a peut-être été débité autrement\u00a0: contactez l’opérateur en citant la référence.',
  ],
  'payment.acquirer_setup': [
    'Un compte de paiement est mal configuré',
    'L’acquéreur a refusé le paiement {reference}\u00a0: le contrat, le terminal ou les identifiants du compte ' +
      '«\u00a0{account}\u00a0» ne sont pas corrects. Tant que c’est le cas, il refuse aussi les suivants. Corrigez ' +
      'le compte et testez-le\u00a0; s’il est à l’opérateur, contactez-le.',
  ],
  'refund.failed': [
    'Remboursement non effectué',
    'Le remboursement de {amount} du paiement {reference} n’a pas été effectué\u00a0: le prestataire l’a refusé, et ' +
      'le client n’a rien reçu. Réessayez, ou rendez l’argent autrement et enregistrez-le ici comme remboursement ' +
      'manuel.',
  ],
  'refund.stuck': [
    'Remboursement sans réponse',
    'Le prestataire ne dit pas s’il a remboursé {amount} du paiement {reference}. Ne remboursez pas de nouveau, ni ' +
      'autrement, avant d’être sûr\u00a0: contactez l’opérateur en citant la référence.',
  ],
  'refund.late': [
    'Remboursement arrivé en retard',
    '{amount} du paiement {reference} ont été rendus au client après que le remboursement a été considéré comme ' +
      'échoué ou annulé. Le client a cet argent\u00a0: si vous l’avez rendu autrement entre-temps, réglez la ' +
      'différence avec lui.',
  ],
  'refund.excess': [
    'Remboursé en trop',
    '{amount} du paiement {reference} ont été rendus, et il est ainsi sorti plus qu’il n’était entré. Consultez les ' +
      'remboursements de ce paiement et réglez la différence avec le client.',
  ],
  'reference.unknown_paid': [
    'Argent sur une référence inconnue',
    '{amount} ont été payés à l’entité {entity}, référence {reference}, qui n’existe pas dans Balcão. Le montant est ' +
      'enregistré. Contactez l’opérateur en citant la transaction {transaction}.',
  ],
  'rail.feed_paused': [
    'Une liste de paiements est en pause',
    'Le compte « {account} » présente des paiements que personne ne peut utiliser\u00a0; {count} ne sont pas encore ' +
      'gardés. Balcão lit la liste une fois par heure jusqu’à ce que cela cesse. Les paiements que le prestataire ' +
      'notifie sont toujours enregistrés. Vérifiez l’entité et l’adresse du compte auprès du prestataire, puis ' +
      'testez le compte pour continuer tout de suite.',
  ],
  'terminal.stuck': [
    'Terminal sans réponse',
    'Le prestataire ne dit pas si le terminal {terminal} est ouvert ou fermé. Ouvrez-le ou fermez-le encore une ' +
      'fois\u00a0; sinon, contactez l’opérateur.',
  ],
  'terminal.closed': [
    'Terminal fermé par le prestataire',
    'Le terminal {terminal} a été fermé, et pas par vous. Fermé, il n’accepte aucun paiement. Rouvrez-le quand vous ' +
      'voulez continuer à vendre.',
  ],
  'sms.balance_low': [
    'Peu d’unités SMS',
    'Unités SMS restantes\u00a0: {balance}. Ce qui a été accepté est payé\u00a0; un envoi qui en demande plus qu’il ' +
      'n’en reste est refusé en entier. Demandez d’autres unités à l’opérateur.',
  ],
  'invoice.issued': [
    'Relevé de compte {number}',
    'Le relevé de compte de {month} est prêt\u00a0: {total}, IVA comprise. Il est sans valeur fiscale\u00a0; son PDF ' +
      'est avec votre abonnement.',
  ],
  'access.granted': [
    'Nouvel accès à votre compte',
    '{email} a maintenant accès en tant que {role}. Si ce n’était pas convenu, retirez cet accès aussitôt.',
  ],
  'access.changed': [
    'Accès modifié',
    '{email} a maintenant accès en tant que {role}. Si ce n’était pas convenu, changez-le aussitôt.',
  ],
  'access.clients_left': [
    'Identifiants connus de quelqu’un sans accès',
    '{email} n’a plus accès, mais connaît le secret d’identifiants qui fonctionnent encore\u00a0: {clients}. Changez ' +
      'leur secret ou révoquez-les.',
  ],
  'settlement.difference': [
    'Comptes qui diffèrent de ceux du prestataire',
    'La période {period} du compte «\u00a0{account}\u00a0» n’est pas la même dans les livres du prestataire et ici. ' +
      'Mouvements qui diffèrent\u00a0: {count}. Voyez lesquels dans ce règlement avant de le tenir pour juste, et ' +
      'interrogez l’opérateur sur ce que vous ne pouvez expliquer.',
  ],
  'link.oversold': [
    'Un lien a vendu plus que prévu',
    'Le lien «\u00a0{title}\u00a0» en avait {stock}, et {paid} ont été payés\u00a0: de l’argent est arrivé après que ' +
      'la place avait été donnée à quelqu’un d’autre. L’argent est à vous. Livrez ce qui a été acheté ou ' +
      'remboursez-le.',
  ],
  'client.created': [
    'Nouveaux identifiants',
    'Les identifiants «\u00a0{name}\u00a0» ({client}), qui relient un système à votre compte, ont été créés. Si ce ' +
      'n’était pas convenu, révoquez-les aussitôt.',
  ],
};
