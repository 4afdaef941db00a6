<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read 'sms'|'mail' $channel
 * @property-read int $units The debited SMS units. 0 for a mail
 */
final class SentReceipt extends Result
{
}
