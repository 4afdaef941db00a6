<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read 'object' $type
 * @property-read list<string> $required
 * @property-read Result $properties
 */
final class FormSchema extends Result
{
}
