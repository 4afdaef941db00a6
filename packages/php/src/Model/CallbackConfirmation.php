<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read bool $Success true: your server has processed this callback, now or earlier
 * @property-read string|null $Obs
 * @property-read string|float|null $Id Your own number of the transaction
 */
final class CallbackConfirmation extends Result
{
}
