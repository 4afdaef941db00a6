<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read PersonalDataSubject $subject
 * @property-read string $merchantId
 * @property-read string $takenAt
 * @property-read Result $columns Purpose and retention of each column: a setting in days, or the end in words
 * @property-read list<PersonalDataHeld> $held
 */
final class PersonalData extends Result
{
    public const NESTED = [
        'subject' => PersonalDataSubject::class,
        'held' => PersonalDataHeld::class,
    ];
}
