<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $grant_type
 * @property-read string $client_id `web` is the platform’s own client, without secret, for people
 * @property-read string $client_secret
 * @property-read string $scope Scopes separated by spaces. Absent: all allowed scopes
 * @property-read string $username With `password`: the e-mail address
 * @property-read string $password
 * @property-read string $merchant_id `password` with `web`: the merchant. Absent: the oldest access
 * @property-read string $refresh_token
 * @property-read string $mfa_token
 * @property-read string $otp A code of the authenticator, or a recovery code
 */
final class TokenRequest extends Result
{
}
