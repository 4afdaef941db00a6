<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $id
 * @property-read string $email
 * @property-read string $firstName
 * @property-read string $lastName
 * @property-read string|null $phoneNumber E.164
 * @property-read 'pt'|'en'|'fr' $language
 * @property-read list<'money'|'access'|'connections'>|null $noticeMail Groups of notifications by mail. null:
 *    money and access for Owner and Administrator, else none
 * @property-read string|null $emailVerifiedAt
 * @property-read bool $mfaEnabled
 * @property-read int $recoveryCodesLeft
 * @property-read string $createdAt
 * @property-read list<Result> $merchants Merchants that the person has access to, oldest access first
 */
final class Profile extends Result
{
}
