<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $agendamentoId
 * @property-read string $batchId
 * @property-read 'Agendado'|'Enviado'|'Cancelado' $estado
 * @property-read string $agendadaPara
 * @property-read string $conteudo The text, or a copy of the template at the time of scheduling
 * @property-read string $remetente
 * @property-read int $totalDestinatarios
 * @property-read int $unidades
 * @property-read string $criadoEm
 * @property-read string|null $enviadoEm
 * @property-read string|null $canceladoEm
 */
final class SmsSchedule extends Result
{
}
