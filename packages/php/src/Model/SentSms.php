<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $id
 * @property-read string $batchId The batch: all messages of one request
 * @property-read string $numeroDestino E.164
 * @property-read string $remetente
 * @property-read string $conteudo The sent text, with all values filled in
 * @property-read int $partes Parts, which is also the price in units
 * @property-read 'Pendente'|'Enviado'|'Entregue'|'Falhado' $estado Pendente: not yet sent to the network ·
 *    Enviado: accepted by the network · Entregue: delivered to the phone · Falhado: not delivered, and its
 *    units were refunded
 * @property-read string|null $enviadoEm
 * @property-read string|null $entregueEm
 * @property-read string|null $motivoFalha Reason of the failure
 * @property-read string|null $paginaRecusa The recipient’s opt-out page; null if all your messages to this
 *    number could be answered
 */
final class SentSms extends Result
{
}
