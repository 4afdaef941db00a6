<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read 'next_period'|'refund'|'rail'|'bank'|'other' $reason
 * @property-read string|null $note
 * @property-read string $difference The explained difference
 * @property-read bool $holds False: the difference has changed, and needs a person again
 * @property-read string|null $explainedBy Name of the person or of the API client
 * @property-read string $explainedAt
 */
final class Explanation extends Result
{
}
