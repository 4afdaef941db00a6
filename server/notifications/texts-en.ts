// The texts of merchants' notifications in English.
import type { Wording } from './texts.ts';

export const EN: Wording = {
  'callback.endpoint_failing': [
    'Your website is not receiving callbacks',
    'The last {failures} deliveries to {host} failed. We keep trying for 72 hours, and nothing is lost until then. ' +
      'Ask whoever runs your website to check why it does not answer.',
  ],
  'callback.endpoint_recovered': [
    'Your website receives callbacks again',
    '{host} is confirming callbacks again. Those that waited are being delivered, so you do not need to do anything.',
  ],
  'callback.abandoned': [
    'Callbacks not delivered',
    'Your website did not confirm some callbacks of this day within 72 hours, so we stopped trying. The money was ' +
      'received all the same. Open “Developers” to see which ones, and send them again.',
  ],
  'webhook.endpoint_failing': [
    'A webhook is failing',
    'The last {failures} deliveries to {host} failed. We keep trying for 72 hours. Ask whoever runs that system to ' +
      'check why it does not answer.',
  ],
  'webhook.endpoint_recovered': [
    'A webhook works again',
    '{host} is answering again. Waiting events are being delivered, so you do not need to do anything.',
  ],
  'payment.overpaid': [
    'A payment received too much',
    'Payment {reference} for {asked} received {received}, which makes more than you asked for. Refund the ' +
      'difference, or agree with the customer what to do with it.',
  ],
  'payment.overpaid.capture': [
    'A hold was captured too much',
    'The hold {reference} for {asked} was captured more than once. Compare what was taken with what you sold, and ' +
      'agree with the customer how to refund the rest.',
  ],
  'payment.overpaid.hold': [
    'Too much received',
    'Payment {reference} for {asked} has more money than you asked for. Open the payment, and agree with the ' +
      'customer how to refund the difference.',
  ],
  'payment.amount_mismatch': [
    'The amount received is not the amount asked for',
    'Payment {reference} for {asked} received {received}, which is a different amount. The money is recorded. Ask ' +
      'the customer for the rest, or agree on a refund.',
  ],
  'payment.amount_mismatch.capture': [
    'A hold was captured for another amount',
    'A different amount than you asked for was taken from the hold {reference} for {asked}. Open the payment, and ' +
      'settle the difference with the customer.',
  ],
  'payment.amount_mismatch.hold': [
    'The bank holds another amount',
    'For payment {reference} of {asked} the bank holds another amount: {held}. You can capture up to the held amount.',
  ],
  'payment.late': [
    'A payment arrived late',
    '{received} arrived for payment {reference} of {asked} after it was closed. The money is yours. Hand over what ' +
      'was bought, or agree with the customer on a refund.',
  ],
  'payment.late.capture': [
    'A hold was captured late',
    'The hold {reference} for {asked} was captured after it was closed. The money is yours. Hand over what was ' +
      'bought, or agree with the customer on a refund.',
  ],
  'payment.late.hold': [
    'A hold was approved late',
    'The hold {reference} for {asked} was approved after it counted as not paid. The amount is held: capture it, or ' +
      'cancel the hold to release it.',
  ],
  'payment.stuck': [
    'A payment without an answer',
    'We have asked for days, and the provider does not say what happened to payment {reference} of {asked}. Do not ' +
      'deliver or charge again before you are sure: contact the operator and give them the reference.',
  ],
  'payment.stuck.hold': [
    'A hold was not released',
    'The hold {reference} for {asked} has ended, and the provider refused to release it. It may have been captured ' +
      'another way: contact the operator and give them the reference.',
  ],
  'payment.acquirer_setup': [
    'A contract is set up wrong',
    'The provider refused payment {reference} because the contract, the terminal or the credentials of “{account}” ' +
      'are not right. Until that is fixed it will refuse the next ones too. Correct the contract and test it. If it ' +
      'belongs to the operator, contact them.',
  ],
  'refund.failed': [
    'A refund was not made',
    'The refund of {amount} for payment {reference} was not made: the provider refused it, and the customer received ' +
      'nothing. Try again, or refund the money another way and record it on the payment.',
  ],
  'refund.stuck': [
    'A refund without an answer',
    'The provider does not say whether it refunded {amount} for payment {reference}. Do not refund it again, in any ' +
      'way, before you are sure: contact the operator and give them the reference.',
  ],
  'refund.late': [
    'A refund arrived late',
    '{amount} for payment {reference} went back after the refund counted as not made or canceled. The customer has ' +
      'the money: if you refunded it another way in the meantime, settle the difference with them.',
  ],
  'refund.excess': [
    'Too much was refunded',
    '{amount} for payment {reference} went back, which makes more than had come in. Look at the refunds of this ' +
      'payment, and settle the difference with the customer.',
  ],
  'reference.unknown_paid': [
    'Money on an unknown reference',
    '{amount} was paid to entity {entity}, reference {reference}, which does not exist in Balcão. The money is ' +
      'recorded. Contact the operator and give them transaction {transaction}.',
  ],
  'rail.feed_paused': [
    'A list of payments is paused',
    'The contract “{account}” lists payments that cannot be read; {count} of them are not stored yet. Balcão reads ' +
      'the list once an hour until that ends. Payments that the provider reports are still recorded. Check the ' +
      'entity and the address of the contract with the provider, and test it to continue now.',
  ],
  'terminal.stuck': [
    'A terminal without an answer',
    'The provider does not say whether terminal {terminal} is open or closed. Open or close it again in the ' +
      'shop’s system. If nothing changes, contact the operator.',
  ],
  'terminal.closed': [
    'The provider closed a terminal',
    'Terminal {terminal} was closed, and not by you. It takes no payments while it is closed. To sell again, open it ' +
      'in the shop’s system, or ask the operator.',
  ],
  'sms.balance_low': [
    'Few SMS left',
    'SMS left: {balance}. Those already accepted are paid for. A message to more people than that is refused as a ' +
      'whole. Ask the operator for more.',
  ],
  'invoice.issued': [
    'Monthly statement {number}',
    'The statement for {month} is ready: {total}, IVA included. It has no fiscal value. The PDF is under “Plan and ' +
      'statements”.',
  ],
  'access.granted': [
    'New access to your shop',
    '{by} gave {email} access to the shop, with the role {role}. If that was not agreed, remove this access now.',
  ],
  'access.granted.own': ['You gave access', 'You gave {email} access to the shop, with the role {role}.'],
  'access.changed': [
    'A role changed',
    '{by} changed the role of {email} to {role}. If that was not agreed, change it back now.',
  ],
  'access.changed.own': ['You changed a role', 'You changed the role of {email} to {role} in this shop.'],
  'access.revoked': [
    'Access removed',
    '{by} removed the access of {email}, who had the role {role}. If that was not agreed, give it back.',
  ],
  'access.revoked.own': ['You removed access', 'You removed the access of {email}, who had the role {role}.'],
  'access.clients_left': [
    'A person without access knows credentials',
    '{email} has no access any more, but knows the secret of credentials that still work: {clients}. Give them a new ' +
      'secret, or remove them.',
  ],
  'settlement.difference': [
    'A settlement does not match the provider',
    'Period {period} of the contract “{account}” is not the same in the provider’s books and here. Movements that ' +
      'differ: {count}. See which in that settlement before you mark it as checked, and ask the operator about what ' +
      'you cannot explain.',
  ],
  'link.oversold': [
    'A link sold more than it had',
    'The link “{title}” had {stock} and received payments for {paid}: money arrived after the place had gone to ' +
      'another person. The money is yours. Hand over what was bought, or refund it.',
  ],
  'client.created': [
    'New credentials',
    '{by} created the credentials “{name}”, which connect a system to your shop. If that was not agreed, remove them ' +
      'now.',
  ],
  'client.created.own': [
    'You created credentials',
    'You created the credentials “{name}”, which connect a system to your shop.',
  ],
  'client.rotated': [
    'New secret for credentials',
    '{by} created a new secret for the credentials “{name}”. A person who has it can use your shop through them. If ' +
      'that was not agreed, remove them now.',
  ],
  'client.rotated.own': ['You created a new secret', 'You created a new secret for the credentials “{name}”.'],
  'client.revoked': [
    'Credentials removed',
    '{by} removed the credentials “{name}”. The system that used them can no longer connect to your shop.',
  ],
  'client.revoked.own': [
    'You removed credentials',
    'You removed the credentials “{name}”. The system that used them can no longer connect to your shop.',
  ],
  'rail_account.created': [
    'New contract',
    '{by} added the contract “{label}”. Your customers’ money may come in through it from now on. If that was not ' +
      'agreed, remove it now.',
  ],
  'rail_account.created.own': ['You added a contract', 'You added the contract “{label}” to this shop.'],
  'rail_account.changed': [
    'A contract changed',
    '{by} changed the contract “{label}”, through which your customers’ money comes in. If that was not agreed, ' +
      'check now what changed.',
  ],
  'rail_account.changed.own': ['You changed a contract', 'You changed the contract “{label}” of this shop.'],
  'rail_account.removed': [
    'Contract removed',
    '{by} removed the contract “{label}”. Your shop no longer takes payments through it.',
  ],
  'rail_account.removed.own': [
    'You removed a contract',
    'You removed the contract “{label}”. Your shop no longer takes payments through it.',
  ],
};
