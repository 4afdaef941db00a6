<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $secret Base32, for typing it into an authenticator
 * @property-read string $otpauthUri
 * @property-read string $qrCode The URI as QR code: an SVG image in a data: URL
 */
final class TotpEnrolment extends Result
{
}
