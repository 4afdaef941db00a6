<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read int $number `Balcao-Attempt`, from 1
 * @property-read string $startedAt
 * @property-read int|null $durationMs
 * @property-read string $outcome delivered · refused: 2xx without `Success: true` · status: not 2xx ·
 *    timeout: no answer within 10 s · connection: the connection broke · unreachable: no connection was made
 *    · too_large: the answer is too long · blocked: the address is not public · interrupted: the node died
 *    during the attempt
 * @property-read int|null $status The answer’s HTTP status
 * @property-read string|null $answer The first 2 KiB of the answer
 * @property-read string|null $error The error below HTTP, for instance of the connection
 */
final class DeliveryAttempt extends Result
{
}
