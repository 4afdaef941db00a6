<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string|null $content Null where the provider draws the code and tells only its picture
 * @property-read string $svg
 * @property-read string|null $deeplink Opens Multicaixa Express with the code, on the phone it is on
 */
final class QrCode extends Result
{
}
