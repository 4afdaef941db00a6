<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $id
 * @property-read string $occurredAt
 * @property-read string $method
 * @property-read string $path Path without ids, as in this document: `/api/payments/{paymentId}`
 * @property-read int $status
 * @property-read string $code Code of the problem, or of the first warning
 * @property-read list<LoggedFault> $faults At most the first 20 faults, or the warnings of an accepted
 *    request
 * @property-read string $requestId `X-Request-Id` of the answer, also in the gateway’s log
 * @property-read string|null $clientId API client that sent the request
 */
final class RequestError extends Result
{
    public const NESTED = [
        'faults' => LoggedFault::class,
    ];
}
