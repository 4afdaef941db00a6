<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * Fields other than `message` require `Prefer: return=representation`.
 * @property-read string $message
 * @property-read string $posId
 * @property-read 'Closed'|'Opening'|'Open'|'Closing' $status
 * @property-read string|null $period The selling period at the provider; grows at each opening
 * @property-read bool $supervisorRequired
 */
final class TerminalAnswer extends Result
{
}
