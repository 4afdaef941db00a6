<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * A field, or a group of fields
 * @property-read string $type
 * @property-read list<string> $enum
 * @property-read list<string> $required
 * @property-read Result $properties
 */
final class FormField extends Result
{
}
