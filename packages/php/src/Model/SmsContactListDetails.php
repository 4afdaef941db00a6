<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $listaId
 * @property-read string $nome
 * @property-read int $totalContactos
 * @property-read string $criadoEm
 * @property-read SmsContactPage $contactos A page of its contacts, the last added first
 */
final class SmsContactListDetails extends Result
{
    public const NESTED = [
        'contactos' => SmsContactPage::class,
    ];
}
