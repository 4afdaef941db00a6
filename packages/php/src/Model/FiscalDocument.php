<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $number Number of the certified program
 * @property-read string $series
 * @property-read string|null $url Address of the document. Null if only this API has it, as PDF
 * @property-read string $hash Signature of the certified program
 * @property-read string $issuedAt
 */
final class FiscalDocument extends Result
{
}
