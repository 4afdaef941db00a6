<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $id Id of one of your rail accounts, or of the gateway’s account
 * @property-read string $label
 */
final class RailAccountName extends Result
{
}
