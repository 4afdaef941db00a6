<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $contactoId
 * @property-read string $nome
 * @property-read string $telefone E.164
 * @property-read bool $recusaSms The person at this number refuses your SMS, so none are sent
 */
final class SmsContact extends Result
{
}
