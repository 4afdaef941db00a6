// The texts of merchants' notifications in French.
import type { Wording } from './texts.ts';

export const FR: Wording = {
  'callback.endpoint_failing': [
    'Votre site ne reçoit plus les callbacks',
    'Les {failures} derniers envois à {host} ont échoué. Nous réessayons pendant 72 heures, et rien n’est perdu ' +
      'd’ici là. Demandez à la personne qui gère votre site de vérifier pourquoi il ne répond pas.',
  ],
  'callback.endpoint_recovered': [
    'Votre site reçoit de nouveau les callbacks',
    '{host} confirme de nouveau les callbacks. Ceux qui attendaient sont en cours d’envoi\u00a0: vous n’avez rien à ' +
      'faire.',
  ],
  'callback.abandoned': [
    'Callbacks non remis',
    'Votre site n’a pas confirmé certains callbacks de ce jour en 72 heures, et nous avons cessé d’essayer. L’argent ' +
      'a bien été reçu. Ouvrez «\u00a0Développeurs\u00a0» pour voir lesquels et les envoyer de nouveau.',
  ],
  'webhook.endpoint_failing': [
    'Un webhook échoue',
    'Les {failures} derniers envois à {host} ont échoué. Nous réessayons pendant 72 heures. Demandez à la personne ' +
      'qui gère ce système de vérifier pourquoi il ne répond pas.',
  ],
  'webhook.endpoint_recovered': [
    'Un webhook fonctionne de nouveau',
    '{host} répond de nouveau. Les événements en attente sont en cours d’envoi\u00a0: vous n’avez rien à faire.',
  ],
  'payment.overpaid': [
    'Paiement reçu en trop',
    'Le paiement {reference}, de {asked}, a reçu {received}\u00a0: c’est plus que demandé. Remboursez la différence, ' +
      'ou convenez avec le client de ce que vous en faites.',
  ],
  'payment.overpaid.capture': [
    'Réservation encaissée en trop',
    'La réservation {reference}, de {asked}, a été encaissée plus d’une fois. Comparez avec ce que vous avez vendu ' +
      'et convenez avec le client du remboursement du surplus.',
  ],
  'payment.overpaid.hold': [
    'Reçu en trop',
    'Le paiement {reference}, de {asked}, contient plus d’argent que demandé. Ouvrez le paiement et convenez avec le ' +
      'client du remboursement de la différence.',
  ],
  'payment.amount_mismatch': [
    'Montant reçu différent du montant demandé',
    'Le paiement {reference}, de {asked}, a reçu {received}, ce qui n’est pas le montant demandé. L’argent est ' +
      'enregistré. Demandez le reste au client ou convenez d’un remboursement.',
  ],
  'payment.amount_mismatch.capture': [
    'Réservation encaissée pour un autre montant',
    'Un montant différent de celui demandé a été encaissé sur la réservation {reference}, de {asked}. Ouvrez le ' +
      'paiement et réglez la différence avec le client.',
  ],
  'payment.amount_mismatch.hold': [
    'Réservation d’un autre montant',
    'Pour le paiement {reference}, de {asked}, la banque a réservé un autre montant\u00a0: {held}. Vous pouvez ' +
      'encaisser jusqu’au montant réservé.',
  ],
  'payment.late': [
    'Paiement arrivé en retard',
    '{received} sont arrivés pour le paiement {reference}, de {asked}, après sa clôture. L’argent est à vous. Livrez ' +
      'l’achat ou convenez avec le client d’un remboursement.',
  ],
  'payment.late.capture': [
    'Réservation encaissée en retard',
    'La réservation {reference}, de {asked}, a été encaissée après sa clôture. L’argent est à vous. Livrez l’achat ' +
      'ou convenez avec le client d’un remboursement.',
  ],
  'payment.late.hold': [
    'Réservation approuvée en retard',
    'La réservation {reference}, de {asked}, a été approuvée alors qu’elle comptait comme non payée. Le montant est ' +
      'réservé\u00a0: encaissez-le, ou annulez la réservation pour le libérer.',
  ],
  'payment.stuck': [
    'Paiement sans réponse',
    'Depuis des jours nous demandons au prestataire ce qu’est devenu le paiement {reference}, de {asked}, sans ' +
      'réponse. Ne livrez pas et n’encaissez pas de nouveau avant d’être sûr\u00a0: contactez l’opérateur en donnant ' +
      'la référence.',
  ],
  'payment.stuck.hold': [
    'Réservation non libérée',
    'La réservation {reference}, de {asked}, a pris fin, et le prestataire a refusé de la libérer. Elle a peut-être ' +
      'été encaissée autrement\u00a0: contactez l’opérateur en donnant la référence.',
  ],
  'payment.acquirer_setup': [
    'Un contrat est mal configuré',
    'Le prestataire a refusé le paiement {reference}\u00a0: le contrat, le terminal ou les identifiants de ' +
      '«\u00a0{account}\u00a0» ne sont pas corrects. Tant que c’est le cas, il refuse aussi les suivants. Corrigez ' +
      'le contrat et testez-le\u00a0; s’il est à l’opérateur, contactez-le.',
  ],
  'refund.failed': [
    'Remboursement non effectué',
    'Le remboursement de {amount} du paiement {reference} n’a pas été effectué\u00a0: le prestataire l’a refusé, et ' +
      'le client n’a rien reçu. Réessayez, ou remboursez autrement et notez-le sur le paiement.',
  ],
  'refund.stuck': [
    'Remboursement sans réponse',
    'Le prestataire ne dit pas s’il a remboursé {amount} du paiement {reference}. Ne remboursez pas de nouveau, ni ' +
      'autrement, avant d’être sûr\u00a0: contactez l’opérateur en donnant la référence.',
  ],
  'refund.late': [
    'Remboursement arrivé en retard',
    '{amount} du paiement {reference} ont été remboursés alors que le remboursement comptait comme non effectué ou ' +
      'annulé. Le client a cet argent\u00a0: si vous l’avez remboursé autrement entre-temps, réglez la différence ' +
      'avec lui.',
  ],
  'refund.excess': [
    'Remboursé en trop',
    '{amount} du paiement {reference} ont été remboursés\u00a0: il est ainsi sorti plus qu’il n’était entré. Voyez ' +
      'les remboursements de ce paiement et réglez la différence avec le client.',
  ],
  'reference.unknown_paid': [
    'Argent sur une référence inconnue',
    '{amount} ont été payés à l’entité {entity}, référence {reference}, qui n’existe pas dans Balcão. Le montant est ' +
      'enregistré. Contactez l’opérateur en donnant la transaction {transaction}.',
  ],
  'rail.feed_paused': [
    'Une liste de paiements est en pause',
    'Le contrat «\u00a0{account}\u00a0» présente des paiements illisibles\u00a0; {count} ne sont pas encore ' +
      'enregistrés. Balcão lit la liste une fois par heure jusqu’à ce que cela cesse. Les paiements que le ' +
      'prestataire signale sont toujours enregistrés. Vérifiez l’entité et l’adresse du contrat avec le prestataire, ' +
      'et testez-le pour continuer tout de suite.',
  ],
  'terminal.stuck': [
    'Terminal sans réponse',
    'Le prestataire ne dit pas si le terminal {terminal} est ouvert ou fermé. Ouvrez-le ou fermez-le encore une ' +
      'fois dans le système de la boutique. Si rien ne change, contactez l’opérateur.',
  ],
  'terminal.closed': [
    'Terminal fermé par le prestataire',
    'Le terminal {terminal} a été fermé, et pas par vous. Fermé, il n’accepte aucun paiement. Pour vendre de ' +
      'nouveau, rouvrez-le dans le système de la boutique, ou demandez à l’opérateur.',
  ],
  'sms.balance_low': [
    'Il reste peu de SMS',
    'SMS restants\u00a0: {balance}. Ceux déjà acceptés sont payés\u00a0; un envoi qui en demande plus qu’il n’en ' +
      'reste est refusé en entier. Demandez-en d’autres à l’opérateur.',
  ],
  'invoice.issued': [
    'Relevé mensuel {number}',
    'Le relevé de {month} est prêt\u00a0: {total}, IVA comprise. Il est sans valeur fiscale. Le PDF se trouve dans ' +
      '«\u00a0Formule et relevés\u00a0».',
  ],
  'access.granted': [
    'Nouvel accès à votre boutique',
    '{by} a donné à {email} accès à la boutique, avec le rôle {role}. Si ce n’était pas convenu, retirez cet accès ' +
      'tout de suite.',
  ],
  'access.granted.own': ['Vous avez donné un accès', 'Vous avez donné à {email} accès à la boutique, rôle {role}.'],
  'access.changed': [
    'Rôle modifié',
    '{by} a changé le rôle de {email}, qui devient {role}. Si ce n’était pas convenu, changez-le tout de suite.',
  ],
  'access.changed.own': ['Vous avez changé un rôle', 'Vous avez changé le rôle de {email}, qui devient {role}.'],
  'access.revoked': [
    'Accès retiré',
    '{by} a retiré à {email} l’accès à la boutique, avec le rôle {role}. Si ce n’était pas convenu, rendez-le.',
  ],
  'access.revoked.own': ['Vous avez retiré un accès', 'Vous avez retiré à {email} l’accès à la boutique, rôle {role}.'],
  'access.clients_left': [
    'Identifiants connus d’une personne sans accès',
    '{email} n’a plus accès, mais connaît le secret d’identifiants qui fonctionnent encore\u00a0: {clients}. Changez ' +
      'leur secret ou retirez-les.',
  ],
  'settlement.difference': [
    'Une clôture diffère de celle du prestataire',
    'La période {period} du contrat «\u00a0{account}\u00a0» n’est pas la même dans les livres du prestataire et ici. ' +
      'Mouvements qui diffèrent\u00a0: {count}. Voyez lesquels dans cette clôture avant de la marquer comme ' +
      'vérifiée, et interrogez l’opérateur sur ce que vous ne pouvez pas expliquer.',
  ],
  'link.oversold': [
    'Un lien a vendu plus que prévu',
    'Le lien «\u00a0{title}\u00a0» en avait {stock}, et {paid} ont été payés\u00a0: de l’argent est arrivé après que ' +
      'la place avait été donnée à une autre personne. L’argent est à vous. Livrez ce qui a été acheté ou ' +
      'remboursez-le.',
  ],
  'client.created': [
    'Nouveaux identifiants',
    '{by} a créé les identifiants «\u00a0{name}\u00a0», qui relient un système à votre boutique. Si ce n’était pas ' +
      'convenu, retirez-les tout de suite.',
  ],
  'client.created.own': [
    'Vous avez créé des identifiants',
    'Vous avez créé les identifiants «\u00a0{name}\u00a0», qui relient un système à votre boutique.',
  ],
  'client.rotated': [
    'Nouveau secret d’identifiants',
    '{by} a créé un nouveau secret pour les identifiants «\u00a0{name}\u00a0». Avec lui, on peut utiliser votre ' +
      'boutique. Si ce n’était pas convenu, retirez-les tout de suite.',
  ],
  'client.rotated.own': [
    'Vous avez créé un nouveau secret',
    'Vous avez créé un nouveau secret pour les identifiants «\u00a0{name}\u00a0».',
  ],
  'client.revoked': [
    'Identifiants retirés',
    '{by} a retiré les identifiants «\u00a0{name}\u00a0». Le système qui les utilisait ne peut plus se connecter à ' +
      'votre boutique.',
  ],
  'client.revoked.own': [
    'Vous avez retiré des identifiants',
    'Vous avez retiré les identifiants «\u00a0{name}\u00a0». Le système qui les utilisait ne peut plus se connecter ' +
      'à votre boutique.',
  ],
  'rail_account.created': [
    'Nouveau contrat',
    '{by} a ajouté le contrat «\u00a0{label}\u00a0». L’argent de vos clients peut désormais passer par lui. Si ce ' +
      'n’était pas convenu, retirez-le tout de suite.',
  ],
  'rail_account.created.own': [
    'Vous avez ajouté un contrat',
    'Vous avez ajouté le contrat «\u00a0{label}\u00a0» à cette boutique.',
  ],
  'rail_account.changed': [
    'Contrat modifié',
    '{by} a modifié le contrat «\u00a0{label}\u00a0», par lequel arrive l’argent de vos clients. Si ce n’était pas ' +
      'convenu, voyez tout de suite ce qui a changé.',
  ],
  'rail_account.changed.own': [
    'Vous avez modifié un contrat',
    'Vous avez modifié le contrat «\u00a0{label}\u00a0» de cette boutique.',
  ],
  'rail_account.removed': [
    'Contrat retiré',
    '{by} a retiré le contrat «\u00a0{label}\u00a0». Votre boutique n’encaisse plus par lui.',
  ],
  'rail_account.removed.own': [
    'Vous avez retiré un contrat',
    'Vous avez retiré le contrat «\u00a0{label}\u00a0». Votre boutique n’encaisse plus par lui.',
  ],
};
