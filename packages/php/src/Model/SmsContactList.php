<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $listaId
 * @property-read string $nome
 * @property-read int $totalContactos
 * @property-read string $criadoEm
 */
final class SmsContactList extends Result
{
}
