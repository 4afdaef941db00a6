<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string|null $iban Account that receives the payment. Null: ask the operator how to pay
 * @property-read string|null $holder Holder of the account
 * @property-read string $reference Reference to write in the transfer: the number of the statement
 * @property-read string|null $dueOn Last day to pay in Luanda
 * @property-read string|null $note Note of the operator about the payment
 * @property-read string|null $contact Contact of the operator
 */
final class InvoicePayment extends Result
{
}
