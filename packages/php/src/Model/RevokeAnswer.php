<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $message
 * @property-read list<RevokeAnswerClient> $clients API clients whose secret the person knows; absent without
 *    any
 */
final class RevokeAnswer extends Result
{
    public const NESTED = [
        'clients' => RevokeAnswerClient::class,
    ];
}
