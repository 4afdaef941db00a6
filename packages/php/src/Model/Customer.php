<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string|null $email
 * @property-read string|null $name
 * @property-read string|null $telephone
 */
final class Customer extends Result
{
}
