<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $reference
 * @property-read string|null $customerName
 * @property-read string $numeroDestino E.164
 * @property-read string $conteudo
 * @property-read int $partes
 */
final class ReferenceSmsPreviewMensagem extends Result
{
}
