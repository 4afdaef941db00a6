<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $name `connector` of a rail account
 * @property-read list<'gpo'|'ppr'|'sms'> $kinds
 * @property-read FormSchema $settings JSON Schema 2020-12 of `settings`
 * @property-read FormSchema $secrets JSON Schema 2020-12 of `secrets`
 */
final class RailConnector extends Result
{
    public const NESTED = [
        'settings' => FormSchema::class,
        'secrets' => FormSchema::class,
    ];
}
