<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * Fields other than `message` require `Prefer: return=representation`.
 * @property-read string $message
 * @property-read string $userId
 * @property-read 'Viewer'|'Cashier'|'Developer'|'Administrator'|'Owner' $role
 * @property-read 'Invited'|'Active' $status Invited until they first sign in for this merchant
 */
final class GrantAnswer extends Result
{
}
