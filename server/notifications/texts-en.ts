// The texts of merchants' notifications in English.
import type { Wording } from './texts.ts';

export const EN: Wording = {
  'callback.endpoint_failing': [
    'Callbacks are not arriving',
    'The last {failures} deliveries to {host} failed. We keep trying for 72 hours, and nothing is lost until then. ' +
      'Check that your server answers within 10 seconds with 2xx and "Success": true.',
  ],
  'callback.endpoint_recovered': [
    'Callbacks are arriving again',
    '{host} confirms callbacks again. What was waiting is being delivered; there is nothing to do.',
  ],
  'callback.abandoned': [
    'Callbacks not delivered',
    'On this day we gave up at least one callback, which your server did not confirm. The money was received all the ' +
      'same. See which with GET /api/callbacks?status=Abandoned, and send them again with POST /api/callbacks/replay.',
  ],
  'webhook.endpoint_failing': [
    'A webhook is failing',
    'The last {failures} deliveries to {host} failed. We keep trying for 72 hours. Check that the server answers ' +
      'within 10 seconds with 2xx.',
  ],
  'webhook.endpoint_recovered': [
    'A webhook works again',
    '{host} answers again. The events that were waiting are being delivered; there is nothing to do.',
  ],
  'payment.overpaid': [
    'Too much was paid',
    'Payment {reference}, of {asked}, received {received}: more has come in than was asked. Return the difference, ' +
      'or agree with the customer what to do with it.',
  ],
  'payment.overpaid.capture': [
    'An authorization was charged too often',
    'Authorization {reference}, of {asked}, was charged more than once. Compare its captures with what you sold, and ' +
      'agree with the customer how to return the rest.',
  ],
  'payment.overpaid.hold': [
    'Too much was received',
    'Payment {reference}, of {asked}, has more money than was asked. Look at the payment, and agree with the ' +
      'customer how to return the difference.',
  ],
  'payment.amount_mismatch': [
    'The amount received is not the one asked',
    'Payment {reference}, of {asked}, received {received}, which is not what was asked. The money is recorded. Ask ' +
      'the customer for the rest, or agree how to return it.',
  ],
  'payment.amount_mismatch.capture': [
    'A capture took another amount',
    'Of authorization {reference}, of {asked}, another amount was taken than was asked. Look at the capture, and ' +
      'settle the difference with the customer.',
  ],
  'payment.amount_mismatch.hold': [
    'Another amount was authorized',
    'For authorization {reference}, of {asked}, the bank holds another amount: {held}. You can capture up to what is ' +
      'held.',
  ],
  'payment.late': [
    'A payment came late',
    '{received} came for payment {reference}, of {asked}, after it was closed. The money is yours. Deliver what was ' +
      'bought, or agree with the customer how to return it.',
  ],
  'payment.late.capture': [
    'An authorization was charged late',
    'Authorization {reference}, of {asked}, was charged after it was closed. The money is yours. Deliver what was ' +
      'bought, or agree with the customer how to return it.',
  ],
  'payment.late.hold': [
    'An authorization came late',
    'Authorization {reference}, of {asked}, was approved after it counted as failed. The amount is held: capture it, ' +
      'or cancel the authorization to release it.',
  ],
  'payment.stuck': [
    'A payment without an answer',
    'We have asked for days, and the provider does not say what became of payment {reference}, of {asked}. Neither ' +
      'deliver nor charge again before it is certain: contact the operator and name the reference.',
  ],
  'payment.stuck.hold': [
    'An authorization was not released',
    'The time of authorization {reference}, of {asked}, is over, and the provider refused to release the amount ' +
      'held. It may have been charged elsewhere: contact the operator and name the reference.',
  ],
  'payment.acquirer_setup': [
    'A payment account is set up wrong',
    'The acquirer refused payment {reference} because the contract, the terminal or the credentials of the account ' +
      '“{account}” are not right. Until they are it refuses the next ones too. Correct the account and test it; if ' +
      'it is the operator’s, contact them.',
  ],
  'refund.failed': [
    'A refund was not made',
    'The refund of {amount} of payment {reference} was not made: the provider refused it, and the customer received ' +
      'nothing. Try again, or return the money another way and record it here as a manual refund.',
  ],
  'refund.stuck': [
    'A refund without an answer',
    'The provider does not say whether it returned {amount} of payment {reference}. Do not return the money again, ' +
      'nor another way, before it is certain: contact the operator and name the reference.',
  ],
  'refund.late': [
    'A refund came late',
    '{amount} of payment {reference} went back after the refund counted as failed or canceled. The customer has the ' +
      'money: if you have returned it another way meanwhile, settle the difference with them.',
  ],
  'refund.excess': [
    'Too much was returned',
    '{amount} of payment {reference} went back, and with it more than had come in. Look at the refunds of this ' +
      'payment, and settle the difference with the customer.',
  ],
  'reference.unknown_paid': [
    'Money on an unknown reference',
    '{amount} were paid to entity {entity}, reference {reference}, which does not exist in Balcão. The money is ' +
      'recorded. Contact the operator and name transaction {transaction}.',
  ],
  'rail.feed_paused': [
    'A list of payments is paused',
    'Account “{account}” lists payments that no one can use; {count} of them are not kept yet. Balcão reads the list ' +
      'once an hour until that ends. Payments that the provider notifies are still recorded. Check the entity and ' +
      'address of the account with the provider, then test the account to go on at once.',
  ],
  'terminal.stuck': [
    'A terminal without an answer',
    'The provider does not say whether terminal {terminal} is open or closed. Open or close it once more; if that ' +
      'does not help, contact the operator.',
  ],
  'terminal.closed': [
    'A terminal was closed by the provider',
    'Terminal {terminal} was closed, and not by you. It takes no payments until it is open. Open it again when you ' +
      'want to go on selling.',
  ],
  'sms.balance_low': [
    'Few SMS units left',
    'SMS units left: {balance}. What was accepted is paid for; a sending that needs more than there are is refused ' +
      'as a whole. Ask the operator for more.',
  ],
  'invoice.issued': [
    'Account statement {number}',
    'The account statement for {month} is ready: {total}, IVA included. It has no fiscal value; its PDF is with your ' +
      'subscription.',
  ],
  'access.granted': [
    'New access to your account',
    '{email} was given access as {role}. If that was not agreed, revoke it at once.',
  ],
  'access.changed': ['Access changed', '{email} now has access as {role}. If that was not agreed, change it at once.'],
  'access.clients_left': [
    'Somebody without access knows credentials',
    '{email} has no access any more, but was told the secrets of credentials that still work: {clients}. Give them ' +
      'new secrets, or revoke them.',
  ],
  'settlement.difference': [
    'Books that differ from the rail’s',
    'Period {period} of the account “{account}” is not the same in the rail’s books and here. Movements that differ: ' +
      '{count}. See which in that settlement before you take it as right, and ask the operator about what you cannot ' +
      'explain.',
  ],
  'link.oversold': [
    'A link sold more than it has',
    'The link “{title}” had {stock}, and {paid} were paid: money came after its place had been given to somebody ' +
      'else. The money is yours. Deliver what was bought, or give it back.',
  ],
  'client.created': [
    'New credentials',
    'The credentials “{name}” ({client}) were created, which connect a system to your account. If that was not ' +
      'agreed, revoke them at once.',
  ],
};
