<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $id
 * @property-read 'gpo'|'ppr'|'sms' $kind
 * @property-read string $connector
 * @property-read string $label
 * @property-read 'test'|'live' $environment
 * @property-read int $priority
 * @property-read 'active'|'draining'|'disabled' $status
 * @property-read Result $settings As they were sent
 * @property-read bool $hasSecrets Always true. No answer contains secrets
 * @property-read string $secretsSetAt
 * @property-read string|null $verifiedAt Time of the last successful test of the credentials
 * @property-read RailAccountCapabilities $capabilities The supported operations; a payment that needs another
 *    operation is refused at creation
 * @property-read string $notificationUrl Enter it at the provider. A notification without proof only makes
 *    Balcão query it
 * @property-read string $createdAt
 */
final class RailAccount extends Result
{
    public const NESTED = [
        'capabilities' => RailAccountCapabilities::class,
    ];
}
