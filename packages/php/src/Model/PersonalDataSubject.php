<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $phone
 * @property-read string $email
 */
final class PersonalDataSubject extends Result
{
}
