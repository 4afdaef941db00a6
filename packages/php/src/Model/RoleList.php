<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read list<Role> $data
 */
final class RoleList extends Result
{
    public const NESTED = [
        'data' => Role::class,
    ];
}
