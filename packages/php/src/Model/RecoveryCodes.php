<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read list<string> $recoveryCodes Each works once instead of a code of the authenticator
 */
final class RecoveryCodes extends Result
{
}
