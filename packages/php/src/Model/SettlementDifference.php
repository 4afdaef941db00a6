<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read 'missing_here'|'missing_there'|'amount'|'unreadable' $kind `missing_here`: the rail lists it
 *    in this period and the gateway does not. `missing_there`: the gateway has it and the rail does not list
 *    it. `amount`: both have it, with different amounts. `unreadable`: the rail’s entry cannot be read
 * @property-read string|null $providerRef The rail’s id of the transaction
 * @property-read string|null $amount The rail’s amount
 * @property-read string|null $ourAmount
 * @property-read string|null $transactionId The gateway’s transaction, also of another period
 * @property-read string|null $refundId
 * @property-read string|null $paymentId
 */
final class SettlementDifference extends Result
{
}
