<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read 'user'|'client'|'payer' $kind `payer`: a link, or the page of a shop
 * @property-read string|null $id
 * @property-read string|null $name Null for payers, and for a removed person
 */
final class DayCashierCashier extends Result
{
}
