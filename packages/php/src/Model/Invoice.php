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
 * @property-read string $month What it is for
 * @property-read string $credited Part of the total that its credit notes take back
 * @property-read InvoiceIssuer $issuer
 * @property-read string $merchantName
 * @property-read string|null $merchantTaxId Tax number (NIF) of the receiver at the time of issue
 * @property-read float $taxPercent
 * @property-read InvoicePayment|null $payment How to pay. Null for an amount of zero, and for older
 *    statements
 * @property-read string $amountDue Total without the credited part. The API does not record payments of
 *    statements
 * @property-read string $plan
 * @property-read int $payments Payments received, including those that the monthly fee covers
 * @property-read int $refunds Refunds made in the month. They cost nothing and return no fee
 * @property-read list<InvoiceLine> $lines
 * @property-read list<CreditNote> $creditNotes Its credit notes, oldest first. They never exceed the invoice
 */
final class Invoice extends Result
{
    public const NESTED = [
        'fiscal' => FiscalDocument::class,
        'issuer' => InvoiceIssuer::class,
        'payment' => InvoicePayment::class,
        'lines' => InvoiceLine::class,
        'creditNotes' => CreditNote::class,
    ];
}
