<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $id
 * @property-read string $paymentId The payment that has the money; of an authorization its capture
 * @property-read string $transactionId
 * @property-read string $amount Major units
 * @property-read string $currency
 * @property-read 'Pending'|'Processing'|'Succeeded'|'Failed'|'Canceled' $status
 * @property-read 'rail'|'manual' $method manual: given back outside the rail, and recorded
 * @property-read string|null $reason
 * @property-read string|null $reference Your own name of it
 * @property-read string|null $proof manual: what shows that it was given back
 * @property-read string|null $refundedOn manual: the day in Luanda on which it was given back
 * @property-read string|null $failureCode
 * @property-read bool $late The rail gave it back after it had failed or was canceled here
 * @property-read string|null $transactionNumber
 * @property-read string|null $clearingPeriod
 * @property-read string $createdAt
 * @property-read string|null $createdBy The person who requested it. Null for API clients
 * @property-read string|null $createdByClient The API client that requested it. Null for people
 * @property-read string|null $shiftId The person’s open shift at the request
 * @property-read string|null $completedAt
 */
final class Refund extends Result
{
}
