<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $id
 * @property-read string $number Consecutive in each year, without a gap
 * @property-read string $title Title of the document
 * @property-read string $issuedAt
 * @property-read string $currency
 * @property-read string $subtotal
 * @property-read string $tax IVA, rounded once, on the subtotal
 * @property-read string $total
 * @property-read FiscalDocument|null $fiscal Its certified document. Null before the certification: this
 *    document has no fiscal value
 * @property-read InvoiceIssuer $issuer
 * @property-read string $merchantName
 * @property-read string|null $merchantTaxId Tax number (NIF) of the receiver at the time of issue
 * @property-read float $taxPercent
 * @property-read string $invoiceId Corrected invoice
 * @property-read string $reason
 */
final class CreditNote extends Result
{
    public const NESTED = [
        'fiscal' => FiscalDocument::class,
        'issuer' => InvoiceIssuer::class,
    ];
}
