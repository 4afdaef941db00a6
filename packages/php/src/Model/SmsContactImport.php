<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read int $criados Contacts that were created
 * @property-read int $existentes Contacts with the same name and number that existed already
 * @property-read SmsContactList|null $lista The list that has all contacts now; null: the request named none
 */
final class SmsContactImport extends Result
{
    public const NESTED = [
        'lista' => SmsContactList::class,
    ];
}
