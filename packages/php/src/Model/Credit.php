<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $id
 * @property-read string $amount Negative if the bank took money
 * @property-read string $currency
 * @property-read string $date
 * @property-read string|null $bankReference
 * @property-read 'hand'|'file' $source
 * @property-read string $enteredAt
 * @property-read string|null $reverses The wrong entry that this one takes back
 * @property-read string|null $reversedBy The entry that takes this one back
 */
final class Credit extends Result
{
}
