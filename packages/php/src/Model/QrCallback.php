<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $creationDate When the payer scanned the code
 * @property-read string $updatedDate When the rail accepted the scan
 * @property-read string $id The rail’s permanent id of the transaction
 * @property-read string $amount The paid amount in major units
 * @property-read string|null $clearingPeriod
 * @property-read string|null $transactionNumber
 * @property-read 'ACCEPTED' $status No callback is sent for a refused scan
 * @property-read string|null $transactionType
 * @property-read string|null $orderOrigin
 * @property-read string $currency
 * @property-read string $merchantReferenceNumber The payment’s `reference`, from your request
 * @property-read 'qrcode' $paymentMethod
 * @property-read string|null $documentNumber The payer’s document number, mostly the tax number (NIF), from
 *    the payment request or from the payer
 */
final class QrCallback extends Result
{
}
