<?php

declare(strict_types=1);

namespace Balcao;

/**
 * The result of `finishOnce`.
 * @property-read Model\Payment $payment the payment as it is now
 * @property-read bool $ran true if this call ran the shop's work
 */
final class Finished extends Result {
}
