<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read int $totalDestinatarios Number of messages, without repeated numbers and people who refuse
 *    SMS
 * @property-read int $partes Parts of the longest message
 * @property-read 'GSM-7'|'UCS-2' $codificacao UCS-2 if at least one message needs it: 70 characters per part
 *    instead of 160
 * @property-read list<string> $caracteresUcs2 The characters that forced UCS-2
 * @property-read int $unidades Price in units: the sum of the parts of all messages
 * @property-read int $duplicados Repeated numbers that were removed: each number gets one message
 * @property-read int $recusados Recipients that were skipped because they refuse your SMS
 * @property-read int $saldoAtual Current balance in units
 * @property-read string $remetente The sender that the messages would have
 * @property-read SmsSendingPreviewExemplo|null $exemplo The first message as it would be sent; null: no
 *    recipients are left
 * @property-read list<ReferenceSmsPreviewMensagem> $mensagens
 * @property-read list<string> $semTelemovel References without a valid phone number of the customer: no
 *    message
 * @property-read list<string> $naoPagaveis References that cannot be paid any more: no message
 * @property-read bool $haMais More references match than the 500 newest ones of this preview
 */
final class ReferenceSmsPreview extends Result
{
    public const NESTED = [
        'exemplo' => SmsSendingPreviewExemplo::class,
        'mensagens' => ReferenceSmsPreviewMensagem::class,
    ];
}
