<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $id
 * @property-read string $titulo
 * @property-read string $mensagem The event and the advice. Portuguese by default, English or French by
 *    Accept-Language
 * @property-read string $tipo Type of the event
 * @property-read 0|1 $estado 0 = Não Lido, 1 = Lido
 * @property-read string $criadaEm
 * @property-read string|null $lidaEm
 * @property-read NotificationObjecto|null $objecto What the notification is about. `id` is null if it
 *    concerns the whole list
 * @property-read NotificationAutor|null $autor Who made the change. null if the notification reports no
 *    change by a person or a system
 */
final class Notification extends Result
{
    public const NESTED = [
        'objecto' => NotificationObjecto::class,
        'autor' => NotificationAutor::class,
    ];
}
