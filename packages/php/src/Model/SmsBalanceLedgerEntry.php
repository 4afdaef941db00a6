<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $id
 * @property-read 'Credito'|'Debito'|'Reembolso' $tipo Credito: added by the operator · Debito: used ·
 *    Reembolso: refunded
 * @property-read int $quantidade Units, at least 1
 * @property-read int $saldoDepois Balance after the movement
 * @property-read string $descricao
 * @property-read string $criadoEm
 * @property-read string|null $batchId The batch that the units paid for, or null for a credit
 */
final class SmsBalanceLedgerEntry extends Result
{
}
