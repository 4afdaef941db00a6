<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read 'ok'|'wrong_secret'|'wrong_host'|'no_connection'|'not_allowed' $result
 * @property-read string|null $detail The fault in one sentence; null for `ok`
 */
final class RailProbe extends Result
{
}
