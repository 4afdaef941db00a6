<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $id The `smsId` of send requests
 * @property-read string $nome
 * @property-read string $conteudo
 * @property-read list<string> $chaves Keys that need values, each once, in order of appearance
 * @property-read string $criadoEm
 * @property-read string $atualizadoEm
 */
final class SmsTemplate extends Result
{
}
