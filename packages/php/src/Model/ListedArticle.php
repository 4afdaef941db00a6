<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $id
 * @property-read string $name
 * @property-read string $price
 * @property-read string $currency
 * @property-read int $position
 * @property-read bool $isActive
 * @property-read string $createdAt
 * @property-read string $updatedAt
 * @property-read string $etag The entity tag for `If-Match`; a new position does not change it
 */
final class ListedArticle extends Result
{
}
