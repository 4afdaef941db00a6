<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read list<ListedInvoice> $data
 * @property-read int $pageNumber
 * @property-read int $pageSize
 * @property-read int $totalPages
 * @property-read int $totalItems
 */
final class InvoicePage extends Result
{
    public const NESTED = [
        'data' => ListedInvoice::class,
    ];
}
