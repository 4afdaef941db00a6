<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * A webhook endpoint. Its signing secret is returned once, at creation.
 * @property-read string $id
 * @property-read string $url
 * @property-read list<string>|null $types null: all events
 * @property-read string|null $description
 * @property-read 'active'|'failing' $status failing: the last 5 attempts failed, and one probe at a time is
 *    sent until one succeeds
 * @property-read string|null $failingSince When the first of the failed attempts in a row ended
 * @property-read int $failures Failed attempts in a row
 * @property-read string $createdAt
 * @property-read string $updatedAt
 */
final class Webhook extends Result
{
}
