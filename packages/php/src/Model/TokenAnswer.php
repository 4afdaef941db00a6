<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $access_token
 * @property-read 'Bearer' $token_type
 * @property-read int $expires_in
 * @property-read string $scope
 * @property-read string $refresh_token People only: gets the next access token; works once
 * @property-read string|null $merchant_id People only: the merchant of the token; null without a merchant
 */
final class TokenAnswer extends Result
{
}
