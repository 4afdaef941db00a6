<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read 'gpo'|'ppr'|'sms' $kind
 */
final class RailAccountCapabilities extends Result
{
}
