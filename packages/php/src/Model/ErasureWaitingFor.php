<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read 'payment'|'sms'|'mail'|'rail_message' $kind
 * @property-read string $id
 */
final class ErasureWaitingFor extends Result
{
}
