<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $batchId
 * @property-read int $totalDestinatarios Number of messages, without repeated numbers and people who refuse
 *    SMS
 * @property-read 'Pendente'|'Agendado'|'Ignorado' $estado Ignorado: no recipients are left
 * @property-read int $partes Parts of the longest message
 * @property-read 'GSM-7'|'UCS-2' $codificacao UCS-2 if at least one message needs it: 70 characters per part
 *    instead of 160
 * @property-read list<string> $caracteresUcs2 The characters that forced UCS-2
 * @property-read int $unidades Debited units: the sum of the parts of all messages
 * @property-read int $duplicados Repeated numbers that were removed: each number gets one message
 * @property-read int $recusados Recipients that were skipped because they refuse your SMS
 */
final class SmsAcceptance extends Result
{
}
