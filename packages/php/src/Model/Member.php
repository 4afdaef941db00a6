<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $userId
 * @property-read string $email
 * @property-read string|null $firstName null while Invited
 * @property-read string|null $lastName
 * @property-read 'Viewer'|'Cashier'|'Developer'|'Administrator'|'Owner' $role
 * @property-read string $roleId
 * @property-read 'Invited'|'Active' $status Invited until they first sign in for this merchant
 * @property-read string $createdAt
 * @property-read string|null $expiresAt When an invitation expires
 */
final class Member extends Result
{
}
