<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $merchantId
 * @property-read int $saldoAtual Units left; one unit pays one part of one message
 * @property-read 'SMS' $unidade
 * @property-read string|null $atualizadoEm Time of the last movement; null: none yet
 */
final class SmsBalance extends Result
{
}
