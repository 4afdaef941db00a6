<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * An RFC 9457 problem. `code` is stable. `errors` names every wrong field by its JSON pointer.
 * @property-read string $type
 * @property-read string $title
 * @property-read int $status
 * @property-read string $detail
 * @property-read string $instance
 * @property-read string $code
 * @property-read list<Result> $errors
 * @property-read string $internalId With `reference_in_flight`: the payment that has the reference
 * @property-read Result $current With `link_changed`: the current link
 * @property-read string $replacedBy With `payment_replaced`: the payment that replaces this one
 * @property-read int $open With `rail_account_in_use`: the number of open orders of the account
 * @property-read string $limit With `cashier_limit`: the amount that a cashier may refund a day
 * @property-read string $given With `cashier_limit`: the amount that this cashier has refunded today
 * @property-read string $currency With `cashier_limit`: the currency of both amounts
 * @property-read int $saldoAtual With `insufficient_sms_balance`: the available units
 * @property-read int $unidades With `insufficient_sms_balance`: the required units
 * @property-read list<Result> $lines With `bank_line_unclear`: the matching lines of the file
 */
final class Problem extends Result
{
}
