<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $id Id of the transaction or of the refund
 * @property-read 'payment'|'capture'|'scan'|'reference'|'refund'|'manual' $type `refund`: by the rail.
 *    `manual`: by hand, outside of the rail
 * @property-read string $paymentId
 * @property-read string $reference The payment’s reference
 * @property-read string $paymentMethod The payment’s method
 * @property-read string|null $documentNumber The payer’s document, mostly the tax number (NIF)
 * @property-read RailAccountName $account Rail account of the movement
 * @property-read string|null $providerRef The rail’s id of the transaction
 * @property-read string $clearingPeriod The rail’s name of the period, else the day that ends at 20:00 in
 *    Luanda
 * @property-read string|null $transactionNumber
 * @property-read string $gross Negative for a refund
 * @property-read string|null $fee The rail’s fee. Null if the rail does not report it
 * @property-read string $refunded Refunded later. Each refund is a movement too
 * @property-read string $net Part of the bank’s credit: gross less fee. 0 for a refund by hand
 * @property-read string $currency
 * @property-read string $occurredAt
 * @property-read string $recordedAt
 * @property-read bool $late The payment was final before. For a refund: it had failed or was canceled before
 */
final class Movement extends Result
{
    public const NESTED = [
        'account' => RailAccountName::class,
    ];
}
