<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $id
 * @property-read string|null $phone E.164; null if the number was erased. The refusal stays in force
 * @property-read 'reply'|'page'|'merchant'|null $source `reply`: the person answered PARAR; `page`: the
 *    person used the opt-out page; `merchant`: you recorded it; null: refused by the person, before origins
 *    were recorded
 * @property-read string $createdAt
 */
final class SmsOptOut extends Result
{
}
