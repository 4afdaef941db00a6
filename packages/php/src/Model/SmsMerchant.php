<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $merchantId
 * @property-read string|null $nomeremetenteSms Your own sender; null: none is set
 * @property-read string $remetenteEfetivo Sender of messages whose request names no `remetente`
 * @property-read 'none'|'reply'|'link'|'number' $optOutText The line that ends each message. `none`: no line.
 *    `reply`: answer PARAR. `link`: the address of an opt-out page. `number`: call `optOutNumber`
 * @property-read string|null $optOutNumber Number that people call to refuse your SMS; null: none
 */
final class SmsMerchant extends Result
{
}
