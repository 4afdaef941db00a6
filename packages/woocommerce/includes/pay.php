<?php
/**
 * Creates the payment of an order at the gateway, and cancels it there.
 *
 * @package Balcao
 */

defined( 'ABSPATH' ) || exit;

add_action( 'woocommerce_order_status_cancelled', 'balcao_cancel_with_order', 10, 2 );
add_filter( 'woocommerce_cancel_unpaid_order', 'balcao_keep_unpaid_order', 10, 2 );
add_action( 'template_redirect', 'balcao_follow_on_return' );

/** The payment methods of this plug-in, by gateway id. */
function balcao_method_of( WC_Order $order ): string {
	$methods = [ 'balcao_express' => 'express', 'balcao_qrcode' => 'qrcode', 'balcao_reference' => 'reference' ];
	return $methods[ $order->get_payment_method() ] ?? '';
}

/** Proves that a payment belongs to an order. It reveals nothing about the order's key. */
function balcao_mark( WC_Order $order ): string {
	return substr( hash( 'sha256', $order->get_order_key() ), 0, 16 );
}

/** The order's number as a reference of the gateway: 1 to 15 characters. A later attempt gets another one. */
function balcao_reference( WC_Order $order, int $attempt ): string {
	$suffix = $attempt > 1 ? "-$attempt" : '';
	$number = preg_replace( '/[^A-Za-z0-9._\/-]+/', '-', (string) $order->get_order_number() );
	$number = trim( substr( $number, strlen( $suffix ) - 15 ), '-' );
	return ( '' === $number ? (string) $order->get_id() : $number ) . $suffix;
}

/** True while the gateway may still change the order's payment without a person. It reads only the order. */
function balcao_has_open_payment( WC_Order $order ): bool {
	return '' !== (string) $order->get_meta( '_balcao_payment_id' )
		&& in_array( $order->get_meta( '_balcao_status' ), [ '', 'Pending', 'Processing' ], true );
}

/** The order's payment as the gateway has it, for display. Null without a payment or an answer. */
function balcao_payment_of( WC_Order $order ): ?Balcao\Model\Payment {
	$id = (string) $order->get_meta( '_balcao_payment_id' );
	try {
		return '' === $id ? null : balcao_client( 5 )->payments->get( $id );
	} catch ( Throwable $error ) {
		return null;
	}
}

/**
 * Returns the payment that the buyer pays now, or null if the order is paid in another way. A second click returns the first payment. A change of method or total
 * cancels the earlier payment first.
 *
 * @throws Balcao\Error|RuntimeException with a sentence for the buyer
 */
function balcao_pay( int $order_id, string $method, int $days = 3 ): ?Balcao\Model\Payment {
	balcao_begin_feed();
	return balcao_with_order( $order_id, 15, static function ( WC_Order $order ) use ( $method, $days ) {
		if ( ! in_array( $order->get_currency(), balcao_currencies(), true ) ) {
			throw new RuntimeException( __( 'This order has a currency that the gateway does not take.', 'balcao' ) );
		}
		$old = balcao_sync_locked( $order );
		if ( $order->is_paid() ) {
			return $old;
		}
		$amount  = wc_format_decimal( $order->get_total(), 2 );
		$is_open = $old && in_array( $old->status, [ 'Pending', 'Processing' ], true );
		$is_same = $is_open && $method === $order->get_meta( '_balcao_method' )
			&& balcao_minor( $old->amount ) === balcao_minor( $amount );
		if ( $is_same ) {
			return $old;
		}
		if ( $is_open ) {
			balcao_cancel_payment( $old );
		}
		$attempt = max( 1, (int) $order->get_meta( '_balcao_attempt' ) + ( $old ? 1 : 0 ) );
		// The attempt is stored before the creation: after a crash the same key returns the same payment.
		return balcao_create( $order, $method, $attempt, $amount, $days );
	} );
}

function balcao_create( WC_Order $order, string $method, int $attempt, string $amount, int $days ): Balcao\Model\Payment {
	$order->update_meta_data( '_balcao_attempt', (string) $attempt );
	$order->update_meta_data( '_balcao_payment_id', '' );
	$order->save();
	$key = sprintf( '%s-%d-%s-%d', balcao_site(), $order->get_id(), balcao_mark( $order ), $attempt );
	$body = balcao_payment_body( $order, $method, $attempt, $amount, $days );
	try {
		try {
			$payment = balcao_client()->payments->create( $body, [ 'idempotency_key' => $key ] );
		} catch ( Balcao\Error $error ) {
			if ( 'origin_not_registered' !== $error->code ) {
				throw $error;
			}
			// The shop has a new address. Buyers still pay, but the gateway does not send them back.
			balcao_log( 'Save the settings of Balcão again: ' . $error->getMessage() );
			unset( $body['metadata']['returnUrl'], $body['metadata']['cancelUrl'] );
			$payment = balcao_client()->payments->create( $body, [ 'idempotency_key' => $key ] );
		}
	} catch ( Balcao\Error $error ) {
		if ( 'idempotency_key_reused' === $error->code && $attempt < 99 ) {
			return balcao_create( $order, $method, $attempt + 1, $amount, $days );
		}
		throw $error;
	}
	balcao_store_payment( $order, $payment, $method );
	$order->update_meta_data( '_balcao_code', (string) ( $payment->qrCode->content ?? '' ) );
	$order->save();
	if ( 'reference' === $method ) {
		$order->update_status( 'on-hold', __( 'Waiting for the payment of the reference.', 'balcao' ) );
	} elseif ( $order->has_status( [ 'failed', 'cancelled' ] ) ) {
		$order->update_status( 'pending' );
	}
	return new Balcao\Model\Payment( iterator_to_array( $payment ) );
}

/** Writes the payment into the order's fields. The caller saves the order. */
function balcao_store_payment( WC_Order $order, Balcao\Result $payment, string $method ): void {
	$fields = [
		'payment_id'   => $payment->internalId,
		'method'       => $method,
		'entity'       => $payment->entity,
		'reference'    => $payment->reference,
		'status'       => $payment->status,
		'expires'      => $payment->expiresAt,
		'token'        => $payment->clientToken,
		'checkout_url' => $payment->checkoutUrl,
	];
	foreach ( $fields as $name => $value ) {
		$order->update_meta_data( "_balcao_$name", (string) $value );
	}
}

/** The request of a creation. */
function balcao_payment_body( WC_Order $order, string $method, int $attempt, string $amount, int $days ): array {
	/* translators: 1: number of the order, 2: name of the shop */
	$text = sprintf( __( 'Order %1$s, %2$s', 'balcao' ), $order->get_order_number(), get_bloginfo( 'name' ) );
	$body = [
		'amount'      => $amount,
		'currency'    => $order->get_currency(),
		'description' => mb_substr( wp_specialchars_decode( $text, ENT_QUOTES ), 0, 120 ),
	];
	$metadata = [
		'custom'    => [ 'site' => balcao_site(), 'order' => $order->get_id(), 'mark' => balcao_mark( $order ) ],
		'returnUrl' => $order->get_checkout_order_received_url(),
		'cancelUrl' => $order->get_checkout_payment_url(),
	];
	// WooCommerce keeps the goods of an unpaid order for these minutes.
	$minutes = min( 1440, max( 5, (int) get_option( 'woocommerce_hold_stock_minutes', 60 ) ?: 60 ) );
	$ends    = static fn( int $seconds ): string => gmdate( 'Y-m-d\TH:i:s\Z', time() + $seconds );
	$express = [
		'paymentMethod'          => 'webframe',
		'methods'                => [ 'push' ],
		'allowReferenceFallback' => true,
		'expiresInMinutes'       => $minutes,
	];
	if ( 'reference' === $method ) {
		$body['paymentType'] = 'PPR';
		$metadata           += [
			'referenceType' => 'Dynamic',
			'expiryDate'    => $ends( max( 1, $days ) * DAY_IN_SECONDS ),
			'customerName'  => mb_substr( trim( $order->get_formatted_billing_full_name() ), 0, 100 ),
			'customerEmail' => $order->get_billing_email(),
		];
		$phone = balcao_phone( $order->get_billing_phone() );
		if ( '' !== $phone ) {
			$metadata['customerTelephone'] = $phone;
		}
	} else {
		$code      = [ 'paymentMethod' => 'qrcode', 'endDate' => $ends( $minutes * 60 ) ];
		$body     += [ 'paymentType' => 'GPO', 'reference' => balcao_reference( $order, $attempt ) ];
		$metadata += 'qrcode' === $method ? $code : $express;
	}
	/** Filters the request, for instance to add `metadata.documentNumber` with the buyer's tax number. */
	return apply_filters( 'balcao_payment_body', $body + [ 'metadata' => array_filter( $metadata ) ], $order );
}

/** An Angolan mobile number as nine digits, or ''. */
function balcao_phone( string $typed ): string {
	$digits = preg_replace( '/^(00)?244/', '', preg_replace( '/\D/', '', $typed ) );
	return preg_match( '/^9\d{8}$/', $digits ) ? $digits : '';
}

/** Sends a push to a phone, from the payment's own page. @throws Balcao\Error */
function balcao_push( string $checkout_url, string $phone ): void {
	$body    = (string) wp_json_encode( [ 'phoneNumber' => $phone ] );
	$headers = [ 'content-type' => 'application/json', 'accept' => 'application/json' ];
	$answer  = balcao_send( 'POST', strtok( $checkout_url, '?' ) . '/pay', $headers, $body, 15 );
	if ( $answer['status'] >= 300 ) {
		$problem = (array) json_decode( $answer['body'], true );
		$detail  = (string) ( $problem['detail'] ?? $answer['status'] );
		throw new Balcao\Error( (string) ( $problem['code'] ?? 'unexpected_answer' ), $detail, $answer['status'], $problem );
	}
}

/**
 * Cancels a payment, or the one that replaced it.
 *
 * @throws RuntimeException with a sentence for people if money may be on its way
 */
function balcao_cancel_payment( Balcao\Model\Payment $payment ): void {
	$client = balcao_client();
	try {
		if ( 'PPR' === $payment->paymentType ) {
			$client->references->cancel( $payment->reference );
		} else {
			$client->payments->cancel( $payment->internalId );
		}
	} catch ( Balcao\Error $error ) {
		if ( 'payment_replaced' === $error->code ) {
			balcao_cancel_payment( $client->payments->get( $error->problem['replacedBy'] ) );
			return;
		}
		if ( 409 === $error->status ) {
			$text = __( 'The request on the phone is still open. Answer it there, or wait two minutes.', 'balcao' );
			throw new RuntimeException( $text, 0, $error );
		}
		throw $error;
	}
}

/** Cancels the payment of an order that a person or another plug-in cancels. */
function balcao_cancel_with_order( int $order_id, $order = null ): void {
	$order = $order instanceof WC_Order ? $order : wc_get_order( $order_id );
	if ( ! $order || ! balcao_has_open_payment( $order ) || balcao_is_following() ) {
		return;
	}
	// The order follows the answer: if money came meanwhile, the order is revived.
	balcao_sync_again( $order_id, (string) $order->get_meta( '_balcao_payment_id' ) );
}

/** The gateway decides when a payment expires, therefore WooCommerce does not cancel its order earlier. */
function balcao_keep_unpaid_order( $is_canceled, $order ): bool {
	return $is_canceled && ! ( $order instanceof WC_Order && balcao_has_open_payment( $order ) );
}

/** Lets the order follow before WooCommerce shows the page to which the buyer returns. */
function balcao_follow_on_return(): void {
	$pay = absint( get_query_var( 'order-pay' ) );
	$id  = $pay ? $pay : absint( get_query_var( 'order-received' ) );
	$key = isset( $_GET['key'] ) ? sanitize_text_field( wp_unslash( $_GET['key'] ) ) : ''; // phpcs:ignore WordPress.Security.NonceVerification
	// The key proves that the visitor may see the order.
	$order = $id && '' !== $key ? wc_get_order( $id ) : null;
	if ( ! $order instanceof WC_Order || ! hash_equals( $order->get_order_key(), $key ) || ! balcao_has_open_payment( $order ) ) {
		return;
	}
	balcao_sync_again( $id, (string) $order->get_meta( '_balcao_payment_id' ) );
	$order = wc_get_order( $id );
	if ( $pay && $order && ! $order->needs_payment() ) {
		wp_safe_redirect( $order->get_checkout_order_received_url() );
		exit;
	}
}
