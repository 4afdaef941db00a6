<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $id
 * @property-read 'Pending'|'Waiting'|'Done' $status Waiting: some rows are still in use and will be erased
 *    when they are finished
 * @property-read list<ErasureWaitingFor> $waitingFor Rows still in use, at most 100
 * @property-read int $waitingCount Number of rows still in use
 * @property-read Result $erased Number of changed rows by table
 * @property-read string $createdAt
 * @property-read string|null $completedAt
 */
final class Erasure extends Result
{
    public const NESTED = [
        'waitingFor' => ErasureWaitingFor::class,
    ];
}
