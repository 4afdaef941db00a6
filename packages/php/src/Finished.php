<?php

declare(strict_types=1);

namespace Balcao;

/** The result of `finishOnce`: the payment as it is now, and whether this call ran the shop's work. */
final class Finished
{
    public Model\Payment $payment;
    public bool $ran;

    public function __construct(Model\Payment $payment, bool $ran)
    {
        [$this->payment, $this->ran] = [$payment, $ran];
    }
}
