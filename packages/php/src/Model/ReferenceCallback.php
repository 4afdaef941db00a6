<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $idTransacao The rail’s id of the transaction
 * @property-read string|null $numLogSistema The rail’s number of the transaction
 * @property-read string|null $idLogSistema The clearing period of the transaction
 * @property-read string $dataTransaccaoCliente When the payer paid
 * @property-read string $montantePago The paid amount in major units. Compare it with the amount that you
 *    requested
 * @property-read string|null $tipoTerminal The channel: `ATM`, `POS`, `IB` (internet banking), `MB` (the app)
 * @property-read string|null $iIdentTerminal
 * @property-read string|null $localidadeTerminal
 * @property-read string $refPagamento The reference, with leading zeros
 * @property-read string $Id The permanent id of the transaction: `transactions[].id` of the payment
 * @property-read string|null $nib The payer’s account, if the rail reports it
 * @property-read string|null $banco The payer’s bank, if the rail reports it
 * @property-read 'reference' $paymentMethod
 * @property-read string|null $documentNumber The payer’s document number, mostly the tax number (NIF), from
 *    the payment request or from the payer
 */
final class ReferenceCallback extends Result
{
}
